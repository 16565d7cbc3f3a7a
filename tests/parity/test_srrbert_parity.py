"""`srrbert_f1` beside RadEval, on tiny random checkpoints and RadEval's outputs, both kept here."""

import json
from pathlib import Path

import numpy as np
import pytest

from radeval_core import load
from radeval_core.findings.views.srrbert import label_names

HERE = Path(__file__).parent / "srrbert"
UPSTREAM = json.loads((HERE / "outputs.json").read_text("utf-8"))
PAIRS = UPSTREAM["pairs"]
SIDES = ("prediction", "reference")
#: RadEval adds 1e-8 to counts: its 1 is 0.999999995
EPSILON = 6e-9
every_variant = pytest.mark.parametrize("variant", UPSTREAM["variants"])


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global SrrBert, srr_sentences, classification_report
    from sklearn.metrics import classification_report

    from radeval_core.annotators.srrbert import SrrBert
    from radeval_core.annotators.srrbert_sentences import srr_sentences


def checkpoint(variant):
    return str(HERE / UPSTREAM["variants"][variant]["checkpoint"])


def report_labels(variant, side):
    """Return RadEval's labels of the reports, from the label ids it gave to their sentences."""
    size = len(label_names(variant))
    rows = [set().union(*pair[side]) for pair in UPSTREAM["variants"][variant]["label_ids"]]
    return np.array([[i in row for i in range(size)] for row in rows])


@pytest.mark.parametrize("case", UPSTREAM["sentence_splitting_cases"], ids=lambda case: case["text"][:30])
def test_sentences(case):
    assert srr_sentences(case["text"]) == case["sentences"]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["id"])
def test_sentences_of_reports(pair):
    for side in SIDES:
        assert srr_sentences(pair[side]) == pair[f"{side}_sentences"]


@every_variant
def test_labels_of_every_sentence(variant):
    annotator = SrrBert(checkpoint(variant), progress=False)
    assert annotator.label_set == variant
    for pair, theirs in zip(PAIRS, UPSTREAM["variants"][variant]["label_ids"], strict=True):
        for side in SIDES:
            assert [ids for ids, _ in annotator.read_sentences(pair[f"{side}_sentences"])] == theirs[side]


@every_variant
def test_scores(variant):
    result = load("srrbert_f1", checkpoint=checkpoint(variant)).compute(
        *([pair[side] for pair in PAIRS] for side in SIDES)
    )
    np.testing.assert_allclose(result["scores"], UPSTREAM["variants"][variant]["sample_f1"], atol=EPSILON, rtol=0)
    theirs = classification_report(
        report_labels(variant, "reference"), report_labels(variant, "prediction"), output_dict=True, zero_division=0
    )
    weighted = theirs["weighted avg"]
    assert result["srrbert_f1"] == pytest.approx(weighted["f1-score"], abs=1e-12)
    assert result["weighted_precision"] == pytest.approx(weighted["precision"], abs=1e-12)
    assert result["weighted_recall"] == pytest.approx(weighted["recall"], abs=1e-12)
    for average in ("micro", "macro", "samples"):
        assert result[f"{average}_f1"] == pytest.approx(theirs[f"{average} avg"]["f1-score"], abs=1e-12)


@pytest.mark.parametrize("variant", [*UPSTREAM["variants"], *UPSTREAM["other_mappings"]])
def test_the_order_of_the_labels(variant):
    known = UPSTREAM["variants"].get(variant, {}).get("mapping") or UPSTREAM["other_mappings"][variant]
    assert {name: i for i, name in enumerate(label_names(variant))} == known
