import numpy as np
import pytest

from radeval_core.stats.bootstrap import interval95


def mean_of(values):
    per_pair = np.column_stack([values])
    return interval95(per_pair, lambda sums: sums[..., 0] / len(values))


def test_interval_of_a_mean_matches_the_normal_approximation():
    values = np.random.default_rng(1).normal(5, 2, size=400)
    low, high = mean_of(values)
    half = 1.96 * values.std() / np.sqrt(400)
    assert low == pytest.approx(values.mean() - half, abs=0.05)
    assert high == pytest.approx(values.mean() + half, abs=0.05)


def test_the_seed_is_fixed():
    values = np.arange(30.0)
    assert mean_of(values) == mean_of(values)


def test_a_ratio_is_resampled_as_a_ratio():
    # precision from counts: hits over tries; every resample divides its own sums
    hits, tries = np.array([1.0, 0, 3, 2, 5]), np.array([1.0, 4, 3, 4, 5])
    low, high = interval95(np.column_stack([hits, tries]), lambda sums: sums[..., 0] / sums[..., 1])
    assert 0 <= low < hits.sum() / tries.sum() < high <= 1


def test_small_batches_give_the_same_interval(monkeypatch):
    values = np.arange(50.0)
    whole = mean_of(values)
    monkeypatch.setattr("radeval_core.stats.bootstrap._DRAWN", 100)
    assert mean_of(values) == pytest.approx(whole)


def test_one_pair_has_no_interval():
    assert mean_of(np.array([1.0])) is None


def test_equal_values_give_a_point():
    assert mean_of(np.full(10, 0.25)) == (0.25, 0.25)
