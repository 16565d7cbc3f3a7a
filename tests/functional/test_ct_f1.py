"""F1 of the 18 labels and CRG, worked by hand and compared with scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as arrays
from sklearn.metrics import f1_score

from radeval_core import load
from radeval_core.functional.ct_f1 import LABELS, crg, pair_f1, pair_statistics, summarise

NAMES = tuple(f"label_{i}" for i in range(LABELS))
MATRIX = arrays.arrays(bool, (6, LABELS))


def corpus(prediction, reference):
    return summarise(pair_statistics(prediction, reference).sum(axis=0), len(prediction), NAMES)


def rows(*positive):
    """Return one row of labels per report, from the numbers of its positive labels."""
    found = np.zeros((len(positive), LABELS), bool)
    for row, labels in zip(found, positive, strict=True):
        row[list(labels)] = True
    return found


@settings(max_examples=50)
@given(MATRIX, MATRIX)
def test_the_averages_equal_scikit_learn(prediction, reference):
    ours = corpus(prediction, reference)
    for average, empty in (("micro", 1), ("macro", 0)):
        theirs = f1_score(reference, prediction, average=average, zero_division=empty)
        assert ours[f"{average}_f1"] == pytest.approx(theirs)


def test_hand_worked():
    prediction, reference = rows([0, 1], []), rows([0, 2], [])
    ours = corpus(prediction, reference)
    assert ours["micro_f1"] == pytest.approx(2 / 4)  # one hit, one false alarm, one miss
    assert ours["macro_f1"] == pytest.approx(1 / 18)
    assert (ours["accuracy"], ours["label_errors"]) == (0.5, 1.0)
    assert pair_f1(prediction, reference).tolist() == [0.5, 1.0]
    # X = 36, A = 2: r = 34/4 = 8.5, U = 17; s = 8.5 - 8.5 - 1 = -1; CRG = 17/(34 + 1)
    assert ours["crg"] == pytest.approx(17 / 35)
    assert (ours["recall_label_2"], ours["precision_label_1"], ours["f1_label_0"]) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("prediction", "expected"), [("same", 1.0), ("none", 1 / 3), ("all", 1 / 3), ("inverted", 1 / 5)]
)
def test_the_marks_of_crg(prediction, expected):
    reference = rows([0, 4], [7], [])
    guesses = {"same": reference, "none": reference & False, "all": reference | True, "inverted": ~reference}
    assert corpus(guesses[prediction], reference)["crg"] == pytest.approx(expected)


def test_crg_without_a_positive_label_is_undefined_and_with_only_positive_ones_0():
    none, every = rows([]), ~rows([])
    assert math.isnan(corpus(none, none)["crg"]) and math.isnan(corpus(every, none)["crg"])
    assert corpus(every, every)["crg"] == 0


def test_an_empty_report_does_not_agree_with_a_normal_one():
    result = load("ct_f1").compute(["", "The lungs are clear."], ["The lungs are clear.", "Emphysema."])
    assert (result["scores"], result["ct_f1"], result["accuracy"]) == ([0.0, 0.0], 0.0, 0.0)
    assert load("ct_f1").compute([""], [""])["ct_f1"] == 1.0


def test_resamples_are_summarised_together():
    hits, extra, missed = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]])
    together = crg(hits, extra, missed, 36)
    assert together == pytest.approx([float(crg(*(np.array(x[i]) for x in (hits, extra, missed)), 36)) for i in (0, 1)])


def test_details_say_where_a_label_comes_from():
    text = "Mild emphysema. No effusion."
    found = load("ct_f1").compute([text], [""], detailed=True)
    (detail,) = found["details"]
    (evidence,) = detail["prediction"]["evidence"]
    assert text[evidence["start"] : evidence["end"]] == "emphysema" and evidence["label"] == "Emphysema"
    assert [name for name, stated in detail["prediction"]["labels"].items() if stated] == ["Emphysema"]
    assert found["scores"] == [0.0]


def test_a_corpus_without_a_positive_reference_has_an_f1_but_no_crg():
    result = load("ct_f1").compute(["The lungs are clear."] * 3, ["The lungs are clear."] * 3)
    assert math.isnan(result["crg"]) and result["ct_f1"] == 1.0 and result["scores"] == [1.0] * 3
