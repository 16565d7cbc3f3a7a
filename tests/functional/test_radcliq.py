"""RadCliQ: the published linear model of four parts, and the metric that combines them."""

import numpy as np
import pytest

from radeval_core import load, score
from radeval_core.functional.radcliq import PARTS, contributions, radcliq

# four parts, then the output of the models published with the paper (scikit-learn 1.5.2): v0, v1
PUBLISHED = [
    ((0.0, 0.0, 0.0, 0.0), 5.516160804054495, 2.4501430833271307),
    ((1.0, 1.0, 1.0, 1.0), -0.24213342294409346, -1.4406902828047017),
    ((0.5, 0.5, 0.5, 0.5), 2.637013690555201, 0.5047264002612145),
    ((0.2, 0.4, 0.3, 0.1), 3.5038045751579734, 1.2423301736339396),
    ((0.117, 0.6231, 0.44, 0.2237), 2.790243880957207, 0.8381114971968135),
    ((-0.1, -0.2, -0.3, 0.0), 6.839041767625446, 3.203265294254761),
    ((0.9, 0.95, 0.99, 0.8), -0.05679314621562126, -1.2236786662774426),
]
PREDICTIONS = ["Small left pleural effusion. The heart is normal in size.", "", "No pneumothorax."]
REFERENCES = ["Large right pleural effusion. The heart is enlarged.", "Normal chest.", ""]


@pytest.mark.parametrize(("parts", "v0", "v1"), PUBLISHED)
def test_published_parts_give_the_published_composite(parts, v0, v1):
    assert radcliq(np.array(parts), "v0") == pytest.approx(v0, abs=1e-12)
    assert radcliq(np.array(parts), "v1") == pytest.approx(v1, abs=1e-12)


def test_contributions_add_up_to_the_score():
    parts = np.array([0.2, 0.4, 0.3, 0.1])
    for version in ("v0", "v1"):
        rest = radcliq(parts, version) - contributions(parts, version).sum()
        assert rest == pytest.approx({"v0": 1.641666666666666, "v1": 2.466552561323256e-10}[version], abs=1e-12)


@pytest.fixture(scope="module")
def result():
    return load("radcliq").compute(PREDICTIONS, REFERENCES, detailed=True)


@pytest.mark.e2e
def test_scores_follow_from_the_parts(result):
    parts = np.column_stack([result[f"{part}_scores"] for part in PARTS])
    assert result["scores"] == pytest.approx(radcliq(parts, "v1").tolist())
    assert result["v0_scores"] == pytest.approx(radcliq(parts, "v0").tolist())
    assert result["radcliq"] == pytest.approx(np.mean(result["scores"]))


def test_details_contain_what_each_part_adds(result):
    for row, detail in zip(result["scores"], result["details"], strict=True):
        assert sum(detail["contributions"]["v1"].values()) == pytest.approx(row, abs=1e-9)
        assert list(detail["parts"]) == list(PARTS)
    assert sum(result[f"contribution_{part}"] for part in PARTS) == pytest.approx(result["radcliq"], abs=1e-9)


def test_an_empty_report_has_nothing_in_common_and_keeps_its_row(result):
    assert result["scores"][1:] == pytest.approx([2.4501430833271307] * 2)
    assert result["scores"][0] < 2.4


@pytest.mark.e2e
def test_parts_are_those_of_the_four_metrics():
    pairs = list(zip(PREDICTIONS[:1], REFERENCES[:1], strict=True))
    row = next(score(pairs, ["radcliq", "radgraph_f1", "bertscore", "chexbert_f1", "bleu"]).rows())["scores"]
    assert row["radcliq.radgraph"] == row["radgraph_f1.combined"]
    assert row["radcliq.bleu"] == row["bleu.bleu_2_radcliq"]
    # these two are rescaled to the range of the published models
    assert 1 - row["radcliq.bertscore"] == pytest.approx(1.6 * (1 - row["bertscore"]))
    assert 1 - row["radcliq.semb"] == pytest.approx(1.2 * (1 - row["chexbert_f1.similarity"]))


def test_a_part_from_another_checkpoint_is_not_rescaled(tiny_encoder):
    pair = PREDICTIONS[:1], REFERENCES[:1]
    ours = load("radcliq", bertscore=str(tiny_encoder)).compute(*pair)
    alone = load("bertscore", checkpoint=str(tiny_encoder)).compute(*pair)
    assert ours["bertscore_scores"] == pytest.approx(alone["scores"])
    assert f"bertscore:{tiny_encoder.name}@" in ours["signature"]


@pytest.mark.e2e
def test_idf_reads_the_references_first():
    metric = load("radcliq", idf=True)
    references = ["No pleural effusion.", "No pneumothorax. Rare word here."]
    together = metric.compute(["No pleural effusion.", "No pneumothorax."], references)
    plain = load("radcliq").compute(["No pleural effusion.", "No pneumothorax."], references)
    assert "idf:yes" in together["signature"]
    assert together["scores"][1] != pytest.approx(plain["scores"][1], abs=1e-3)


def test_config_paper_needs_the_published_checkpoints():
    from radeval_core.errors import CheckpointError

    with pytest.raises(CheckpointError, match=r"hf download StanfordAIMI/RRG_scorers radgraph\.tar\.gz"):
        score([("a b", "a b")], ["radcliq"], {"radcliq": "paper"})


@pytest.mark.e2e
def test_the_default_is_the_published_version_1_to_the_last_bit(result):
    parts = np.column_stack([result[f"{part}_scores"] for part in PARTS])
    assert result["scores"] == radcliq(parts, "v1").tolist()
    assert "|version:v1|" in result["signature"] and "|max_tokens:bertscore-512|" in result["signature"]
    assert load("radcliq", weights="v1").compute(PREDICTIONS, REFERENCES)["scores"] == result["scores"]
