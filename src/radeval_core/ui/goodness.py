"""Every metric on one scale: 1 is the score of a report compared with itself, 0 that of a report with nothing right.

The scale is for the eye. It keeps each metric's order of candidates, and says nothing about which metric is right.
"""

from __future__ import annotations

import math

from radeval_core.spec import MetricSpec


def goodness(spec: MetricSpec, value: float) -> float:
    """Where a score lies between nothing right (0) and identical (1); NaN for an unscored pair.

    - a metric with two bounds: linear between them;
    - radcliq and bertscore: linear between the score of an empty candidate and that of an identical one;
    - fineradscore, a sum without a highest value: 1 / (1 + sum / 4), so that one emergent error is worth one half.
    """
    if math.isnan(value):
        return value
    low, high = spec.bounds
    if low is not None and high is not None:
        share = (value - low) / (high - low)
        return min(1.0, max(0.0, share if spec.higher_is_better else 1 - share))
    missed, whole = abs(value - spec.identity), abs(spec.empty.prediction - spec.identity)
    if spec.empty.both == spec.identity:  # it counts errors: an empty candidate is bad, but not the worst
        return 1 / (1 + missed / whole)
    return min(1.0, max(0.0, 1 - missed / whole))


def scale_text(spec: MetricSpec) -> str:
    """The same in words, for one metric."""
    low, high = spec.bounds
    if low is not None and high is not None:
        return f"{low:g} to {high:g}" + ("" if spec.higher_is_better else ", turned round")
    if spec.empty.both == spec.identity:
        return f"1 / (1 + score / {abs(spec.empty.prediction - spec.identity):g})"
    return f"{spec.empty.prediction:.3g} (nothing in common) to {spec.identity:.3g} (identical)"
