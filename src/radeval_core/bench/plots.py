"""Draw the plots of a benchmark's page, small enough that their letters are readable on a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from radeval_core.pictures import COLOURS, GRID, INK, PALE, new_figure
from radeval_core.stats.agreement import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLUE, _ORANGE = COLOURS[:2]
_SMALL, _TINY = 9, 8  # points


def dot_plot(rows: Mapping[str, Mapping[str, Any]], line: float | None = None, named: str = "") -> Figure:
    """Draw one dot with its 95 % interval per row, the highest value first.

    Args:
        rows: `value` and `ci95` by name.
        line: where to draw a dashed vertical line, such as the agreement between experts.
        named: label of the line.
    """
    ordered = sorted(rows.items(), key=lambda item: -item[1]["value"])
    places, values = range(len(ordered)), [row["value"] for _, row in ordered]
    figure = new_figure(380, 46 + 19 * len(ordered))
    axes = figure.subplots()
    intervals = [row["ci95"] or [row["value"]] * 2 for _, row in ordered]
    axes.hlines(places, *zip(*intervals, strict=True), color=_BLUE, alpha=0.5, linewidth=2.5)
    axes.plot(values, places, "o", color=_BLUE, markersize=5.5, zorder=3)
    axes.axvline(0, color=GRID, zorder=0)  # keep zero on the axis
    if line is not None:
        axes.axvline(line, color=_ORANGE, linestyle="--", linewidth=1.5)
        above = axes.get_xaxis_transform()
        axes.text(line, 1, f"{named} {line:.2f}", transform=above, ha="center", va="bottom", size=_TINY, color=PALE)
    axes.set_ylim(len(ordered) - 0.4, -0.6)
    axes.set_yticks(places, [name for name, _ in ordered], parse_math=False)
    numbers = axes.secondary_yaxis("right")
    numbers.set_yticks(places, [f"{value:.3f}" for value in values])
    for side in (axes, numbers):
        side.tick_params(axis="y", length=0, labelsize=_SMALL, labelcolor=INK)
        side.spines[:].set_visible(False)
    axes.tick_params(axis="x", length=0, labelsize=_TINY, labelcolor=PALE)
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)
    return figure


def severity_plot(settings: Mapping[str, Mapping[str, int]]) -> Figure:
    """Draw, per setting, the share of reports by the judge's severity minus the radiologist's. FineRadScore, figure 2.

    Args:
        settings: by setting, the number of reports for each difference from -4 to 4.
    """
    gaps = list(range(-4, 5))
    width = 0.8 / len(settings)
    figure = new_figure(380, 230)
    axes = figure.subplots()
    for i, (name, counts) in enumerate(settings.items()):
        reports = sum(counts.values()) or 1
        shares = [100 * counts.get(str(gap), 0) / reports for gap in gaps]
        places = [gap + (i - (len(settings) - 1) / 2) * width for gap in gaps]
        axes.bar(places, shares, width * 0.9, color=COLOURS[i % len(COLOURS)], label=name.replace("_", " "))
    axes.axvspan(-1.5, 1.5, color=GRID, alpha=0.5, zorder=0)
    above = axes.get_xaxis_transform()
    axes.text(0, 1.01, "within one category", transform=above, ha="center", va="bottom", size=_TINY, color=PALE)
    axes.set_xticks(gaps, ["0" if gap == 0 else f"{gap:+d}".replace("-", "\u2212") for gap in gaps])
    axes.set_xlabel("severity: judge minus radiologist", fontsize=_SMALL, color=INK)
    axes.set_ylabel("% of reports", fontsize=_SMALL, color=INK)
    _quiet(axes)
    if len(settings) > 1:
        axes.legend(fontsize=_TINY, frameon=False, loc="upper right", labelcolor=INK)
    return figure


def action_plot(actions: Mapping[str, int]) -> Figure:
    """Draw what radiologists did: shares of the lines, and reports with and without an insertion. Figure 6.

    Args:
        actions: number of lines by action, `reports` and `reports_with_insertion`.
    """
    lines = {"unchanged": actions["keep"], "deleted": actions["delete"], "rewritten": actions["rewrite"]}
    inserted = actions["reports_with_insertion"]
    reports = {"insertion": inserted, "none": actions["reports"] - inserted}
    figure = new_figure(380, 210)
    sides = figure.subplots(1, 2, width_ratios=[3, 2], sharey=True)
    for axes, (title, counts) in zip(sides, {"lines": lines, "reports": reports}.items(), strict=True):
        total = sum(counts.values())
        shares = [100 * count / (total or 1) for count in counts.values()]
        bars = axes.bar(range(len(counts)), shares, 0.65, color=_BLUE if title == "lines" else _ORANGE)
        axes.bar_label(bars, [str(count) for count in counts.values()], fontsize=_TINY, color=INK, padding=2)
        axes.set_xticks(range(len(counts)), list(counts))
        axes.set_title(f"{total} {title}", fontsize=_SMALL, color=INK)
        _quiet(axes)
    sides[0].set_ylim(0, 108)
    sides[0].set_ylabel("%", fontsize=_SMALL, color=INK)
    return figure


def discrimination_plot(points: Mapping[str, tuple[float, float]]) -> Figure:
    """Draw what metrics take off for harmless rewording against the significant errors they notice.

    Args:
        points: both as shares, by metric; the best place is at the top left.
    """
    figure = new_figure(380, 300)
    axes = figure.subplots()
    taken: list[tuple[float, float]] = []
    for name, (x, y) in sorted(points.items(), key=lambda item: -item[1][1]):
        axes.plot(100 * x, 100 * y, "o", color=_BLUE, markersize=5.5)
        height = 100 * y
        while any(abs(height - other) < 4.5 and abs(100 * x - place) < 20 for place, other in taken):
            height -= 1.0  # labels of near points are written below each other
        taken.append((100 * x, height))
        axes.annotate(name, (100 * x, height), (6, 0), textcoords="offset points", va="center", size=_TINY, color=INK,
                      parse_math=False)  # fmt: skip
    axes.set_xlabel("% taken off for harmless rewording", fontsize=_SMALL, color=INK)
    axes.set_ylabel("% of significant errors noticed", fontsize=_SMALL, color=INK)
    axes.margins(x=0.25, y=0.08)
    _quiet(axes)
    axes.grid(axis="x", color=GRID)
    return figure


def _quiet(axes: Axes) -> None:
    """Leave only what the eye needs: pale labels and horizontal lines."""
    axes.tick_params(length=0, labelsize=_TINY, labelcolor=INK)
    axes.spines[:].set_visible(False)
    axes.grid(axis="y", color=GRID)
    axes.set_axisbelow(True)


def scatter(x_values: Array, y_values: Array, x_label: str) -> Figure:
    """Draw one dot per point, larger if several pairs coincide; leave out pairs with NaN.

    Args:
        x_values: the experts' number for each pair.
        y_values: the metric's score of each pair.
        x_label: label of the experts' numbers.
    """
    points = np.column_stack([x_values, y_values])
    places = Counter(map(tuple, points[~np.isnan(points).any(axis=1)].tolist()))
    figure = new_figure(220, 180)
    axes = figure.subplots()
    areas = [9.0 * min(count, 12) for count in places.values()]
    axes.scatter([x for x, _ in places], [y for _, y in places], s=areas, color=_BLUE, alpha=0.45, linewidths=0)
    axes.set_xlabel(x_label, fontsize=_TINY, color=PALE, parse_math=False)
    axes.locator_params(nbins=5)
    axes.tick_params(length=2, labelsize=_TINY, labelcolor=PALE, color=PALE)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)
    return figure
