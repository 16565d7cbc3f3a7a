"""Draw a map of errors as PNG: one dot per error sentence of a test set; close dots have a similar meaning.

It follows appendix A.5 of the GREEN paper, with PCA instead of t-SNE: the same sentences always give the same map.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from radeval_core.errors import InputError
from radeval_core.judges.green.analysis import TITLES
from radeval_core.judges.green.clusters import Vectors, cluster
from radeval_core.pictures import COLOURS, GRID, INK, PALE, new_figure, png

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: one shape per category, so that colour is never the only difference
_SHAPES = "os^DPX"
_SMALLEST, _LARGEST = 130, 1600  # area of a dot, in square points
_CAPTIONS, _CAPTION_LETTERS = 16, 52
_LETTERS, _TITLE = 11, 14  # points
#: the legend has room for at least this many lines; letters per line and per heading
_LEGEND_LINES, _LEGEND_LETTERS, _HEADING_LETTERS = 36, 64, 54
#: possible places of a caption: right of its dot, left, above, below
_PLACES: tuple[tuple[int, int, Literal["left", "center", "right"], Literal["bottom", "center", "top"]], ...] = (
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
)


@dataclass(frozen=True)
class ErrorPlot:
    """A drawing.

    Attributes:
        png: the content of a PNG file.
    """

    png: bytes

    def save(self, path: str | Path) -> Path:
        """Write the drawing to a file, whose name must end in .png."""
        target = Path(path)
        if target.suffix.lower() != ".png":
            raise InputError(f"the drawing is a PNG file: give a name that ends in .png, not {target.name!r}")
        target.write_bytes(self.png)
        return target

    def _repr_png_(self) -> bytes:
        """Return what notebooks show."""
        return self.png


@dataclass(frozen=True)
class _Dot:
    text: str
    category: int
    count: int
    x: float
    y: float

    @property
    def area(self) -> float:
        return min(_SMALLEST * self.count, _LARGEST)

    @property
    def radius(self) -> float:
        """Return the radius in points."""
        return self.area**0.5 / 2


def draw_errors(texts: Sequence[Sequence[str]], vectors: Sequence[Vectors]) -> ErrorPlot:
    """Draw the error sentences of the six categories; frequent sentences have large dots.

    Args:
        texts: sentences by category, repeated as often as they occur.
        vectors: one vector per sentence, by category.
    """
    figure = new_figure(1800, 1120)
    figure.set_layout_engine("none")
    total = sum(map(len, texts))
    figure.text(0.03, 0.955, f"Clinically significant errors: {total:,}", size=21, color=INK)
    note = "One dot per distinct sentence; frequent ones have larger dots. Close dots have a similar meaning (PCA)."
    figure.text(0.03, 0.925, note, size=_LETTERS + 1, color=PALE)
    _draw_map(figure.add_axes((0.03, 0.05, 0.6, 0.85)), _dots(texts, vectors))
    _draw_legend(figure.add_axes((0.645, 0.05, 0.345, 0.85)), texts, vectors)
    return ErrorPlot(png(figure))


def _dots(texts: Sequence[Sequence[str]], vectors: Sequence[Vectors]) -> list[_Dot]:
    """Return one dot per distinct sentence of a category."""
    counts = Counter((i, text) for i, of_category in enumerate(texts) for text in of_category)
    vector = {(i, t): v for i, of_category in enumerate(texts) for t, v in zip(of_category, vectors[i], strict=True)}
    keys = sorted(counts)
    if not keys:
        return []
    places = _flat(np.stack([vector[key] for key in keys]))
    return [_Dot(t, i, counts[i, t], float(x), float(y)) for (i, t), (x, y) in zip(keys, places, strict=True)]


def _flat(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return two coordinates per vector, each between 0 and 1; a single sentence is in the middle."""
    places = np.full((len(vectors), 2), 0.5)
    size = min(2, len(vectors) - 1, vectors.shape[1])
    if size < 1:
        return places
    found = PCA(size, svd_solver="full").fit_transform(vectors.astype(np.float64))
    for axis in range(size):
        low, high = found[:, axis].min(), found[:, axis].max()
        if high - low > 1e-9:
            places[:, axis] = (found[:, axis] - low) / (high - low)
    return places


