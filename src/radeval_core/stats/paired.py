"""Test whether one system is better than another on the same pairs. No metric is rerun.

A system's number is a function of the *sum* of its per-pair statistics: a mean, or a value over the corpus such as
BLEU. The tests resample the pairs, or swap the two systems in some of them, and compute the number itself again. As in
sacrebleu, p = (k + 1) / (n + 1), two-sided, with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.bootstrap import RESAMPLES, SEED

Array = NDArray[np.float64]
#: maps summed statistics (last axis) to numbers (last axis), for any leading axes
Summary = Callable[[Array], Array]
#: number of random swaps of the randomisation test
FLIPS = 10_000
#: the smallest p-value that each test can give
SMALLEST_P_BOOTSTRAP = 1 / (RESAMPLES + 1)
SMALLEST_P_RANDOMISATION = 1 / (FLIPS + 1)
#: numbers in memory at once
_GATHER = 5_000_000


@dataclass(frozen=True)
class PairedTest:
    """The result of both tests on one number of two systems.

    Attributes:
        first: the number of the first system; NaN if it has none.
        second: the number of the second system.
        difference: the second minus the first.
        ci95: 95 % bootstrap percentile interval of the difference, or None with fewer than two pairs.
        p_bootstrap: paired bootstrap, with resamples shifted to a difference of zero.
        p_randomisation: approximate randomisation, which swaps the two systems at random in each pair.
        n: number of pairs.
    """

    first: float
    second: float
    difference: float
    ci95: tuple[float, float] | None
    p_bootstrap: float
    p_randomisation: float
    n: int


def paired_tests(first: Array, second: Array, summary: Summary, seed: int = SEED) -> list[PairedTest]:
    """Test whether numbers of two systems differ; return one result per number of the summary.

    Args:
        first: per-pair statistics of one system, one row per pair, without NaN.
        second: the same of the other system, in the same order of pairs.
        summary: maps summed statistics to the numbers to test.
        seed: seed of the draws.
    """
    n = len(first)
    one, other = (summary(rows.sum(axis=0)) for rows in (first, second))
    observed = other - one
    rng = np.random.default_rng(seed)
    if n == 0:
        nothing = float("nan")
        return [PairedTest(nothing, nothing, nothing, None, 1.0, 1.0, 0) for _ in observed]
    resampled = np.concatenate([_resampled(first, second, summary, rows, rng) for rows in _batches(RESAMPLES, n)])
    swapped = np.concatenate([_swapped(first, second, summary, rows, rng) for rows in _batches(FLIPS, n)])
    # sums in another order differ in their last digits but must count as equal
    at_least = np.abs(observed) - 1e-12 * np.fmax(np.abs(one), np.abs(other))
    p_bootstrap = _p_values(resampled - observed, at_least)
    p_randomisation = _p_values(swapped, at_least)
    return [
        PairedTest(
            float(one[i]),
            float(other[i]),
            float(observed[i]),
            _interval(resampled[:, i]) if n > 1 else None,
            float(p_bootstrap[i]),
            float(p_randomisation[i]),
            n,
        )
        for i in range(len(observed))
    ]


def paired_test(differences: Array, seed: int = SEED) -> PairedTest:
    """Test whether the mean of per-pair differences is zero.

    Args:
        differences: score of one system minus score of the other, one number per pair, without NaN.
        seed: seed of the draws.
    """
    second, n = differences[:, None], max(len(differences), 1)
    return paired_tests(np.zeros_like(second), second, lambda sums: sums / n, seed)[0]


def randomisation_p_values(differences: Array, seed: int = SEED) -> Array:
    """Return the p-values of approximate randomisation for many comparisons at once.

    Args:
        differences: one row per pair and one column per comparison; NaN where a comparison lacks the pair.
        seed: seed of the draws, the same for every comparison.
    """
    # a difference of 0 has no effect on the test below, so it has the same result as leaving the pair out
    known = np.nan_to_num(differences)
    n = len(known)
    at_least = np.abs(known.sum(axis=0)) - 1e-12 * np.abs(known).sum(axis=0)
    rng = np.random.default_rng(seed)
    reached = np.zeros(known.shape[1], dtype=np.int64)
    for rows in _batches(FLIPS, max(known.shape)):
        signs = draw_signs(rng, rows, n)
        reached += (np.abs(signs @ known) >= at_least).sum(axis=0)
    return (reached + 1) / (FLIPS + 1)


def draw_signs(rng: np.random.Generator, rows: int, n: int) -> Array:
    """Draw random signs, one row per flip and one column per pair. Drawing in parts gives the same signs."""
    signs: Array = rng.choice(np.array([-1.0, 1.0]), size=(rows, n))
    return signs


def _resampled(first: Array, second: Array, summary: Summary, rows: int, rng: np.random.Generator) -> Array:
    """Return differences on resamples of the pairs, drawn with replacement."""
    n = len(first)
    times = np.array([np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(rows)], dtype=np.float64)
    return summary(times @ second) - summary(times @ first)


def _swapped(first: Array, second: Array, summary: Summary, rows: int, rng: np.random.Generator) -> Array:
    """Return differences after swapping the systems in a random half of the pairs."""
    swaps = rng.integers(2, size=(rows, len(first)), dtype=np.int8).astype(np.float64)
    moved = swaps @ (second - first)
    return summary(second.sum(axis=0) - moved) - summary(first.sum(axis=0) + moved)


def _interval(resampled: Array) -> tuple[float, float] | None:
    if np.isnan(resampled).any():
        return None
    low, high = np.percentile(resampled, [2.5, 97.5])
    return float(low), float(high)


def _p_values(drawn: Array, observed: Array) -> Array:
    """Return how often a draw reaches what was observed. A draw without a value counts as reaching it."""
    return ((~(np.abs(drawn) < observed)).sum(axis=0) + 1) / (len(drawn) + 1)


def _batches(total: int, width: int) -> Iterator[int]:
    size = max(1, _GATHER // width)
    for start in range(0, total, size):
        yield min(size, total - start)
