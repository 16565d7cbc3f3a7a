"""`radfact`, by hand: counts, F1, the empty rule, and phrases with boxes."""

import json
import math

import numpy as np
import pytest

from radeval_core import load, score
from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.functional.radfact import JudgedPhrase, Verdict, f1, judged_phrases, side_measures


def test_measures_by_hand():
    left, right = ((0.0, 0.0, 0.5, 1.0),), ((0.5, 0.0, 1.0, 1.0),)
    ours = [
        JudgedPhrase("in place", True, (0,), left),
        JudgedPhrase("elsewhere", True, (1,), left),
        JudgedPhrase("wrong", False, (), left),
        JudgedPhrase("no boxes", True, (0,)),
    ]
    theirs = [JudgedPhrase("a", True, (0,), left), JudgedPhrase("b", True, (1,), right)]
    found = side_measures(ours, theirs)
    # 3 of 4 are entailed; of 3 with boxes 1 is in place; of 2 with boxes that are entailed 1 is in place
    assert (found.logical, found.spatial, found.grounding) == (0.75, 1 / 3, 0.5)
    assert (found.phrases, found.with_boxes) == (4, 3)


def test_f1_of_nothing():
    assert f1(0.0, 0.0) == 0 and math.isnan(f1(math.nan, 1.0)) and f1(0.5, 1.0) == pytest.approx(2 / 3)


def test_equal_phrases_share_the_first_verdict_and_foreign_evidence_is_refused():
    phrases = ["No effusion.", "no effusion"]
    (first, second) = judged_phrases(phrases, [Verdict(True, ("Clear",)), Verdict(False)], ["Clear."])
    assert first.entailed and second.entailed and second.evidence == (0,)
    assert judged_phrases(["a"], [Verdict(False, ("b",))], ["c"]) is None


def compute(predictions, references, **options):
    return load("radfact", progress=False, **options).compute(predictions, references, True)


def test_a_pair_by_hand():
    # prediction: effusion (entailed by the small one), heart (same), pneumothorax (not mentioned): 2 / 3
    # reference: small effusion (the prediction says less), heart (same): 1 / 2
    result = compute(
        ["Left pleural effusion. Heart size is normal. No pneumothorax."],
        ["Small left pleural effusion. Heart size is normal."],
    )
    assert (result["logical_precision"], result["logical_recall"]) == (pytest.approx(2 / 3), 0.5)
    assert result["radfact"] == pytest.approx(4 / 7) == result["scores"][0]
    phrases = result["details"][0]["reference"]
    assert [(p["phrase"], p["entailed"], p["why"]) for p in phrases] == [
        ("mild left pleural effusion", False, "differs in severity"),
        ("normal heart", True, ""),
    ]
    assert phrases[1]["evidence"] == [1] and math.isnan(result["spatial_f1"])


def test_the_headline_is_the_f1_of_the_means_and_not_the_mean_of_f1():
    # precision 1 and 1 / 2, recall 1 / 2 and 1
    result = compute(["Left effusion.", "Left effusion. Nodule."], ["Left effusion. Cardiomegaly.", "Left effusion."])
    assert (result["logical_precision"], result["logical_recall"], result["radfact"]) == (0.75, 0.75, 0.75)
    assert result["scores"] == pytest.approx([2 / 3, 2 / 3])


def test_an_empty_prediction_has_no_precision():
    # it lowers recall alone, as in the original: precision 1 (of one pair), recall 1 / 2
    result = compute(["Left effusion.", ""], ["Left effusion.", "Nodule."])
    assert (result["logical_precision"], result["logical_recall"]) == (1, 0.5)
    assert result["scores"] == [1, 0] and result["radfact"] == pytest.approx(2 / 3)
    assert math.isnan(result["logical_precision_scores"][1])
    assert [compute([a], [b])["radfact"] for a, b in (("", "Nodule."), ("Nodule.", ""), ("", ""))] == [0, 0, 1]


def test_positive_findings_only():
    pair = ["Left effusion. No pneumothorax."], ["Left effusion. The heart is normal."]
    assert compute(*pair)["radfact"] == 0.5
    result = compute(*pair, filter_negatives=True)
    assert result["radfact"] == 1 and "|filter:negatives|" in result["signature"]


# --- boxes

REPORTS = "Small left effusion. Right nodule. No pneumothorax.", "Left effusion. Right nodule."
LEFT, RIGHT = [0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]
GIVEN = {
    "prediction": [
        {"phrase": "Small left effusion.", "boxes": [LEFT]},
        {"phrase": "right  nodule", "boxes": [LEFT]},
        {"phrase": "No pneumothorax.", "boxes": None},
    ],
    "reference": [{"phrase": "Left effusion.", "boxes": [LEFT]}, {"phrase": "Right nodule.", "boxes": [RIGHT]}],
}


