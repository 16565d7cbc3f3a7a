"""Convert estimates to plain values for JSON. Undefined values become null."""

from __future__ import annotations

import math
from typing import Any

from radeval_core.stats.agreement import Estimate, EstimateDifference


def plain(estimate: Estimate) -> dict[str, Any]:
    """Return value, 95 % interval and n."""
    return {
        "value": number(estimate.value),
        "ci95": list(estimate.ci95) if estimate.ci95 else None,
        "n": estimate.n,
    }


def plain_difference(gap: EstimateDifference) -> dict[str, Any]:
    """Return value, 95 % interval and p-values."""
    return {
        "value": number(gap.value),
        "ci95": list(gap.ci95) if gap.ci95 else None,
        "p_first_higher": number(gap.p_first_higher),
        "p_second_higher": number(gap.p_second_higher),
        "p": number(gap.p),
    }


def number(value: float) -> float | None:
    """Return a float, or None for NaN."""
    return None if math.isnan(value) else float(value)
