import numpy as np
import pytest

from radeval_core.stats.agreement import study_resamples
from radeval_core.stats.preference import accuracy_by_confidence, confidence_groups, preferences

NAN = float("nan")


def test_studies_that_count_by_hand():
    # a right, margin 3; b wrong, margin 1; c equal ratings; d unscored; e three candidates; f one; g equal scores
    studies = ["a", "b", "a", "b", "c", "c", "d", "d", "e", "e", "e", "f", "g", "g"]
    rating = np.array([5, 4, 2, 3, 3, 3, 1, 2, 1, 2, 3, 5, 2, 1], dtype=np.float64)
    scores = np.array([9, 1, 8, 2, 1, 2, NAN, 1, 1, 2, 3, 3, 4, 4])
    found = preferences(scores, rating, studies)
    assert found.rows.tolist() == [0, 1, 12] and found.other.tolist() == [2, 3, 13]
    assert found.right.tolist() == [1, 0, 0] and found.margin.tolist() == [3, 1, 1]
    assert preferences(-scores, rating, studies, same_direction=False).right.tolist() == [1, 0, 0]


def test_groups_are_thirds_and_ties_stay_together():
    studies = np.repeat(np.arange(9), 2).tolist()
    margins = np.array([1, 1, 1, 2, 2, 3, 3, 3, 3], dtype=np.float64)
    rating = np.column_stack([margins, np.zeros(9)]).ravel()
    scores = np.tile([1.0, 0.0], 9)
    scores[:4] = 0, 1, 0, 1  # the first two studies are wrong
    found = preferences(scores, rating, studies)
    spans = confidence_groups(found.margin)
    groups = accuracy_by_confidence(found, found.margin, spans, study_resamples(studies))
    assert [(g.low, g.high, g.accuracy.n) for g in groups] == [(1, 1, 3), (2, 3, 6)]  # thirds end at 1.67 and 3
    assert [g.accuracy.value for g in groups] == pytest.approx([1 / 3, 1])
    assert sum(g.accuracy.value * g.accuracy.n for g in groups) == pytest.approx(found.right.sum())


def test_unknown_confidence_is_left_out():
    assert confidence_groups(np.array([NAN, 4, 9])) == [(4, 4), (9, 9)]
    assert confidence_groups(np.full(3, NAN)) == []
    studies = [0, 0, 1, 1, 2, 2]
    found = preferences(np.tile([1.0, 0.0], 3), np.tile([2.0, 1.0], 3), studies)
    groups = accuracy_by_confidence(found, np.array([NAN, 4, 9]), [(4, 4), (9, 9)], study_resamples(studies))
    assert [g.accuracy.n for g in groups] == [1, 1]


def test_groups_can_be_given_from_all_studies():
    # the metric could not score the study in the middle
    found = preferences(np.array([1, 0, NAN, 0, 1, 0]), np.array([2.0, 1, 3, 1, 4, 1]), [0, 0, 1, 1, 2, 2])
    groups = accuracy_by_confidence(found, found.margin, [(1, 1), (2, 2), (3, 3)], study_resamples([0, 0, 1, 1, 2, 2]))
    assert [g.accuracy.n for g in groups] == [1, 0, 1] and np.isnan(groups[1].accuracy.value)


def test_equal_ratings_give_no_preference():
    found = preferences(np.array([1.0, 2.0]), np.array([1.0, 1.0]), ["a", "a"])
    assert not len(found.rows)
