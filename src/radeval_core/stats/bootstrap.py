"""Bootstrap intervals from per-pair statistics, with scipy and a fixed seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.row_table import RowTable

SEED = 20240601
RESAMPLES = 1000
#: resamples that Yu et al. take to compare RadCliQ with other metrics, and for the mean scores of systems
RADCLIQ_RESAMPLES = 5_000
#: indices drawn at once while resampling: bounds memory, not the result
_DRAWN = 200_000


def interval95(
    per_pair: NDArray[np.float64] | RowTable,
    headline: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    n_resamples: int = RESAMPLES,
) -> tuple[float, float] | None:
    """Return the 95 % percentile interval of a headline, or None with fewer than two pairs.

    There is no interval either if a resample has no value (NaN).

    Args:
        per_pair: one row of statistics per pair.
        headline: maps the sum of rows (last axis: statistics) to the headline, for any leading axes.
        n_resamples: number of resamples.
    """
    n, width = per_pair.shape
    if n < 2:
        return None
    from scipy import stats  # slow to import, so only when needed

    def weighted_sum(weights: NDArray[np.int64]) -> NDArray[np.float64]:
        return per_pair.weighted_sum(weights) if isinstance(per_pair, RowTable) else weights @ per_pair

    def statistic(index: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        # how often each pair was drawn, times its row: no copy of the rows, so a million pairs stay small
        sums = [weighted_sum(np.bincount(drawn, minlength=n)) for drawn in index.reshape(-1, n)]
        return headline(np.reshape(sums, (*index.shape[:-1], width)))

    if np.isnan(statistic(np.arange(n), -1)).any():
        return None
    result = stats.bootstrap(
        (np.arange(n),),
        statistic,
        n_resamples=n_resamples,
        batch=max(1, _DRAWN // n),
        vectorized=True,
        axis=-1,
        confidence_level=0.95,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = map(float, result.confidence_interval)
    return None if np.isnan(low) or np.isnan(high) else (low, high)
