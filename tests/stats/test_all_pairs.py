"""All pairs of systems: the same answers as testing every pair with all flips."""

import numpy as np
import pytest

from radeval_core.stats import all_pairs
from radeval_core.stats.all_pairs import flips_for, holm_rejects, significantly_better
from radeval_core.stats.multiplicity import holm
from radeval_core.stats.paired import FLIPS, draw_signs, randomisation_p_values

ALPHA = 0.05


def every_pair(scores):
    """Test every pair with all flips, as the leaderboard did at first."""
    count = len(scores)
    first, second = np.triu_indices(count, 1)
    differences = (scores[second] - scores[first]).T
    p_values, gain = np.ones((count, count)), np.zeros((count, count))
    p_values[first, second] = p_values[second, first] = randomisation_p_values(differences)
    gain[first, second] = np.nansum(differences, axis=0)
    gain[second, first] = -gain[first, second]
    better = np.zeros((count, count), dtype=bool)
    for i in range(count):
        others = [j for j in range(count) if j != i]
        better[i, others] = (np.array(holm(list(p_values[i, others]))) < ALPHA) & (gain[i, others] > 0)
    return better


def systems(seed, count, studies, steps=0, missing=0.0, spread=0.1):
    rng = np.random.default_rng(seed)
    skill = rng.normal(0.5, spread, count)[:, None]
    scores = np.clip(rng.normal(0, 0.2, studies) + skill + rng.normal(0, 0.2, (count, studies)), 0, 1)
    if steps:
        scores = np.round(scores * steps) / steps  # many ties
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores


@pytest.mark.parametrize(
    ("count", "studies", "options"),
    [
        (2, 40, {}),
        (7, 40, {}),
        (12, 3, {"steps": 2}),
        (25, 30, {"steps": 4}),
        (25, 30, {"missing": 0.1}),
        (40, 60, {"steps": 4, "missing": 0.05}),
        (30, 20, {"spread": 0.0}),
        (60, 112, {"missing": 0.05, "spread": 0.2}),
        (20, 40, {"missing": 0.7, "spread": 0.3}),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_result_equals_that_of_every_pair(seed, count, studies, options):
    scores = systems(seed, count, studies, **options)
    assert np.array_equal(significantly_better(scores, ALPHA), every_pair(scores))


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_the_result_does_not_depend_on_the_blocks(block, monkeypatch):
    monkeypatch.setattr(all_pairs, "_BLOCK", block)
    scores = systems(8, 30, 50, missing=0.05, spread=0.2)
    assert np.array_equal(significantly_better(scores, ALPHA), every_pair(scores))


@pytest.mark.parametrize("steps", [0, 5])
def test_the_result_is_exact_for_one_system_with_few_scores_and_for_large_numbers(steps):
    scores = 1e6 * systems(9, 30, 50, steps=steps, missing=0.05, spread=0.2)
    scores[3, 4:] = np.nan
    assert np.array_equal(significantly_better(scores, ALPHA), every_pair(scores))


def test_equal_systems_and_systems_without_scores_are_never_better():
    scores = np.vstack([np.full(30, 0.5), np.full(30, 0.5), np.full(30, np.nan), systems(1, 2, 30)])
    assert np.array_equal(significantly_better(scores, ALPHA), every_pair(scores))
    assert not significantly_better(np.zeros((3, 0)), ALPHA).any()
    assert not significantly_better(np.zeros((1, 9)), ALPHA).any()


def test_a_copied_system_with_one_changed_study_is_never_better():
    """One difference has two equally likely signs: p is 1 for any score, also after rounding."""
    scores = np.repeat(systems(3, 1, 50), 6, axis=0)
    scores[np.arange(1, 6), np.arange(5)] += [0.1, 0.3, 1e-7, 0.7, 1 / 3]
    assert not significantly_better(scores, ALPHA).any()


def test_holm_by_row_equals_holm():
    rng = np.random.default_rng(0)
    p_values = np.round(rng.random((12, 12)) ** 4, 3) / 5
    for i, row in enumerate(holm_rejects(p_values, ALPHA)):
        others = [j for j in range(12) if j != i]
        assert list(row[others]) == [p < ALPHA for p in holm(list(p_values[i, others]))]


def test_signs_do_not_depend_on_how_many_are_drawn_at_once():
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    parts = [draw_signs(other, rows, 7) for rows in (3, 1, 6)]
    assert np.array_equal(draw_signs(one, 10, 7), np.vstack(parts))


@pytest.mark.parametrize("count", [2, 401, 402, 502, 1000])
def test_the_smallest_p_value_stays_significant_after_the_correction(count):
    """With 10,000 flips for any number of systems, all of 502 systems or more shared rank 1."""
    flips = flips_for(count)
    assert (count - 1) / (flips + 1) < ALPHA
    assert flips == FLIPS or count > 401


@pytest.mark.slow
def test_six_hundred_systems_get_more_than_one_rank():
    scores = systems(1, 600, 40)
    assert significantly_better(scores, ALPHA).sum(axis=1).max() > 100
