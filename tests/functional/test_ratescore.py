"""RaTEScore's arithmetic, worked by hand."""

import json

import numpy as np
import pytest

from radeval_core import load
from radeval_core.errors import InputError
from radeval_core.functional.ratescore import (
    TYPES,
    Affinity,
    best_matches,
    one_direction,
    published_affinities,
    rate_score,
    read_affinity,
)
from radeval_core.metrics.ratescore import read_weights

#: simple weights for hand calculation: 3 from a disease to anything, else 1; penalty 0.5
EASY = {f"{a}_{b}".lower(): 3.0 if a == "Disease" else 1.0 for a in TYPES for b in TYPES} | {"neg_weight": 0.5}


@pytest.fixture
def affinity() -> Affinity:
    return read_affinity(EASY, "easy")


def side(similarity, types, others, affinity) -> float:
    return one_direction(best_matches(np.array(similarity, dtype=float), types, others, affinity), affinity)


def test_each_entity_takes_its_best_match(affinity):
    matches = best_matches(np.array([[0.2, 0.9], [0.8, 0.1]]), ["Anatomy", "Disease"], ["Anatomy", "Disease"], affinity)
    assert [(m.index, m.similarity, m.weight, m.penalised) for m in matches] == [(1, 0.9, 1, False), (0, 0.8, 3, False)]
    # (1·0.9 + 3·0.8) / (1 + 3)
    assert one_direction(matches, affinity) == pytest.approx(3.3 / 4)


@pytest.mark.parametrize(
    "one, other, penalised",
    [
        ("Abnormality", "Non-Abnormality", True),
        ("Non-Disease", "Abnormality", True),
        ("Disease", "Non-Abnormality", True),
        ("Abnormality", "Disease", False),
        ("Non-Abnormality", "Non-Disease", False),
        ("Anatomy", "Non-Abnormality", False),
    ],
)
def test_present_against_absent_is_penalised(affinity, one, other, penalised):
    assert side([[0.8]], [one], [other], affinity) == pytest.approx(0.4 if penalised else 0.8)


@pytest.mark.parametrize(
    "other, expected", [("Disease", 0.8), ("Abnormality", 0.4), ("Non-Disease", 0.4), ("Anatomy", 0.4)]
)
def test_any_two_types_that_differ_can_be_penalised(affinity, other, expected):
    matches = best_matches(np.array([[0.8]]), ["Disease"], [other], affinity, "types")
    assert one_direction(matches, affinity) == pytest.approx(expected)


def test_the_option_penalty_is_in_the_signature_and_moves_the_score():
    pair = ["Left lower lobe pneumonia."], ["Left lower lobe opacity."]  # a disease and an abnormality
    polarity, types = (load("ratescore", penalty=name).compute(*pair) for name in ("polarity", "types"))
    assert types["ratescore"] < polarity["ratescore"]
    assert "|penalty:polarity|" in polarity["signature"] and "|penalty:types|" in types["signature"]


def test_the_embedded_config_has_no_upstream_decoding():
    with pytest.raises(InputError, match=r"decoding=upstream .* use config 'rate-ner-deberta'"):
        load("ratescore", decoding="upstream").compute(["a"], ["a"])


def test_the_penalty_lowers_the_similarity_and_not_the_weight(affinity):
    # a denied abnormality (0.5·1·1) and a matched place (1·1), both with weight 1
    got = side([[1, 0], [0, 1]], ["Abnormality", "Anatomy"], ["Non-Abnormality", "Anatomy"], affinity)
    assert got == pytest.approx((0.5 + 1) / 2)


def test_of_equal_matches_the_first_counts(affinity):
    (match,) = best_matches(np.array([[0.5, 0.7, 0.7 + 1e-9]]), ["Anatomy"], ["Anatomy"] * 3, affinity)
    assert match.index == 1


def test_harmonic_mean_of_both_directions():
    assert rate_score(0.5, 1.0) == pytest.approx(2 / 3)
    assert rate_score(0.4, 0.4) == pytest.approx(0.4)


@pytest.mark.parametrize("precision, recall", [(0, 0), (0.5, 0), (0.5, -0.5), (-0.1, 0.09), (-0.5, -0.5)])
def test_no_harmonic_mean_without_positive_values(precision, recall):
    assert rate_score(precision, recall) == 0.0


def test_zero_weights_give_0():
    nothing = read_affinity(dict.fromkeys(EASY, 0), "nothing")
    assert side([[1.0]], ["Anatomy"], ["Anatomy"], nothing) == 0.0


def test_published_weights():
    long, short = published_affinities()["long"], published_affinities()["short"]
    disease, anatomy = TYPES.index("Disease"), TYPES.index("Anatomy")
    assert long.weights[disease, anatomy] == 0.9950209388542061 and long.penalty == 0.8716553966489615
    assert short.weights[anatomy, disease] == 0.0006059634829551632 and short.penalty == 0.3611577852354489


# --- weights from a user's file


