"""Bootstrap intervals from per-pair statistics, with scipy and a fixed seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

SEED = 20240601
RESAMPLES = 1000
#: numbers gathered at once while resampling: bounds memory, not the result
_GATHER = 20_000_000


def interval95(
    per_pair: NDArray[np.float64], headline: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> tuple[float, float] | None:
    """The 95 % percentile interval of a headline, or None with fewer than two pairs.

    Args:
        per_pair: one row of statistics a pair.
        headline: maps the sum of rows (last axis: statistics) to the headline, for any leading axes.
    """
    n, width = per_pair.shape
    if n < 2:
        return None
    from scipy import stats  # slow to import: only when an interval is wanted

    def statistic(index: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        return headline(per_pair[index].sum(axis=axis - 1 if axis < 0 else axis))

    result = stats.bootstrap(
        (np.arange(n),),
        statistic,
        n_resamples=RESAMPLES,
        batch=max(1, _GATHER // (n * width)),
        vectorized=True,
        axis=-1,
        confidence_level=0.95,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)
