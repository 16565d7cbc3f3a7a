"""Counts of a judge against its teacher's, worked out by hand."""

import pytest

from radeval_core.train.answer_forms import ErrorCounts
from radeval_core.train.judge.figures import Judged, figures, measures

CATEGORIES = ("a", "b")


def counts(significant=None, insignificant=None, matched=0):
    return ErrorCounts(significant=significant or {}, insignificant=insignificant or {}, matched=matched)


@pytest.fixture(scope="module")
def found():
    # four counts per pair (a and b, significant and not): gaps 0 0 0 0, then 1 0 0 2; the third is unreadable
    return figures(
        [
            Judged(counts({"a": 1}, matched=2), counts({"a": 1}, matched=2)),
            Judged(counts({"a": 1}, {"b": 2}, matched=3), counts({"a": 2}, matched=0)),
            Judged(counts({"b": 1}), None),
        ],
        CATEGORIES,
    )


def test_two_of_three_answers_are_readable(found):
    assert found["pairs"] == 3
    assert found["readable"] == pytest.approx(2 / 3)


def test_six_of_eight_counts_are_equal_and_the_gaps_add_up_to_three(found):
    assert found["count_accuracy"] == 6 / 8
    assert found["count_error"] == 3 / 8


def test_the_number_of_errors_is_off_by_zero_and_by_one(found):
    assert found["errors_error"] == 0.5  # 1 and 1; 3 and 2
    assert found["matched_error"] == 1.5  # 2 and 2; 3 and 0


def test_each_category_has_its_own_gap_and_confusion(found):
    assert found["categories"]["a"] == {
        "accuracy": 3 / 4,
        "error": 1 / 4,
        "confusion": [[0, 0, 0], [0, 1, 1], [0, 0, 0]],
    }
    assert found["categories"]["b"]["confusion"] == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]


def test_tau_is_one_for_the_same_order_and_none_for_a_constant_judge(found):
    assert found["tau"] == 1.0  # 1 before 3 and 1 before 2
    constant = [Judged(counts({"a": n}), counts({"a": 1})) for n in (1, 2)]
    assert figures(constant, CATEGORIES)["tau"] is None


def test_a_judge_without_one_readable_answer_has_no_counts():
    found = figures([Judged(counts({"a": 1}), None)], CATEGORIES)
    assert found["readable"] == 0.0
    assert found["count_error"] is found["errors_error"] is found["tau"] is None
    assert measures(found) == {"readable": 0.0}