def test_own_weights_from_json_and_yaml(tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps(EASY))
    (tmp_path / "mine.yaml").write_text("".join(f"{key}: {value}\n" for key, value in EASY.items()))
    for name in ("mine.json", "mine.yaml"):
        affinity, shown = read_weights(str(tmp_path / name))
        assert affinity.penalty == 0.5 and affinity.weights.sum() == 35
        assert shown.startswith("mine-") and len(shown) == len("mine-") + 8


def test_own_weights_move_the_score_and_the_signature(tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps(EASY))
    pair = ["Small left pleural effusion. Heart is normal."], ["No pleural effusion. The heart is enlarged."]
    mine = load("ratescore", weights=str(tmp_path / "mine.json")).compute(*pair)
    long, short = (load("ratescore", weights=name).compute(*pair) for name in ("long", "short"))
    assert len({result["ratescore"] for result in (mine, long, short)}) == 3
    assert "|weights:mine-" in mine["signature"] and "|weights:short|" in short["signature"]


BAD = [
    ({**EASY, "anatomy_disease": -1}, "'anatomy_disease' must be a number >= 0, got -1"),
    ({**EASY, "neg_weight": "high"}, "'neg_weight' must be a number >= 0, got 'high'"),
    ({**EASY, "neg_weight": float("nan")}, "'neg_weight' must be a number >= 0, got nan"),
    ({**EASY, "anatomy_diseases": 1}, "unknown field of {where} 'anatomy_diseases': did you mean 'anatomy_disease'"),
    ({k: v for k, v in EASY.items() if k != "disease_anatomy"}, "{where}: 'disease_anatomy' is missing"),
    ([1, 2], "{where} must map 25 pairs of types and neg_weight to numbers, got list"),
]


@pytest.mark.parametrize("data, message", BAD)
def test_the_error_names_bad_weights(tmp_path, data, message):
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(data))
    with pytest.raises(InputError) as error:
        read_weights(str(file))
    assert message.format(where=file) in str(error.value)


def test_unknown_missing_and_broken_weights(tmp_path):
    with pytest.raises(InputError, match="unknown weights of ratescore 'lnog': did you mean 'long'"):
        load("ratescore", weights="lnog").compute(["a"], ["a"])
    with pytest.raises(InputError, match=r"no such file: .*absent\.json"):
        read_weights(str(tmp_path / "absent.json"))
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InputError, match=r"broken\.json is neither JSON nor YAML"):
        read_weights(str(tmp_path / "broken.json"))


# --- the embedded config


@pytest.fixture(scope="module")
def embedded():
    return load("ratescore")


def score(metric, prediction: str, reference: str) -> float:
    return metric.compute([prediction], [reference])["ratescore"]


def test_synonyms_score_1(embedded):
    assert score(embedded, "Cardiomegaly.", "Cardiac enlargement.") == pytest.approx(1)
    assert score(embedded, "Pleural effusion.", "Pleural fluid.") == pytest.approx(1)


def test_near_is_better_than_far_and_denied_is_worse(embedded):
    reference = "Consolidation in the left lower lobe."
    scores = [
        score(embedded, text, reference)
        for text in (
            "Consolidation in the left lower lobe.",
            "Opacity in the left lower lobe.",
            "Consolidation in the right lower lobe.",
            "Rib fracture.",
        )
    ]
    assert scores[0] == pytest.approx(1) and scores[0] > max(scores[1:]) and min(scores) == scores[-1]
    assert score(embedded, "No consolidation.", "Consolidation.") < score(embedded, "Opacity.", "Consolidation.")


def test_details_name_entities_types_and_matches(embedded):
    result = embedded.compute(["No pneumothorax. Small left effusion."], ["Small left effusion."], detailed=True)
    (detail,) = result["details"]
    first = detail["prediction"][0]
    assert first["entity"] == "pneumothorax" and first["type"] == "Non-Abnormality"
    assert {"start", "end", "match", "match_type", "similarity", "weight", "penalised"} <= set(first)
    assert detail["reference"][0]["match_type"] == "Abnormality" and detail["reference"][0]["similarity"] == 1
    assert detail["unread"] == {"prediction": [], "reference": []}


def test_details_of_a_pair_without_matches(embedded):
    (detail,) = embedded.compute(["Small left effusion."], [""], detailed=True)["details"]
    assert detail["reference"] == [] and "match" not in detail["prediction"][0]


def test_precision_is_about_the_prediction(embedded):
    result = embedded.compute(["Rib fracture. Small left effusion."], ["Small left effusion."])
    assert result["recall"] == pytest.approx(1) and result["precision"] < 1


def test_weights_may_contain_their_provenance(tmp_path):
    path = tmp_path / "ours.json"
    path.write_text(json.dumps(EASY | {"provenance": {"n": 200, "seed": 0}}))
    found, name = read_weights(str(path))
    assert (found.weights == read_affinity(EASY, "easy").weights).all()
    assert name.startswith("ours-") and len(name) == len("ours-") + 8
