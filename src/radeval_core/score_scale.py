"""Maps every metric to one scale: 1 is the score of identical reports, 0 the score of a report with nothing right.

Pages show it, and optimisers that need a number from 0 to 1 use it. It keeps each metric's order of candidates and does
not say which metric is right.
"""

from __future__ import annotations

import math

from radeval_core.metrics.spec import MetricSpec


def goodness(spec: MetricSpec, value: float) -> float:
    """Map a score to the scale from nothing right (0) to identical (1); NaN for an unscored pair.

    - a metric with two bounds: linear between them;
    - radcliq and bertscore: linear between the score of an empty candidate and that of an identical one;
    - fineradscore, a sum without a maximum: 1 / (1 + sum / 4), so that one emergent error (severity 4) gives 0.5.
    """
    if math.isnan(value):
        return value
    low, high = spec.bounds
    if low is not None and high is not None:
        share = (value - low) / (high - low)
        return min(1.0, max(0.0, share if spec.higher_is_better else 1 - share))
    distance, whole = abs(value - spec.identity), abs(spec.empty.prediction - spec.identity)
    if spec.empty.both == spec.identity:  # an error count: an empty candidate is bad, but not the worst
        return 1 / (1 + distance / whole)
    return min(1.0, max(0.0, 1 - distance / whole))


def scale_text(spec: MetricSpec) -> str:
    """Describe the scale of one metric in words."""
    low, high = spec.bounds
    if low is not None and high is not None:
        return f"{low:g} to {high:g}" + ("" if spec.higher_is_better else ", reversed")
    if spec.empty.both == spec.identity:
        return f"1 / (1 + score / {abs(spec.empty.prediction - spec.identity):g})"
    return f"{spec.empty.prediction:.3g} (nothing in common) to {spec.identity:.3g} (identical)"
