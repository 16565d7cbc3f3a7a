"""The number of a page, large, with its direction, range and place on the scale."""

from __future__ import annotations

from radeval_core.spec import MetricSpec
from radeval_core.ui.views.marks import text


def direction(spec: MetricSpec) -> str:
    """Which way is better, in words."""
    return "higher is better" if spec.higher_is_better else "lower is better"


def headline(spec: MetricSpec, score: float | None, beside: str = "") -> str:
    """The score as HTML; the element `data` carries every digit.

    Args:
        spec: the metric.
        score: the headline; None if nothing could be scored.
        beside: further words, such as an interval.
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
    """Where the score lies between the bounds, if it has two; the good end is named."""
    low, high = spec.bounds
    if score is None or low is None or high is None:
        return ""
    place = 100 * (min(max(score, low), high) - low) / (high - low)
    ends = ("worst", "best") if spec.higher_is_better else ("best", "worst")
    return (
        f'<span class="scale" aria-hidden="true"><small>{low:g} {ends[0]}</small>'
        f'<span class="track"><i style="left:{place:.1f}%"></i></span><small>{high:g} {ends[1]}</small></span>'
    )
