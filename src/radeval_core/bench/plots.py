"""Plots as SVG text: a dot plot with intervals, and a small scatter plot. Labels are escaped; colours are in the CSS.

Coordinates are chosen for a narrow screen: on a phone a plot is as wide as the page and its letters are still readable.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.stats.agreement import Array

_WIDTH, _LABEL, _ROW = 380, 104, 19


def dot_plot(
    rows: Mapping[str, Mapping[str, Any] | None], title: str, line: float | None = None, named: str = ""
) -> str:
    """A dot and an interval a row, the highest first.

    Args:
        rows: value and `ci95` by name; rows without a value are left out.
        title: what is shown, for people who cannot see it.
        line: where to draw a vertical line, such as the agreement between experts.
        named: what the line is.
    """
    known = {name: row for name, row in rows.items() if row is not None and row["value"] is not None}
    if not known:
        return ""
    ordered = sorted(known.items(), key=lambda item: -item[1]["value"])
    ends = [0.0, *(v for _, r in ordered for v in (r["value"], *(r["ci95"] or ())))]
    ticks = _ticks(min(ends), max([*ends, *([line] if line is not None else [])]))
    low, high = ticks[0], ticks[-1]

    def x(value: float) -> float:
        return round(_LABEL + 8 + (value - low) / (high - low) * (_WIDTH - _LABEL - 50), 1)

    top = 16 if line is not None else 4
    bottom = top + _ROW * len(ordered)
    parts = [f'<line class="grid" x1="{x(t)}" x2="{x(t)}" y1="{top}" y2="{bottom}"/>' for t in ticks]
    parts += [f'<text class="tick" x="{x(t)}" y="{bottom + 12}" text-anchor="middle">{t:g}</text>' for t in ticks]
    if line is not None:
        at = x(line)
        side = "end" if at > _WIDTH * 0.7 else "middle"
        parts.append(f'<line class="ceiling" x1="{at}" x2="{at}" y1="{top}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{at}" y="11" text-anchor="{side}">{_text(named)} {line:.2f}</text>')
    for i, (name, row) in enumerate(ordered):
        y = top + _ROW * i + _ROW / 2
        parts.append(f'<text x="{_LABEL}" y="{y + 4}" text-anchor="end">{_text(name)}</text>')
        if row["ci95"]:
            parts.append(
                f'<line class="interval" x1="{x(row["ci95"][0])}" x2="{x(row["ci95"][1])}" y1="{y}" y2="{y}"/>'
            )
        parts.append(f'<circle class="dot" cx="{x(row["value"])}" cy="{y}" r="4"/>')
        parts.append(f'<text class="value" x="{_WIDTH}" y="{y + 4}" text-anchor="end">{row["value"]:.3f}</text>')
    return _svg(_WIDTH, bottom + 16, title, parts)


def scatter(x_values: Array, y_values: Array, x_label: str, y_label: str) -> str:
    """Dots, larger where several fall on one place; pairs with NaN are left out."""
    points = [(x, y) for x, y in zip(x_values, y_values, strict=True) if not math.isnan(x + y)]
    if not points:
        return ""
    width, height, left, bottom = 200, 160, 34, 28
    spans = [_span([p[axis] for p in points]) for axis in (0, 1)]

    def place(point: tuple[float, float]) -> tuple[int, int]:
        fraction = [(value - low) / (high - low) for value, (low, high) in zip(point, spans, strict=True)]
        return round(left + 5 + fraction[0] * (width - left - 11)), round(height - bottom - 5 - fraction[1] * 118)

    counted = Counter(map(place, points))
    parts = [f'<path class="axis" d="M{left} 4V{height - bottom}H{width - 2}"/>']
    parts += [
        f'<circle class="point" cx="{cx}" cy="{cy}" r="{min(2 * math.sqrt(count), 7):.1f}"/>'
        for (cx, cy), count in sorted(counted.items())
    ]
    (x_low, x_high), (y_low, y_high) = spans
    corners = [
        (left + 4, height - 17, "start", f"{x_low:g}"),
        (width - 4, height - 17, "end", f"{x_high:g}"),
        (left - 3, height - bottom - 2, "end", f"{round(y_low, 2):g}"),
        (left - 3, 12, "end", f"{round(y_high, 2):g}"),
    ]
    parts += [f'<text class="tick" x="{x}" y="{y}" text-anchor="{a}">{text}</text>' for x, y, a, text in corners]
    parts.append(
        f'<text class="tick" x="{(left + width) // 2}" y="{height - 4}" text-anchor="middle">{_text(x_label)}</text>'
    )
    return _svg(width, height, f"{y_label} against {x_label}", parts)


def _svg(width: int, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height:g}" role="img" aria-label="{_text(title)}">'
        f"<title>{_text(title)}</title>{''.join(parts)}</svg>"
    )


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers that enclose both."""
    step = next((s for s in (0.1, 0.2, 0.25, 0.5, 1.0) if (high - low) / s <= 6), (high - low) / 5 or 1.0)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]


def _text(text: str) -> str:
    return html.escape(text, quote=True)
