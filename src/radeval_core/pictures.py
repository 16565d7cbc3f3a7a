"""Draw plots with matplotlib as PNG.

Figures are plain objects. pyplot and its global state are never used, so several threads can draw at once.
The same data gives the same bytes. matplotlib is imported when the first figure is made.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from radeval_core.html_text import text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Okabe and Ito's colours, the yellow darkened for a white page: people with any colour vision can tell them apart
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9")
INK, PALE, GRID = "#1d2733", "#5a6775", "#e4e4e4"
_DPI = 100


def new_figure(width: float, height: float) -> Figure:
    """Return an empty white figure.

    Args:
        width: width in CSS pixels.
        height: height in CSS pixels.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure, scale: float = 1) -> bytes:
    """Return the figure as a PNG file.

    Args:
        figure: what to draw.
        scale: pixels of the file per CSS pixel.
    """
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=_DPI * scale, metadata={"Software": None})
    return file.getvalue()


def img(figure: Figure, alt: str) -> str:
    """Return the figure as an HTML image that needs no other file, sharp on screens with two pixels per CSS pixel.

    Args:
        figure: what to draw.
        alt: what the picture shows, for people who cannot see it.
    """
    width, height = (round(_DPI * inches) for inches in figure.get_size_inches())
    data = base64.b64encode(png(figure, scale=2)).decode("ascii")
    return f'<img width="{width}" height="{height}" alt="{text(alt)}" src="data:image/png;base64,{data}">'
