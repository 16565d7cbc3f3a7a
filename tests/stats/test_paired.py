import numpy as np
import pytest
from scipy import stats

from radeval_core.stats.multiplicity import holm
from radeval_core.stats.paired import SMALLEST_P_RANDOMISATION, paired_test, paired_tests


def test_a_constant_difference_by_hand():
    # every resample has mean 1, so none is further than 1 from it; 2 of 8 sign patterns have a mean of 1 or -1
    found = paired_test(np.ones(3))
    assert found.difference == 1 and found.ci95 == (1, 1) and found.n == 3
    assert found.p_bootstrap == 1 / 1001
    assert found.p_randomisation == pytest.approx(0.25, abs=0.02)


def test_equal_systems():
    found = paired_test(np.zeros(20))
    assert (found.difference, found.p_bootstrap, found.p_randomisation) == (0, 1, 1)


def test_many_pairs_reach_the_smallest_p():
    found = paired_test(np.ones(100))
    assert found.p_randomisation == SMALLEST_P_RANDOMISATION == 1 / 10_001


def test_randomisation_matches_the_exact_test():
    d = np.array([0.3, -0.1, 0.2, 0.4, -0.2, 0.1, 0.25, 0.05, -0.05, 0.15])
    exact = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=False)
    assert paired_test(d).p_randomisation == pytest.approx(exact.pvalue, abs=0.015)


def test_both_match_the_t_test_on_many_pairs():
    d = np.random.default_rng(2).normal(0.1, 1, size=400)
    expected = stats.ttest_1samp(d, 0).pvalue
    found = paired_test(d)
    assert found.p_randomisation == pytest.approx(expected, abs=0.015)
    assert found.p_bootstrap == pytest.approx(expected, abs=0.03)
    half = 1.96 * d.std() / 20
    assert found.ci95 == pytest.approx((d.mean() - half, d.mean() + half), abs=0.02)


def test_order_of_the_systems_does_not_matter():
    d = np.random.default_rng(4).normal(0.2, 1, size=60)
    one, other = paired_test(d), paired_test(-d)
    assert one.difference == -other.difference
    assert (one.p_bootstrap, one.p_randomisation) == (other.p_bootstrap, other.p_randomisation)


def test_the_seed_is_fixed():
    d = np.random.default_rng(6).normal(size=30)
    assert paired_test(d) == paired_test(d)


def test_no_or_one_pair():
    nothing = paired_test(np.empty(0))
    assert np.isnan(nothing.difference) and nothing.ci95 is None and nothing.p_bootstrap == 1 and nothing.n == 0
    one = paired_test(np.array([0.5]))
    assert one.difference == 0.5 and one.ci95 is None and one.p_randomisation == 1


def ratio(sums):
    """Return hits / tries of summed (hits, tries): a value over the corpus, not a mean of pairs."""
    return (sums[..., 0] / sums[..., 1])[..., None]


def test_a_corpus_value_is_tested_not_the_mean_of_pairs():
    # by pairs, the second system is worse on average (.05 + .01 - .5); over the corpus it has 56 more hits of 2,010
    first = np.array([[0.0, 1000], [0, 1000], [9, 10]])
    second = np.array([[50.0, 1000], [10, 1000], [5, 10]])
    found = paired_tests(first, second, ratio)[0]
    assert (found.first, found.second) == (9 / 2010, 65 / 2010)
    # differences 50 10 -4: of the sums 56 64 44 36 and their negatives, half are as far from zero as 56
    assert found.p_randomisation == pytest.approx(0.5, abs=0.02)
    low, high = found.ci95
    assert low < 56 / 2010 < high


def test_several_numbers_of_one_summary_are_tested_together():
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=(2, 50, 3))
    together = paired_tests(first, second, lambda sums: sums[..., :2] / 50)
    alone = [paired_tests(first, second, lambda sums, i=i: sums[..., i : i + 1] / 50)[0] for i in (0, 1)]
    assert together == alone


def test_a_number_without_a_value_is_never_significant():
    first, second = np.zeros((10, 1)), np.ones((10, 1))
    inverse = lambda sums: np.where(sums > 0, 1 / np.where(sums > 0, sums, 1), np.nan)  # noqa: E731
    found = paired_tests(first, second, inverse)[0]
    assert np.isnan(found.difference) and found.ci95 is None and found.p_randomisation == 1


@pytest.mark.parametrize(
    "p_values, adjusted",
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.04, 0.01], [0.04, 0.02]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.2], [0.2]),
        ([], []),
    ],
)
def test_holm(p_values, adjusted):
    assert holm(p_values) == pytest.approx(adjusted)
