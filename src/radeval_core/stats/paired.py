"""Test whether one system is better than another, with paired tests on per-pair differences. No metric is rerun.

As in sacrebleu, p = (k + 1) / (n + 1), two-sided, with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.bootstrap import RESAMPLES, SEED

Array = NDArray[np.float64]
#: number of sign flips of the randomisation test
FLIPS = 10_000
#: numbers in memory at once
_GATHER = 5_000_000


@dataclass(frozen=True)
class PairedTest:
    """The result of both tests on the mean of per-pair differences.

    Attributes:
        difference: the mean; NaN without pairs.
        ci95: its 95 % bootstrap percentile interval, or None with fewer than two pairs.
        p_bootstrap: paired bootstrap, with resamples shifted to a mean of zero.
        p_randomisation: approximate randomisation, which swaps the two systems at random in each pair.
        n: number of pairs.
    """

    difference: float
    ci95: tuple[float, float] | None
    p_bootstrap: float
    p_randomisation: float
    n: int


def paired_test(differences: Array, seed: int = SEED) -> PairedTest:
    """Test whether the mean of per-pair differences is zero.

    Args:
        differences: score of one system minus score of the other, one number per pair, without NaN.
        seed: seed of the draws.
    """
    n = len(differences)
    if n == 0:
        return PairedTest(float("nan"), None, 1.0, 1.0, 0)
    observed = float(differences.mean())
    rng = np.random.default_rng(seed)
    means = np.concatenate(
        [differences[rng.integers(n, size=(rows, n))].mean(axis=1) for rows in _batches(RESAMPLES, n)]
    )
    flipped = np.concatenate(
        [rng.choice(np.array([-1.0, 1.0]), size=(rows, n)) @ differences / n for rows in _batches(FLIPS, n)]
    )
    # sums in another order differ in their last digits but must count as equal
    at_least = abs(observed) - 1e-12 * float(np.abs(differences).mean())
    low, high = np.percentile(means, [2.5, 97.5])
    return PairedTest(
        observed,
        (float(low), float(high)) if n > 1 else None,
        _p_value(np.abs(means - observed), at_least),
        _p_value(np.abs(flipped), at_least),
        n,
    )


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
        signs = rng.choice(np.array([-1.0, 1.0]), size=(rows, n))
        reached += (np.abs(signs @ known) >= at_least).sum(axis=0)
    return (reached + 1) / (FLIPS + 1)


def _p_value(drawn: Array, observed: float) -> float:
    return (int((drawn >= observed).sum()) + 1) / (len(drawn) + 1)


def _batches(total: int, width: int) -> Iterator[int]:
    size = max(1, _GATHER // width)
    for start in range(0, total, size):
        yield min(size, total - start)
