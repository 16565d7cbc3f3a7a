import numpy as np
import pytest
from scipy import stats

from radeval_core.stats.agreement import (
    COEFFICIENTS,
    Estimate,
    agreement,
    coefficient,
    difference,
    expert_agreement,
    mean_estimate,
    rater_mean,
    resampled_coefficients,
    study_resamples,
    weighted_mean,
)

NAN = float("nan")


def array(*values):
    return np.array(values, dtype=np.float64)


# Kendall: of 6 pairs of pairs, 1 is concordant and 5 are discordant; with ties 4 / sqrt(5 * 5).
# Spearman: 1 - 6 * 18 / (4 * 15). Pearson: 3 / sqrt(2 * 42 / 9).
HAND_WORKED = [
    ("kendall", array(1, 2, 3, 4), array(3, 1, 2, 0), -4 / 6),
    ("kendall", array(1, 1, 2, 3), array(1, 2, 2, 3), 0.8),
    ("spearman", array(1, 2, 3, 4), array(3, 1, 2, 0), -0.8),
    ("pearson", array(1, 2, 3), array(1, 2, 4), 3 / np.sqrt(84 / 9)),
]


@pytest.mark.parametrize("kind, scores, expert, value", HAND_WORKED)
def test_coefficient(kind, scores, expert, value):
    assert coefficient(kind, scores, expert) == pytest.approx(value, abs=1e-12)
    once = np.ones((1, len(scores)))
    assert resampled_coefficients(kind, scores, expert, once)[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_positive_is_agreement(kind):
    scores, errors = array(1, 2, 3, 4), array(3, 1, 2, 0)
    resamples = study_resamples(range(4))
    up = agreement(kind, scores, errors, resamples, same_direction=False)
    down = agreement(kind, -scores, errors, resamples, same_direction=True)
    assert up.value > 0 and up.value == pytest.approx(down.value) and up.ci95 == pytest.approx(down.ci95)


def test_the_rater_mean_skips_raters_who_did_not_read():
    means = rater_mean(np.array([[1, 3], [NAN, 4], [NAN, NAN]]))
    assert means[:2].tolist() == [2, 4] and np.isnan(means[2])


def test_means_of_the_same_ratings_in_another_order_are_ties():
    one, other = rater_mean(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]))
    assert one == other


def test_the_interval_of_a_share_is_that_of_a_proportion():
    right = np.repeat([0.0, 1.0], [90, 210])
    found = weighted_mean(right, study_resamples(range(300)))
    half = 1.96 * np.sqrt(0.7 * 0.3 / 300)
    assert found.value == 0.7 and found.ci95 == pytest.approx((0.7 - half, 0.7 + half), abs=0.015)


