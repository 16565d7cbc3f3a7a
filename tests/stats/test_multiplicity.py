import math

import pytest

from radeval_core.stats.multiplicity import benjamini_hochberg

# p-values and outcomes of the RadCliQ paper, tables S4(a) and S4(c), false discovery rate 1 %
PUBLISHED = [
    ([3.79e-3, 9.50e-6, 1.07e-7, 9.96e-1, 7.65e-2, 6.39e-3, 1.0, 9.51e-1, 2.24e-1, 1.0, 9.94e-1, 7.76e-1], {1, 2}),
    ([4.83e-4, 1.60e-2, 1.51e-1, 1.0, 8.90e-1, 9.89e-1, 9.84e-1, 1.10e-1, 8.63e-1, 8.49e-1, 1.14e-2, 1.37e-1], {0}),
]


@pytest.mark.parametrize("p_values, significant", PUBLISHED)
def test_published_outcomes(p_values, significant):
    assert {i for i, p in enumerate(benjamini_hochberg(p_values)) if p <= 0.01} == significant


def test_by_hand():
    # sorted 0.01 0.02 0.04 0.5: times 4/1, 4/2, 4/3, 4/4, each at most the next
    assert benjamini_hochberg([0.02, 0.5, 0.01, 0.04]) == pytest.approx([0.04, 0.5, 0.04, 4 * 0.04 / 3])


def test_a_test_without_p_value_does_not_count():
    one, none, other = benjamini_hochberg([0.01, math.nan, 0.03])
    assert math.isnan(none) and (one, other) == pytest.approx((0.02, 0.03))
    assert benjamini_hochberg([]) == [] and math.isnan(benjamini_hochberg([math.nan])[0])
