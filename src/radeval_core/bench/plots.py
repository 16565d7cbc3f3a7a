"""Draw the plots of a benchmark's page, small enough that their letters are readable on a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from radeval_core.pictures import COLOURS, GRID, INK, PALE, new_figure
from radeval_core.stats.agreement import Array

if TYPE_CHECKING:
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
