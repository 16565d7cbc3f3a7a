"""A map of errors: every error sentence of a test set as a dot, near to others of like meaning, as PNG.

It follows appendix A.5 of the GREEN paper, with PCA in place of t-SNE: the same sentences give the same map.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from radeval_core.errors import InputError, needs_extra
from radeval_core.findings.structures import Box
from radeval_core.judges.green.analysis import TITLES
from radeval_core.judges.green.clusters import Vectors, cluster

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

#: Okabe and Ito's colours: told apart with every kind of colour vision; letters tell them apart in print
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9")
_WIDTH, _HEIGHT, _MARGIN = 1800, 1120, 60
_MAP = 1120  # width of the map; the legend has the rest
_INK, _PALE, _GRID = "#222222", "#666666", "#e4e4e4"
_SMALLEST, _LARGEST = 12, 36  # radius of a dot
_CAPTIONS, _CAPTION_LETTERS = 16, 52


@dataclass(frozen=True)
class ErrorPlot:
    """A drawing, as a Pillow image."""

    image: Any

    def save(self, path: str | Path) -> Path:
        """Write the drawing to a file, whose name must end in .png."""
        target = Path(path)
        if target.suffix.lower() != ".png":
            raise InputError(f"the drawing is a PNG file: give a name that ends in .png, not {target.name!r}")
        self.image.save(target, "PNG", optimize=True)
        return target

    def _repr_png_(self) -> bytes:
        """For notebooks."""
        data: bytes = self.image._repr_png_()
        return data


@dataclass(frozen=True)
class _Dot:
    text: str
    category: int
    count: int
    x: float
    y: float

    @property
    def radius(self) -> float:
        return min(_SMALLEST * self.count**0.5, _LARGEST)

    @property
    def box(self) -> Box:
        return self.x - self.radius, self.y - self.radius, self.x + self.radius, self.y + self.radius


def draw_errors(texts: Sequence[Sequence[str]], vectors: Sequence[Vectors]) -> ErrorPlot:
    """Draw the error sentences of the six categories; a sentence that occurs often has a large dot.

    Args:
        texts: sentences by category, one an occurrence.
        vectors: a vector a sentence, by category.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise needs_extra("models", "drawing a map of errors") from error
    image = Image.new("RGB", (_WIDTH, _HEIGHT), "#ffffff")
    draw = ImageDraw.Draw(image, "RGBA")
    fonts = {size: ImageFont.load_default(size) for size in (16, 18, 20, 30)}
    total = sum(map(len, texts))
    draw.text((_MARGIN, 28), f"Clinically significant errors: {total:,}", _INK, fonts[30])
    note = "one dot a distinct sentence, larger where it occurs often; near to each other: like meaning (PCA)"
    draw.text((_MARGIN, 70), note, _PALE, fonts[18])
    _frame(draw)
    dots = _dots(texts, vectors)
    for dot in sorted(dots, key=lambda d: -d.radius):  # small ones on top
        draw.ellipse(dot.box, fill=_COLOURS[dot.category] + "c8", outline="#ffffff", width=2)
        draw.text((dot.x, dot.y - 1), "abcdef"[dot.category], "#ffffff", fonts[16], anchor="mm")
    _captions(draw, dots, fonts[16])
    shown = [cluster(of_category, at) for of_category, at in zip(texts, vectors, strict=True)]
    y = 120.0
    for i, (title, found) in enumerate(zip(TITLES, shown, strict=True)):
        y = _legend(draw, fonts, y, i, f"{title}: {len(texts[i]):,}", [r.text for r in found.representatives])
    return ErrorPlot(image)


