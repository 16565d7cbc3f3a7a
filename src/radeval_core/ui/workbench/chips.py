"""Renders the metrics as chips: one row per metric with its place on the common scale, for one or two candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence

from radeval_core.html_text import text
from radeval_core.registry import get_spec
from radeval_core.score_scale import scale_text
from radeval_core.ui.sheet.marks import SEVERITIES, Sheet
from radeval_core.ui.workbench.metric_readings import MetricReading

#: from this place on the scale a metric calls a report good
_HIGH = 0.8
#: the lowest severity of an error that a good score hides
_SEVERE = 3


def chips(a: Sequence[MetricReading], b: Sequence[MetricReading], key: str = "") -> str:
    """Render one chip per metric, the best of candidate A first.

    Args:
        a: the scores of candidate A.
        b: those of candidate B; empty if there is none.
        key: identifies the texts that were scored, see `text_key`.
    """
    others = {reading.metric: reading for reading in b}
    ordered = sorted(a, key=lambda reading: _nan_last(reading.goodness))
    rows = "".join(_chip(reading, others.get(reading.metric)) for reading in ordered)
    ticks = "".join(f'<span style="left:{100 * t:g}%">{t:g}</span>' for t in (0, 0.5, 1))
    legend = '<span class="wb-a">▬ A</span> <span class="wb-b">▬ B</span> · ' if b else ""
    return (
        f'<div class="wb-chips" data-key="{text(key)}"><div class="wb-axis" aria-hidden="true"><span></span>'
        f'<div>{ticks}</div><span></span></div><div role="group" aria-label="Every metric on one scale from 0 to 1">'
        f'{rows}</div><p class="wb-note">{legend}0 is a report with nothing right, 1 an identical one. '
        "Click a metric to see why.</p></div>"
    )


def _chip(a: MetricReading, b: MetricReading | None) -> str:
    spec = get_spec(a.metric)
    sides = [("a", a), *([("b", b)] if b else [])]
    bars = "".join(
        f'<i class="wb-{side}" style="width:{100 * r.goodness:.1f}%"></i>'
        for side, r in sides
        if not math.isnan(r.goodness)
    )
    values = "".join(
        f'<span class="wb-{side}"><span class="rs-hidden">candidate {side.upper()} </span>{_value(r)}</span>'
        for side, r in sides
    )
    return (
        f'<button type="button" class="wb-chip" data-metric="{a.metric}" title="scale: {text(scale_text(spec))}">'
        f'<span class="wb-name">{a.metric} '
        f'<small>{spec.arrow}</small></span><span class="wb-track">{bars}</span><span class="wb-values">{values}</span>'
        "</button>"
    )


def _value(reading: MetricReading) -> str:
    if math.isnan(reading.raw):
        return "not scored"
    return (
        f'<b>{reading.goodness:.2f}</b><span class="rs-hidden"> of 1, score</span> <small>{short(reading.raw)}</small>'
    )


def short(value: float) -> str:
    """Return a raw score in few digits."""
    return "none" if math.isnan(value) else f"{value:.3g}" if abs(value) >= 100 else f"{value:.2f}"


def verdict(readings: Sequence[MetricReading], sheet: Sheet) -> str:
    """Render what a reader should see first: a good score over a severe error, or how far the metrics agree."""
    scored = sorted((r for r in readings if not math.isnan(r.goodness)), key=lambda r: -r.goodness)
    if not scored:
        return '<p class="wb-verdict">No metric could score this pair.</p>'
    best, worst = scored[0], scored[-1]
    severe = [mark for mark in sheet.errors if mark.severity >= _SEVERE]
    fooled = [r for r in scored if r.goodness >= _HIGH and r.goodness < 1 - 1e-9]
    if severe and fooled:
        lowest = f", {worst.metric} {worst.goodness:.2f}" if worst.goodness < _HIGH else ""
        what = f"{SEVERITIES[severe[0].severity].capitalize()} error: {severe[0].label}"
        return f'<p class="wb-verdict">{fooled[0].metric} says {fooled[0].goodness:.2f}{lowest}. {text(what)}.</p>'
    spread = best.goodness - worst.goodness
    if spread < 0.2:
        words = f"The metrics agree: all lie between {worst.goodness:.2f} and {best.goodness:.2f}."
    else:
        words = (
            f"The metrics disagree by {spread:.2f}: {best.metric} says {best.goodness:.2f}, {worst.metric} "
            f"{worst.goodness:.2f}."
        )
    return f'<p class="wb-verdict">{words}</p>'


def text_key(*texts: str) -> str:
    """Return a short key of texts that workbench.js computes too: FNV-1a over UTF-16, to know what is out of date."""
    key = 0x811C9DC5
    for written in texts:
        units = f"{written}\x00".encode("utf-16-le", "surrogatepass")
        for low, high in zip(units[::2], units[1::2], strict=True):
            key = ((key ^ (low | high << 8)) * 0x01000193) & 0xFFFFFFFF
    return f"{key:08x}"


def _nan_last(value: float) -> float:
    return math.inf if math.isnan(value) else -value