def _draw_map(axes: Axes, dots: Sequence[_Dot]) -> None:
    axes.set(xlim=(-0.06, 1.06), ylim=(-0.06, 1.06), xticks=(0.25, 0.5, 0.75), yticks=(0.25, 0.5, 0.75))
    axes.tick_params(length=0, labelleft=False, labelbottom=False)
    axes.grid(color=GRID)
    axes.set_axisbelow(True)
    axes.spines[:].set_color("#b0b0b0")
    by_size = sorted(dots, key=lambda dot: (-dot.area, dot.category))  # draw small dots on top
    for (area, category), alike in groupby(by_size, key=lambda dot: (dot.area, dot.category)):
        xs, ys = zip(*((dot.x, dot.y) for dot in alike), strict=True)
        axes.scatter(xs, ys, s=area, color=COLOURS[category], marker=_SHAPES[category], alpha=0.8, edgecolors="white")
    _draw_captions(axes, dots)


def _draw_captions(axes: Axes, dots: Sequence[_Dot]) -> None:
    """Write the most frequent sentences beside their dots, if there is room."""
    from matplotlib.transforms import Bbox

    covered: list[Bbox] = []
    taken: list[Bbox] = []
    for dot in dots:
        (x, y), radius = axes.transData.transform((dot.x, dot.y)), dot.radius * axes.figure.dpi / 72
        covered.append(Bbox([[x - radius, y - radius], [x + radius, y + radius]]))
    often = sorted(dots, key=lambda dot: (-dot.count, dot.category, dot.text))
    for dot in often[: 4 * _CAPTIONS]:
        most = min(dot.count // 2, 3)  # the more frequent a sentence, the more dots its caption may cover
        away = dot.radius + 5
        for allowed, (right, up, side, edge) in product(range(most + 1), _PLACES):
            caption = axes.annotate(
                textwrap.shorten(dot.text, _CAPTION_LETTERS, placeholder=" …"),
                (dot.x, dot.y),
                (right * away, up * away),
                textcoords="offset points",
                horizontalalignment=side,
                verticalalignment=edge,
                size=_LETTERS,
                color=INK,
                parse_math=False,
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.7, "linewidth": 0},
            )
            box = caption.get_window_extent()
            inside = axes.bbox.contains(*box.min) and axes.bbox.contains(*box.max)
            if inside and not box.count_overlaps(taken) and box.count_overlaps(covered) <= allowed:
                taken.append(box)
                break
            caption.remove()
        if len(taken) == _CAPTIONS:
            return


def _draw_legend(axes: Axes, texts: Sequence[Sequence[str]], vectors: Sequence[Vectors]) -> None:
    """List the categories, each with the sentences that represent it best."""
    axes.axis("off")
    line = 0.5
    for i, (title, of_category, at) in enumerate(zip(TITLES, texts, vectors, strict=True)):
        representatives = cluster(of_category, at).representatives
        axes.scatter(0.03, line, s=260, color=COLOURS[i], marker=_SHAPES[i])
        heading = textwrap.wrap(f"{title}: {len(of_category):,}", _HEADING_LETTERS)
        sentences = [_lines(found.text) for found in representatives]
        for words in heading:
            axes.text(0.07, line, words, size=_TITLE, color=INK if sentences else PALE, va="center")
            line += 1
        for words in (words for lines in sentences for words in lines):
            axes.text(0.07, line, words, size=_LETTERS + 1, color=PALE, va="center", parse_math=False)
            line += 0.9
        line += 0.8
    axes.set(xlim=(0, 1), ylim=(max(line, _LEGEND_LINES), 0))


def _lines(sentence: str) -> list[str]:
    """Return a sentence as a bullet of at most two lines."""
    return textwrap.wrap(
        sentence, _LEGEND_LETTERS, initial_indent="• ", subsequent_indent="   ", max_lines=2, placeholder=" …"
    )
