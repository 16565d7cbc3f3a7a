"""Maps every metric, and every part of one, to one scale: 1 is the score of identical reports, 0 is nothing right.

Pages use the scale to draw metrics side by side, and rewards to add them up. It keeps each metric's order of candidates
and does not say which metric is right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from radeval_core.errors import InputError
from radeval_core.metrics.spec import MetricSpec
from radeval_core.registry import get_spec, metric_value


@dataclass(frozen=True)
class Scale:
    """A map of a metric's values to the scale from 0 to 1.

    Attributes:
        worst: the value that becomes 0; for errors, the value that becomes 0.5.
        best: the value that becomes 1.
        errors: True for a count or sum of errors without a maximum: 1 / (1 + distance from `best` / that of `worst`).
    """

    worst: float
    best: float
    errors: bool = False

    def __call__(self, value: float) -> float:
        """Return a value on the scale; NaN for an unscored pair. Values beyond `worst` and `best` become 0 and 1."""
        if math.isnan(value):
            return value
        lost = (self.best - value) / (self.best - self.worst)
        return 1 / (1 + max(0.0, lost)) if self.errors else min(1.0, max(0.0, 1 - lost))

    @property
    def formula(self) -> str:
        """Return the map as a formula of `x`, for a table."""
        if self.errors:
            return "1 / (1 + x)" if self.worst == 1 else f"1 / (1 + x / {self.worst:g})"
        if (self.worst, self.best) == (0, 1):
            return "x"
        return f"linear from {self.worst:.4g} to {self.best:.4g}"


def goodness(spec: MetricSpec, value: float) -> float:
    """Map the score of a metric to the scale from nothing right (0) to identical (1); NaN for an unscored pair."""
    return headline_scale(spec)(value)


def headline_scale(spec: MetricSpec) -> Scale:
    """Return the scale of a metric's score.

    - a metric with two bounds: linear between them;
    - radcliq and bertscore: linear between the score of an empty candidate and that of an identical one;
    - fineradscore and chexprompt, sums of errors without a maximum: 1 / (1 + sum / N) with the sum N of an empty
      candidate. For fineradscore N is 4: one emergent error (severity 4) gives 0.5.
    """
    low, high = spec.bounds
    if low is not None and high is not None:
        return Scale(low, high) if spec.higher_is_better else Scale(high, low)
    # if two empty reports count as identical, the metric counts errors: an empty candidate is bad, but not the worst
    return Scale(spec.empty.prediction, spec.identity, errors=spec.empty.both == spec.identity)


def scale_of(name: str) -> Scale:
    """Return the scale of a metric or of METRIC.PART.

    Raises:
        InputError: no such metric or part, or no scale is stated for the part.
    """
    named = metric_value(name)
    if not named.is_part:
        return headline_scale(get_spec(name))
    stated = _stated().get(named.metric, {}).get(named.key)
    if stated is None:
        raise InputError(f"no scale from 0 to 1 is stated for {name}: add it to radeval_core/score_scale.yaml")
    if isinstance(stated, dict):
        return Scale(float(stated["half"]), 0.0, errors=True)
    worst, best = map(float, stated)
    return Scale(worst, best)


@cache
def _stated() -> dict[str, dict[str, Any]]:
    text = resources.files("radeval_core").joinpath("score_scale.yaml").read_text("utf-8")
    stated: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return stated


def scale_text(spec: MetricSpec) -> str:
    """Describe the scale of one metric in words."""
    low, high = spec.bounds
    if low is not None and high is not None:
        return f"{low:g} to {high:g}" + ("" if spec.higher_is_better else ", reversed")
    scale = headline_scale(spec)
    if scale.errors:
        return f"1 / (1 + score / {abs(scale.worst - scale.best):g})"
    return f"{scale.worst:.3g} (nothing in common) to {scale.best:.3g} (identical)"
