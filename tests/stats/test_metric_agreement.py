"""Agreement between metrics, worked by hand."""

import numpy as np
import pytest

from radeval_core.stats.metric_agreement import agreement_matrix

NAN = float("nan")


def column(*values):
    return np.array(values, dtype=np.float64)


def test_two_metrics_by_hand():
    # pairs of pairs: (1,2) and (1,3) have the same order in both, (2,3) the opposite: tau = (2 - 1) / 3
    matrix = agreement_matrix({"a": column(1, 2, 3), "b": column(1, 3, 2)}, {"a": True, "b": True})
    assert matrix.names == ("a", "b")
    assert matrix.values == pytest.approx(np.array([[1, 1 / 3], [1 / 3, 1]]))
    assert matrix.counts.tolist() == [[3, 3], [3, 3]]


def test_ties_count_as_tau_b_does():
    # a has one tie: of 3 pairs of pairs, 2 have the same order; tau-b = 2 / sqrt(2 * 3)
    matrix = agreement_matrix({"a": column(1, 1, 2), "b": column(1, 2, 3)}, {"a": True, "b": True})
    assert matrix.values[0, 1] == pytest.approx(2 / np.sqrt(6))


def test_a_metric_whose_lower_scores_are_better_is_turned():
    scores = {"errors": column(3, 2, 1), "quality": column(1, 2, 3)}
    assert agreement_matrix(scores, {"errors": False, "quality": True}).values[0, 1] == pytest.approx(1)
    assert agreement_matrix(scores, {"errors": True, "quality": True}).values[0, 1] == pytest.approx(-1)


def test_only_pairs_that_both_score_count():
    matrix = agreement_matrix({"a": column(1, 2, NAN, 9), "b": column(5, 6, 7, NAN)}, {"a": True, "b": True})
    assert matrix.values[0, 1] == pytest.approx(1)
    assert matrix.counts.tolist() == [[3, 2], [2, 3]]


def test_a_constant_metric_agrees_with_nobody():
    matrix = agreement_matrix({"a": column(1, 2, 3), "b": column(4, 4, 4)}, {"a": True, "b": True})
    assert np.isnan(matrix.values[0, 1]) and np.isnan(matrix.mean_with_others()).all()


def test_the_mean_with_others_leaves_out_the_metric_itself():
    scores = {"a": column(1, 2, 3), "b": column(1, 3, 2), "c": column(3, 2, 1)}
    matrix = agreement_matrix(scores, dict.fromkeys(scores, True))
    # a with b 1/3, a with c -1, b with c -1/3
    assert matrix.mean_with_others() == pytest.approx([-1 / 3, 0, -2 / 3])
