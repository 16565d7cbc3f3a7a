"""Renders the playground's results as HTML: one bar per metric, and a table of which metric notices which error.

Report text is always escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from radeval_core.html_text import text
from radeval_core.registry import get_spec
from radeval_core.score_scale import scale_text
from radeval_core.ui.playground.metric_readings import NOTICED, MetricReading, Noticed


def bars(readings: Sequence[MetricReading], before: Sequence[float] | None) -> str:
    """Render one bar per metric on the common scale, the best first, with the raw score beside it.

    Args:
        readings: the current scores.
        before: the scores before the last change on the common scale, drawn as ticks; None if there was no change.
    """
    order = sorted(range(len(readings)), key=lambda i: _nan_last(readings[i].goodness))
    rows = "".join(_bar(readings[i], before[i] if before else None) for i in order)
    ticks = "".join(f'<span style="left:{100 * t:g}%">{t:g}</span>' for t in (0, 0.25, 0.5, 0.75, 1))
    legend = '<p class="pg-note"><span class="pg-tick"></span> the score before the last change</p>' if before else ""
    return (
        f'<div class="pg-bars" role="list" aria-label="Every metric on one scale from 0 to 1">{rows}'
        f'<div class="pg-axis" aria-hidden="true"><span></span><div>{ticks}</div></div></div>{legend}'
    )


def _bar(reading: MetricReading, before: float | None) -> str:
    spec, value = get_spec(reading.metric), reading.goodness
    if math.isnan(value):
        words, drawn = "not scored", ""
    else:
        known = before is not None and not math.isnan(before)
        change = _change(value - before) if before is not None and known else ""
        words = f"<b>{value:.2f}</b>{change} <small>raw {_number(reading.raw)} {spec.arrow}</small>"
        drawn = f'<span class="pg-bar" style="width:{100 * value:.1f}%"></span>'
        drawn += (
            f'<span class="pg-before" style="left:{100 * before:.1f}%"></span>' if before is not None and known else ""
        )
    return (
        f'<div class="pg-row" role="listitem" title="{text(scale_text(spec))}"><span class="pg-name">{reading.metric}'
        f'</span><span class="pg-track">{drawn}</span><span class="pg-value">{words}</span></div>'
    )


def noticed_table(errors: Sequence[Noticed], metrics: Sequence[str]) -> str:
    """Render a table of how much each metric rises when only one error is corrected."""
    if not errors:
        return '<p class="pg-note">The findings parser sees no difference between the two reports.</p>'
    head = "".join(f'<th scope="col"><span>{m}</span></th>' for m in metrics)
    body = "".join(
        f'<tr><th scope="row">{_error(e)}</th>{"".join(_gain(e.gains[m]) for m in metrics)}</tr>' for e in errors
    )
    return (
        '<p class="pg-note">Each row is one error. A number shows how much a metric rises on the common scale when '
        "only that error is corrected. A dash means that the metric does not notice; a minus, that it gets worse.</p>"
        f'<div class="pg-scroll"><table class="pg-noticed"><thead><tr><th scope="col">error</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _error(error: Noticed) -> str:
    c = error.correction
    shown = f"<del>{text(c.before)}</del> " * bool(c.before) + f"<ins>{text(c.after)}</ins>" * bool(c.after)
    return f"{text(c.comment)}<br><small>{text(c.rating)}: {shown}</small>"


def _gain(gain: float) -> str:
    if math.isnan(gain):
        return "<td>?</td>"
    if abs(gain) < NOTICED:
        return '<td class="pg-none">–</td>'
    shade = min(1.0, 0.15 + abs(gain))
    kind = "pg-rise" if gain > 0 else "pg-fall"
    return f'<td class="{kind}" style="--shade:{shade:.2f}">{gain:+.2f}</td>'


def disagreement(readings: Sequence[MetricReading]) -> str:
    """Render a sentence that names the metrics with high and with low scores."""
    scored = sorted((r for r in readings if not math.isnan(r.goodness)), key=lambda r: -r.goodness)
    if not scored:
        return ""
    best, worst = scored[0], scored[-1]
    spread = best.goodness - worst.goodness
    if spread < 0.2:
        verdict = f"The metrics agree: all lie between {worst.goodness:.2f} and {best.goodness:.2f}."
    else:
        middle = (best.goodness + worst.goodness) / 2
        high = ", ".join(r.metric for r in scored if r.goodness >= middle)
        low = ", ".join(r.metric for r in scored if r.goodness < middle)
        verdict = f"The metrics disagree by {spread:.2f}. Higher: {high}. Lower: {low}."
    return f'<p class="pg-verdict">{verdict}</p>'


def _number(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:.2f}"


def _change(change: float) -> str:
    return f" {change:+.2f}" if abs(change) >= 0.005 else " ="


def _nan_last(value: float) -> float:
    return math.inf if math.isnan(value) else -value
