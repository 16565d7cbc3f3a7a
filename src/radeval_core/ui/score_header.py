"""Renders the headline score of a page with its direction, range and scale."""

from __future__ import annotations

from radeval_core.html_text import text
from radeval_core.metrics.spec import MetricSpec
from radeval_core.registry import MetricValue


def direction(value: MetricSpec | MetricValue) -> str:
    """Return "higher is better" or "lower is better"."""
    return "higher is better" if value.higher_is_better else "lower is better"


def headline(spec: MetricSpec, score: float | None, beside: str = "") -> str:
    """Render the score as HTML; the `value` of its `data` element has every digit.

    Args:
        spec: the metric.
        score: the headline; None if nothing could be scored.
        beside: further text, such as an interval.
    """
    shown = "not scored" if score is None else f"{score:.3f}"
    value = "" if score is None else repr(float(score))
    facts = " · ".join(filter(None, (f"{spec.arrow} {direction(spec)}", f"range {spec.range_text}", beside)))
    return (
        f'<div class="rv headline" role="status"><span class="name">{text(spec.name)}</span>'
        f'<data class="score" value="{value}">{shown}</data><span class="facts">{text(facts)}</span>'
        f"{_scale(spec, score)}</div>"
    )


def _scale(spec: MetricSpec, score: float | None) -> str:
    """Render where the score lies between worst and best, or nothing for a metric without two bounds."""
    low, high = spec.bounds
    if score is None or low is None or high is None:
        return ""
    place = 100 * (min(max(score, low), high) - low) / (high - low)
    ends = ("worst", "best") if spec.higher_is_better else ("best", "worst")
    return (
        f'<span class="scale" aria-hidden="true"><small>{low:g} {ends[0]}</small>'
        f'<span class="track"><i style="left:{place:.1f}%"></i></span><small>{high:g} {ends[1]}</small></span>'
    )
