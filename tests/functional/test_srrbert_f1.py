"""The arithmetic of `srrbert_f1`, with values worked out by hand."""

import numpy as np
import pytest

from radeval_core.functional.srrbert_f1 import pair_statistics, shared_labels, summarise

NAMES = ("a", "b", "c", "d")


def rows(*texts):
    """Return which of the four labels each text names."""
    return np.array([[name in text for name in NAMES] for text in texts])


PREDICTION, REFERENCE = rows("ab", "a", ""), rows("a", "ac", "")


def corpus():
    return summarise(pair_statistics(PREDICTION, REFERENCE).sum(axis=0), len(PREDICTION), NAMES)


def test_a_pair_scores_common_labels_among_all_labels():
    # {a} of {a, b}; {a} of {a, c}; no label at all
    assert shared_labels(PREDICTION, REFERENCE).tolist() == [0.5, 0.5, 1.0]


def test_the_average_weighs_labels_by_how_often_references_have_them():
    # a: 2 hits, F1 1, support 2; b: false alarm, support 0; c: missed, F1 0, support 1
    numbers = corpus()
    assert numbers["weighted_f1"] == pytest.approx(2 / 3)
    assert numbers["weighted_precision"] == pytest.approx(2 / 3)
    assert numbers["weighted_recall"] == pytest.approx(2 / 3)


def test_the_other_averages():
    numbers = corpus()
    assert numbers["micro_f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert numbers["macro_f1"] == pytest.approx(1 / 4)  # d, which no report has, counts as 0
    assert numbers["samples_f1"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


def test_single_labels():
    numbers = corpus()
    assert (numbers["precision_a"], numbers["recall_a"], numbers["f1_a"]) == (1, 1, 1)
    assert (numbers["precision_b"], numbers["recall_c"], numbers["f1_d"]) == (0, 0, 0)


def test_resamples_are_scored_together():
    stats = pair_statistics(PREDICTION, REFERENCE)
    picks = np.array([[0, 1, 2], [0, 0, 0]])
    both = summarise(stats[picks].sum(axis=1), 3, NAMES)
    assert both["weighted_f1"].tolist() == pytest.approx([2 / 3, 1.0])


def test_no_label_in_any_reference_gives_0_as_scikit_learn_does():
    stats = pair_statistics(rows("a"), rows("")).sum(axis=0)
    assert summarise(stats, 1, NAMES)["weighted_f1"] == 0