def test_phrases_with_boxes():
    result = compute([REPORTS[0]], [REPORTS[1]], boxes=[GIVEN])
    prediction = result["details"][0]["prediction"]
    # the prediction's small effusion says more than the reference; the nodule is entailed and in the wrong place
    assert [p["entailed"] for p in prediction] == [False, True, False]
    assert [p["in_place"] for p in prediction] == [False, False, None]
    # the reference's effusion is entailed and in place; its nodule is entailed and is not
    assert [p["in_place"] for p in result["details"][0]["reference"]] == [True, False]
    assert (result["spatial_precision"], result["spatial_recall"]) == (0, 0.5)
    assert (result["grounding_precision"], result["grounding_recall"], result["grounding_f1"]) == (0, 0.5, 0)
    assert "|phrases:given-" in result["signature"]


def test_boxes_of_some_pairs(tmp_path, capsys):
    rows = [
        {"id": 1, "prediction": REPORTS[0], "reference": REPORTS[1], "boxes": GIVEN},
        {"id": 2, "prediction": REPORTS[0], "reference": REPORTS[1], "boxes": None},
    ]
    result = score(rows, ["radfact"]).results["radfact"]
    assert result.extras["spatial_recall"] == 0.5
    assert np.isnan(result.values["spatial_recall"]).tolist() == [False, True]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["score", str(path), "--metrics", "radfact", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)["radfact"]
    assert summary["signature"] == result.signature and summary["spatial_recall"] == 0.5
    rows[1]["boxes"] = broken(reference=[{"phrase": "Left effusion.", "boxes": [[0, 0, 2, 1]]}])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["score", str(path), "--metrics", "radfact"]) == 2
    assert "pairs.jsonl: line 2: column 'boxes'['reference'][0]['boxes'][0] must be shares" in capsys.readouterr().err


def test_boxes_of_regions_are_for_another_metric(caplog):
    regions = {"left lung": [0.5, 0.1, 0.9, 0.9]}
    rows = [{"prediction": REPORTS[0], "reference": REPORTS[1], "boxes": regions}] * 2
    results = score(rows, ["radfact", "ffl_rq"]).results
    assert "phrases" not in results["radfact"].signature and results["ffl_rq"].n == 2
    assert caplog.text.count("radfact does not use boxes of regions") == 1


def broken(**changes):
    return {**GIVEN, **changes}


@pytest.mark.parametrize(
    "boxes, message",
    [
        ([GIVEN, GIVEN], "boxes must have one entry per pair: got 2 for 1 pairs"),
        ([{"prediction": []}], r"^boxes\[0\] must have 'prediction' and 'reference', each a list of"),
        ([broken(prediction="x")], r"^boxes\[0\]\['prediction'\] must be a list of .+, got str"),
        ([broken(reference=[{"phrase": "Left effusion."}])], r"^boxes\[0\]\['reference'\]\[0\] must be \{'phrase'"),
        (
            [broken(reference=[{"phrase": "Fracture.", "boxes": None}])],
            r"^boxes\[0\]\['reference'\]\[0\]: the phrase is not in the reference",
        ),
        ([broken(reference=[{"phrase": "Left effusion.", "boxes": []}])], "a list of at least one .+, or None"),
        ([broken(reference=[{"phrase": "Left effusion.", "boxes": [[0, 0, 1]]}])], r"must be four numbers \[x1"),
        (
            [broken(reference=[{"phrase": "Left effusion.", "boxes": [[0, 0, 2, 1]]}])],
            r"0 ≤ x1 ≤ x2 ≤ 1.+got \[0, 0, 2, 1\]",
        ),
        ([broken(reference=[{"phrase": "Left effusion.", "boxes": [[0.5, 0, 0.2, 1]]}])], "x1 ≤ x2"),
        ([broken(reference=[{"phrase": "Left effusion.", "boxes": [[0, math.nan, 1, 1]]}])], "0 ≤ x1"),
    ],
)
def test_bad_boxes_are_named_without_report_text(boxes, message):
    with pytest.raises(InputError, match=message) as raised:
        compute([REPORTS[0]], [REPORTS[1]], boxes=boxes)
    assert "effusion" not in str(raised.value).lower() and "fracture" not in str(raised.value).lower()


def test_a_phrase_that_the_parser_does_not_understand_is_left_out():
    reports = "Xqz flurb. Left effusion.", "Left effusion."
    given = {
        "prediction": [{"phrase": "Xqz flurb.", "boxes": [LEFT]}, {"phrase": "Left effusion.", "boxes": [LEFT]}],
        "reference": [{"phrase": "Left effusion.", "boxes": [LEFT]}],
    }
    result = compute([reports[0]], [reports[1]], boxes=[given])
    assert [p["phrase"] for p in result["details"][0]["prediction"]] == ["Left effusion."]
    assert result["spatial_f1"] == 1 and result["coverage"][0] < 1
