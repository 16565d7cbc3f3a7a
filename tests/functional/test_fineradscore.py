"""FineRadScore's arithmetic, worked by hand."""

from radeval_core.corrections.types import CATEGORY_TITLES, SEVERITY
from radeval_core.error_categories import CATEGORIES
from radeval_core.functional.fineradscore import SEVERITY_KEYS, counts, total, worst


def test_sum_and_max():
    # one emergent, two actionable, one not actionable: 4 + 2 + 2 + 1 = 9
    assert total([2, 4, 2, 1]) == 9 and worst([2, 4, 2, 1]) == 4


def test_nothing_to_correct_is_0():
    assert total([]) == worst([]) == 0


def test_ratings_count_as_in_the_paper():
    assert list(SEVERITY.values()) == [1, 1, 2, 3, 4]
    assert SEVERITY["Invalid comparison"] == SEVERITY["Not actionable"]


def test_counts():
    # a correction may have several categories, or none; each category counts once per correction
    got = counts([3, 1, 3], [CATEGORY_TITLES[:2], (), (CATEGORY_TITLES[0], CATEGORY_TITLES[0])], CATEGORY_TITLES)
    assert list(got) == [*SEVERITY_KEYS, *CATEGORIES]
    assert {key: n for key, n in got.items() if n} == {
        "not_actionable": 1, "urgent": 2, "false_finding": 2, "missing_finding": 1,
    }  # fmt: skip