def test_nothing_to_average():
    found = weighted_mean(np.empty(0), np.empty((100, 0)))
    assert np.isnan(found.value) and found.ci95 is None and found.n == 0


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_resamples_equal_scipy_on_repeated_rows(kind, monkeypatch):
    monkeypatch.setattr("radeval_core.stats.agreement._GATHER", 100)  # several blocks
    rng = np.random.default_rng(3)
    scores = np.round(rng.normal(size=60), 1)
    expert = np.round(scores + rng.normal(size=60))
    weights = study_resamples((np.arange(60) // 3).tolist(), n_resamples=20)
    by_scipy = {"kendall": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}[kind]
    rows = [np.repeat(np.arange(60), w.astype(int)) for w in weights]
    expected = [by_scipy(scores[r], expert[r]).statistic for r in rows]
    assert resampled_coefficients(kind, scores, expert, weights) == pytest.approx(expected, abs=1e-12)


def test_pearson_interval_matches_fishers():
    rng = np.random.default_rng(5)
    x = rng.normal(size=800)
    y = x + rng.normal(size=800)
    found = agreement("pearson", x, y, study_resamples(range(800)))
    expected = stats.pearsonr(x, y).confidence_interval()
    assert found.ci95 == pytest.approx((expected.low, expected.high), abs=0.015)


def test_whole_studies_are_drawn():
    weights = study_resamples(["a", "b", "a", "c", "b", "a"], n_resamples=50)
    assert weights.shape == (50, 6)
    assert (weights[:, 0] == weights[:, 2]).all() and (weights[:, 0] == weights[:, 5]).all()
    assert (weights[:, 1] == weights[:, 4]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_copies_in_a_study_do_not_narrow_the_interval():
    rng = np.random.default_rng(7)
    x = rng.normal(size=40)
    y = x + rng.normal(size=40)
    once = agreement("pearson", x, y, study_resamples(range(40)))
    studies = np.repeat(np.arange(40), 5).tolist()
    copied = agreement("pearson", np.repeat(x, 5), np.repeat(y, 5), study_resamples(studies))
    assert copied.ci95 == pytest.approx(once.ci95) and copied.n == 200


def test_the_seed_is_fixed():
    assert (study_resamples(range(30)) == study_resamples(range(30))).all()
    assert (study_resamples(range(30)) != study_resamples(range(30), seed=1)).any()


def test_unscored_pairs_are_left_out():
    scores, expert = array(1, NAN, 2, 3, 4), array(1, 9, 3, NAN, 2)
    found = agreement("kendall", scores, expert, study_resamples(range(5)))
    assert found.n == 3 and found.value == pytest.approx(1 / 3)


@pytest.mark.parametrize("kind", COEFFICIENTS)
@pytest.mark.parametrize("scores", [array(0.1, 0.1, 0.1), array(NAN, NAN, NAN), array(NAN, 1, NAN)])
def test_a_constant_or_unscored_column_has_no_correlation(kind, scores):
    found = agreement(kind, scores, array(1, 2, 3), study_resamples(range(3)))
    assert np.isnan(found.value) and found.ci95 is None


def test_one_study_has_no_interval():
    found = agreement("kendall", array(1, 2, 3), array(1, 2, 3), study_resamples(["a", "a", "a"]))
    assert found.value == 1 and found.ci95 is None


def test_difference_by_hand():
    expert = np.arange(12.0)
    resamples = study_resamples(range(12))
    perfect, reverse = agreement("kendall", expert, expert, resamples), agreement("kendall", -expert, expert, resamples)
    gap = difference(perfect, reverse)
    assert gap.value == pytest.approx(2) and gap.ci95 == pytest.approx((2, 2))
    assert gap.p_first_higher == 0 and gap.p_second_higher == 1
    same = difference(perfect, perfect)
    assert same.value == 0 and same.p_first_higher == 1 and same.p_second_higher == 1


def test_difference_uses_the_same_resamples():
    rng = np.random.default_rng(9)
    expert = rng.normal(size=50)
    a, b = expert + rng.normal(size=50), expert + 3 * rng.normal(size=50)
    resamples = study_resamples(range(50))
    first, second = (agreement("spearman", x, expert, resamples) for x in (a, b))
    gap = difference(first, second)
    rows = [np.repeat(np.arange(50), w.astype(int)) for w in resamples]
    gaps = [stats.spearmanr(a[r], expert[r]).statistic - stats.spearmanr(b[r], expert[r]).statistic for r in rows]
    assert gap.p_first_higher == np.mean(np.array(gaps) <= 0)
    assert gap.ci95 == pytest.approx(tuple(np.percentile(gaps, [2.5, 97.5])))


def test_experts_against_the_others():
    # rater 3 is reversed: tau with the mean of 1 and 2 is -1; the mean of 2 and 3 is constant, so rater 1 has no tau
    raters = np.array([[1, 1, 3], [2, 2, 2], [3, 3, 1]], dtype=np.float64)
    one, two, three = expert_agreement("kendall", raters, study_resamples(range(3)))
    assert np.isnan(one.value) and np.isnan(two.value) and three.value == pytest.approx(-1)
    alike = expert_agreement("kendall", raters[:, :2], study_resamples(range(3)))
    assert [e.value for e in alike] == pytest.approx([1, 1]) and mean_estimate(alike).value == pytest.approx(1)
    assert expert_agreement("kendall", raters[:, :1], study_resamples(range(3))) == []


def test_bad_input():
    with pytest.raises(ValueError, match="kind must be one of kendall, spearman, pearson, got 'tau'"):
        agreement("tau", array(1, 2), array(1, 2), study_resamples(range(2)))
    first = agreement("kendall", array(1, 2), array(1, 2), study_resamples(range(2)))
    second = agreement("kendall", array(1, 2), array(1, 2), study_resamples(range(2), n_resamples=5))
    with pytest.raises(ValueError, match="got 1000 and 5"):
        difference(first, second)


def test_weighted_mean_by_hand():
    values = array(1, NAN, 0, 4)
    found = weighted_mean(values, np.array([[1, 5, 1, 0], [0, 9, 2, 2], [0, 1, 0, 0]], dtype=np.float64))
    assert found.value == pytest.approx(5 / 3) and found.n == 3
    assert found.resampled[:2] == pytest.approx([1 / 2, 2]) and np.isnan(found.resampled[2])


def test_weighted_mean_interval_matches_the_normal_approximation():
    values = np.random.default_rng(3).normal(2, 1, size=500)
    half = 1.96 * values.std() / np.sqrt(500)
    found = weighted_mean(values, study_resamples(range(500)))
    assert found.ci95 == pytest.approx((values.mean() - half, values.mean() + half), abs=0.02)


def test_two_sided_p_by_hand():
    # differences 1 1 1 -1 in four resamples: one on the rarer side, 2 (1 + 1) / 5
    first = Estimate(0.5, None, 4, array(1, 1, 1, 0))
    second = Estimate(0.0, None, 4, array(0, 0, 0, 1))
    assert difference(first, second).p == pytest.approx(0.8)
    assert difference(first, first).p == 1
    assert np.isnan(difference(Estimate(0, None, 0, array(NAN)), Estimate(0, None, 0, array(1))).p)
