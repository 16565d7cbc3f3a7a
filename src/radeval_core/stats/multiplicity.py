"""Correct p-values for multiple tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return adjusted p-values in the given order; values up to q are significant at a false discovery rate of q.

    NaN (a test that could not be run) stays NaN and does not count as a test.
    """
    from scipy import stats  # slow to import

    values = np.array(p_values, dtype=np.float64)
    known = ~np.isnan(values)
    if known.any():
        values[known] = stats.false_discovery_control(values[known], method="bh")
    return [float(value) for value in values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's correction, in the given order."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted
