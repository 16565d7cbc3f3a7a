"""CheXbert beside f1chexbert, on a tiny random checkpoint and upstream's outputs, both kept here."""

import json
from pathlib import Path

import numpy as np
import pytest

from radeval_core import load, score

HERE = Path(__file__).parent / "chexbert"
UPSTREAM = json.loads((HERE / "outputs.json").read_text("utf-8"))


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global Chexbert
    from radeval_core.annotators.chexbert import Chexbert


@pytest.fixture(scope="module")
def result():
    return load("chexbert_f1", checkpoint=str(HERE)).compute(UPSTREAM["predictions"], UPSTREAM["references"])


def test_labels_and_vectors_of_every_report():
    reports = UPSTREAM["reports"]
    annotator = Chexbert(str(HERE), progress=False)
    texts = [report["text"] for report in reports]
    assert [len(ids) for ids in annotator.token_ids(texts)] == [report["tokens"] for report in reports]
    for report, reading in zip(reports, annotator.annotate(texts), strict=True):
        assert reading.classes.tolist() == report["class_ids"]
        np.testing.assert_allclose(reading.vector, report["cls"], atol=1e-4)


@pytest.mark.parametrize(("report", "suffix"), [("report_14", ""), ("report_5", "_5")])
def test_averages(result, report, suffix):
    for average in ("micro", "macro", "weighted", "samples"):
        ours = result["chexbert_f1"] if (average, suffix) == ("micro", "") else result[f"{average}_f1{suffix}"]
        assert ours == pytest.approx(UPSTREAM[report][f"{average} avg"]["f1-score"], abs=1e-9)


@pytest.mark.parametrize("labels", [14, 5])
def test_the_presets_give_the_averages(labels):
    pairs = list(zip(UPSTREAM["predictions"], UPSTREAM["references"], strict=True))
    table = score(pairs, preset=f"chexbert-{labels}", configs={"chexbert_f1": str(HERE)}).table()
    for average in ("micro", "macro", "weighted", "samples"):
        theirs = UPSTREAM[f"report_{labels}"][f"{average} avg"]["f1-score"]
        assert table[f"CheXbert-{labels} {average} F1"]["score"] == pytest.approx(theirs, abs=1e-9)
    if labels == 5:
        assert table["CheXbert-5 accuracy"]["score"] == pytest.approx(UPSTREAM["accuracy"])


def test_every_condition(result):
    for condition in UPSTREAM["conditions"]:
        theirs = UPSTREAM["report_14"][condition]
        name = condition.lower().replace(" ", "_")
        ours = [result[f"{kind}_{name}"] for kind in ("precision", "recall", "f1")]
        assert ours == pytest.approx([theirs["precision"], theirs["recall"], theirs["f1-score"]], abs=1e-9)


def test_accuracy_over_five_conditions(result):
    assert result["accuracy_5"] == pytest.approx(UPSTREAM["accuracy"])


def test_similarity(result):
    assert result["similarity_scores"] == pytest.approx(UPSTREAM["similarity"], abs=1e-4)


def test_the_fixture_tells_classes_apart():
    classes = np.array([report["class_ids"] for report in UPSTREAM["reports"]])
    assert all(set(classes[:, i]) == {0, 1, 2, 3} for i in range(13)) and set(classes[:, 13]) == {0, 1}
    assert max(report["tokens"] for report in UPSTREAM["reports"]) == 512
    assert "" in UPSTREAM["predictions"]
