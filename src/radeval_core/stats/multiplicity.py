"""p-values of several tests at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given: those at most q are findings at a false discovery rate of q.

    A NaN (a test that could not be made) stays one and does not count as a test.
    """
    from scipy import stats  # slow to import

    values = np.array(p_values, dtype=np.float64)
    made = ~np.isnan(values)
    if made.any():
        values[made] = stats.false_discovery_control(values[made], method="bh")
    return [float(value) for value in values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction for several tests: adjusted p-values in the order given."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted
