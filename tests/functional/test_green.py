"""GREEN's formulas on hand-worked numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.functional.green import HALVING, ON_TOPIC, error_count, green, weighted_green

weights = st.lists(st.floats(0.05, 3), max_size=8)


@pytest.mark.parametrize(
    "matched, significant, expected",
    [(4, 0, 1.0), (4, 4, 0.5), (1, 10, 1 / 11), (3, 1, 0.75), (0, 0, 0.0), (0, 5, 0.0), (12, 1, 12 / 13)],
)
def test_green_is_the_fraction_of_matched_findings(matched, significant, expected):
    assert green(matched, significant) == expected


def test_the_error_count_includes_insignificant_errors():
    assert error_count(3, 2) == 5
    assert error_count(0, 0) == 0


@pytest.mark.parametrize(
    "matched, errors, expected",
    [
        ([], [], 1.0),
        ([1.0], [], 1.0),
        ([], [1.0], ON_TOPIC / (1 + ON_TOPIC) / (1 + 1 / HALVING)),
        ([1.0], [1.0], (1 + ON_TOPIC) / (2 + ON_TOPIC) / (1 + 1 / HALVING)),
        ([1.0, 0.5], [0.25, 0.25], (1.5 + ON_TOPIC) / (2 + ON_TOPIC) / (1 + 2 / HALVING)),
    ],
)
def test_weighted_green(matched, errors, expected):
    assert weighted_green(matched, errors) == pytest.approx(expected, abs=1e-12)


@given(weights, weights)
def test_weighted_green_is_between_0_and_1_and_the_order_does_not_matter(matched, errors):
    value = weighted_green(matched, errors)
    assert 0 <= value <= 1
    assert weighted_green(matched[::-1], errors[::-1]) == value


@given(weights, weights, st.floats(0.05, 3))
def test_another_error_never_helps_and_another_match_never_hurts(matched, errors, weight):
    value = weighted_green(matched, errors)
    assert weighted_green(matched, [*errors, weight]) <= value
    assert weighted_green([*matched, weight], errors) >= value


def test_a_vaguer_description_costs_less_than_an_error_of_the_same_weight():
    assert weighted_green([0.75], [], [0.25]) == pytest.approx((0.75 + ON_TOPIC) / (1 + ON_TOPIC))
    assert weighted_green([1.0], []) > weighted_green([0.75], [], [0.25]) > weighted_green([0.75], [0.25])


def test_eight_errors_without_weight_halve_the_score():
    assert weighted_green([1.0], [0.0] * HALVING) == pytest.approx(0.5)