def _dots(texts: Sequence[Sequence[str]], vectors: Sequence[Vectors]) -> list[_Dot]:
    """One dot a distinct sentence of a category, placed inside the map."""
    counts = Counter((i, text) for i, of_category in enumerate(texts) for text in of_category)
    vector = {(i, t): v for i, of_category in enumerate(texts) for t, v in zip(of_category, vectors[i], strict=True)}
    keys = sorted(counts)
    if not keys:
        return []
    places = _flat(np.stack([vector[key] for key in keys]))
    room = _LARGEST + 12
    left, top, right, bottom = _MARGIN + room, 110 + room, _MAP - room, _HEIGHT - _MARGIN - room
    xs, ys = left + places[:, 0] * (right - left), top + places[:, 1] * (bottom - top)
    return [_Dot(t, i, counts[i, t], float(x), float(y)) for (i, t), x, y in zip(keys, xs, ys, strict=True)]


def _flat(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Two coordinates between 0 and 1 a vector; a single sentence lies in the middle."""
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


def _captions(draw: ImageDraw, dots: Sequence[_Dot], font: Any) -> None:
    """What the most frequent sentences say, beside their dots, where there is room."""
    taken: list[Box] = []
    for dot in sorted(dots, key=lambda d: (-d.count, d.category, d.text)):
        if len(taken) == _CAPTIONS:
            break
        text = dot.text if len(dot.text) <= _CAPTION_LETTERS else dot.text[: _CAPTION_LETTERS - 1].rstrip() + "…"
        width, away = draw.textlength(text, font), dot.radius + 6
        centres = (
            (dot.x + away + width / 2, dot.y),
            (dot.x - away - width / 2, dot.y),
            (dot.x, dot.y - away - 8),
            (dot.x, dot.y + away + 8),
        )
        boxes = [(x - width / 2 - 4, y - 11, x + width / 2 + 4, y + 11) for x, y in centres]
        free = [box for box in boxes if box[0] > _MARGIN and box[2] < _MAP and not _hits(box, taken)]
        covered = [_hits(box, [other.box for other in dots if other is not dot]) for box in free]
        if covered and min(covered) <= min(dot.count // 2, 3):  # the more frequent, the more dots it may cover
            box = free[covered.index(min(covered))]
            draw.rounded_rectangle(box, 5, fill="#ffffffb4")
            draw.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2 - 1), text, _INK, font, anchor="mm")
            taken.append(box)


def _hits(box: Box, others: Sequence[Box]) -> int:
    """How many of the others a box overlaps."""
    return sum(box[0] < o[2] and o[0] < box[2] and box[1] < o[3] and o[1] < box[3] for o in others)


def _frame(draw: ImageDraw) -> None:
    top, bottom = 110, _HEIGHT - _MARGIN
    for share in (0.25, 0.5, 0.75):
        x, y = _MARGIN + share * (_MAP - _MARGIN), top + share * (bottom - top)
        draw.line((x, top, x, bottom), _GRID, 1)
        draw.line((_MARGIN, y, _MAP, y), _GRID, 1)
    draw.rectangle((_MARGIN, top, _MAP, bottom), outline="#b0b0b0", width=2)


def _legend(
    draw: ImageDraw, fonts: dict[int, Any], y: float, category: int, title: str, sentences: Sequence[str]
) -> float:
    """One category in the legend, with its most representative sentences; returns where the next begins."""
    x = _MAP + 40
    draw.ellipse((x, y, x + 30, y + 30), fill=_COLOURS[category])
    draw.text((x + 15, y + 15), "abcdef"[category], "#ffffff", fonts[20], anchor="mm")
    room = _WIDTH - _MARGIN // 2 - x - 42
    for line in _wrapped(draw, title, fonts[20], room, 2):
        draw.text((x + 42, y + 3), line, _INK if sentences else _PALE, fonts[20])
        y += 26
    for sentence in sentences:
        for i, line in enumerate(_wrapped(draw, sentence, fonts[18], room - 18, 2)):
            if i == 0:
                draw.ellipse((x + 46, y + 11, x + 52, y + 17), fill=_COLOURS[category])
            draw.text((x + 60, y + 3), line, _PALE, fonts[18])
            y += 23
    return y + 22


def _wrapped(draw: ImageDraw, text: str, font: Any, room: float, most: int) -> list[str]:
    """The text in at most so many lines that fit, the rest left out."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or draw.textlength(longer, font) <= room:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] += " …"
            break
        else:
            lines.append(word)
    return lines
