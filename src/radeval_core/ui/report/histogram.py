"""Draw how the scores of a metric are distributed, as a small SVG histogram with its axis in HTML."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from radeval_core.html_text import text
from radeval_core.metrics.base import Array
from radeval_core.metrics.spec import MetricSpec

#: number of bars, and height of the drawing in its own units
_BARS, _HEIGHT = 20, 60
#: whole numbers get one bar each if there are at most this many
_MOST_WHOLE = 30


class Bins(NamedTuple):
    """Number of pairs per bar, and the edges of the bars."""

    counts: list[int]
    edges: list[float]
    whole: bool


def bins_of(scores: Array, spec: MetricSpec) -> Bins:
    """Count scores: over the metric's range if it has two bounds, else from the lowest to the highest score."""
    low, high = spec.bounds
    lowest, highest = float(scores.min()), float(scores.max())
    if bool((scores == np.round(scores)).all()) and (low is None or high is None) and highest - lowest < _MOST_WHOLE:
        edges = np.arange(lowest, highest + 2) - 0.5
        return Bins(np.histogram(scores, edges)[0].tolist(), edges.tolist(), True)
    low, high = (lowest, highest) if low is None or high is None else (low, high)
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(scores, _BARS, (low, high))
    return Bins(counts.tolist(), edges.tolist(), False)


def histogram(scores: Array, spec: MetricSpec) -> str:
    """Return the histogram of the scored pairs, with the ends of its axis and the quartiles in words."""
    known = scores[~np.isnan(scores)]
    if not len(known):
        return '<p class="note">No pair was scored.</p>'
    bins = bins_of(known, spec)
    digits = 0 if bins.whole else 2
    quarter, median, three_quarters = np.percentile(known, [25, 50, 75])
    middle = (
        f"median {median:.{digits or 1}f}, middle half {quarter:.{digits or 1}f} to {three_quarters:.{digits or 1}f}"
    )
    most = max(bins.counts)
    bars = "".join(_bar(bins, i, _HEIGHT * count / most, digits) for i, count in enumerate(bins.counts) if count)
    width = 10 * len(bins.counts)
    place = width * (float(median) - bins.edges[0]) / (bins.edges[-1] - bins.edges[0])
    ends = ("worst", "best") if spec.higher_is_better else ("best", "worst")
    first, last = (bins.edges[0] + 0.5, bins.edges[-1] - 0.5) if bins.whole else (bins.edges[0], bins.edges[-1])
    return (
        f'<svg class="histogram" viewBox="0 0 {width} {_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{text(spec.name)}: {text(middle)}">{bars}'
        f'<line x1="{place:.1f}" x2="{place:.1f}" y1="0" y2="{_HEIGHT}"/></svg>'
        f'<div class="axis"><span>{first:.{digits}f} {ends[0]}</span><span>{last:.{digits}f} {ends[1]}</span></div>'
        f'<p class="note">{text(middle)}</p>'
    )


def _bar(bins: Bins, bar: int, height: float, digits: int) -> str:
    return (
        f'<rect x="{10 * bar + 0.5}" y="{_HEIGHT - height:.1f}" width="9" height="{height:.1f}">'
        f"<title>{text(_bar_text(bins, bar, digits))}</title></rect>"
    )


def _bar_text(bins: Bins, bar: int, digits: int) -> str:
    count = f"{bins.counts[bar]:,} pair{'' if bins.counts[bar] == 1 else 's'}"
    if bins.whole:
        return f"{bins.edges[bar] + 0.5:.0f}: {count}"
    return f"{bins.edges[bar]:.{digits}f} to {bins.edges[bar + 1]:.{digits}f}: {count}"
