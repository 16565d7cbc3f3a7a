"""Draw the curves of a training run from its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.io import write_atomically
from radeval_core.pictures import COLOURS, GRID, INK, PALE, new_figure, png
from radeval_core.train.run_folder import read_log

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = "curves.png"


def curves(log: Sequence[Mapping[str, Any]], measures: Mapping[str, str] | None = None) -> Figure:
    """Draw the loss and, beside it, what was measured on held-out data.

    Args:
        log: lines with `step` and any of `loss`, `eval_loss` and the measures.
        measures: label of each measure by its name in the log.
    """
    measured = {name: label for name, label in (measures or {}).items() if any(name in line for line in log)}
    figure = new_figure(420 * (2 if measured else 1), 280)
    panels = figure.subplots(1, 2 if measured else 1, squeeze=False)[0]
    _draw(panels[0], log, {"loss": "training", "eval_loss": "held out"}, "loss")
    if measured:
        _draw(panels[1], log, measured, "held out")
    return figure


def write_curves(folder: Path, measures: Mapping[str, str] | None = None) -> Path:
    """Draw the curves of a run into its folder."""
    path = folder / CURVES
    data = png(curves(read_log(folder), measures), scale=2)

    def write(part: Path) -> None:
        part.write_bytes(data)

    write_atomically(path, write)
    return path


def _draw(axes: Any, log: Sequence[Mapping[str, Any]], lines: Mapping[str, str], title: str) -> None:
    for (name, label), colour in zip(lines.items(), COLOURS * len(lines), strict=False):
        points = [(line["step"], line[name]) for line in log if name in line]
        if points:
            steps, values = zip(*points, strict=True)
            axes.plot(steps, values, marker="o" if len(points) < 40 else None, markersize=3, color=colour, label=label)
    axes.set_title(title, fontsize=10, color=INK, loc="left")
    axes.set_xlabel("step", fontsize=9, color=PALE)
    axes.tick_params(length=0, labelsize=8, labelcolor=PALE)
    axes.grid(color=GRID)
    axes.spines[:].set_visible(False)
    if axes.lines:
        axes.legend(fontsize=8, frameon=False, labelcolor=INK)
