"""Draw a scored pair as a PNG picture: the marked-up candidate, its errors, and every score with its signature.

The picture is made in memory and never written to disk. Fonts are those that matplotlib ships.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.error_categories import in_words
from radeval_core.page_style import colour_sets
from radeval_core.registry import get_spec
from radeval_core.ui.sheet.drawing import SIGNS, summary
from radeval_core.ui.sheet.marks import SEVERITIES, Sheet
from radeval_core.ui.sheet.rows import Row, page_rows
from radeval_core.ui.workbench.chips import short
from radeval_core.ui.workbench.metric_readings import MetricReading

if TYPE_CHECKING:
    from PIL import ImageDraw

#: width of the picture and of its margin, in pixels; drawn at twice the size of a screen
_WIDTH, _MARGIN = 1600, 60
#: the tallest picture; a longer report is cut, and the picture says so
_TALLEST = 8000
_WORDS = tuple[str, str, bool]  # a word, its colour, and if it is struck


class _Pen:
    """Writes on a picture from the top down."""

    def __init__(self) -> None:
        from PIL import Image, ImageDraw

        self.colours = {name.removeprefix("--rv-"): value for name, value in colour_sets()["light"].items()}
        self.image = Image.new("RGB", (_WIDTH, _TALLEST), self.colours["card"])
        self.draw: ImageDraw.ImageDraw = ImageDraw.Draw(self.image)
        self.y = float(_MARGIN)
        self.full = False
        self._fonts: dict[tuple[str, int], Any] = {}

    def font(self, name: str, size: int) -> Any:
        from matplotlib import get_data_path
        from PIL import ImageFont

        key = name, size
        if key not in self._fonts:
            file = Path(get_data_path()) / "fonts" / "ttf" / f"DejaVu{name}.ttf"
            self._fonts[key] = ImageFont.truetype(str(file), size)
        return self._fonts[key]

    def words(self, words: Sequence[_WORDS], font: Any, left: int, leading: float = 1.5) -> tuple[float, float]:
        """Write words with line breaks; return where the first line begins and the last ends."""
        height, space = font.size * leading, font.getlength(" ")
        top, x = self.y, float(left)
        for word, colour, struck in words:
            width = min(font.getlength(word), _WIDTH - _MARGIN - left)
            if x > left and x + width > _WIDTH - _MARGIN:
                x, self.y = float(left), self.y + height
            if self.y + height > _TALLEST - _MARGIN:
                self.full = True
                break
            self.draw.text((x, self.y), word, font=font, fill=self.colours[colour])
            if struck:
                middle = self.y + font.size * 0.68
                self.draw.line((x, middle, x + width, middle), fill=self.colours[colour], width=3)
            x += width + space
        self.y += height
        return top, self.y

    def line(self, text: str, font: Any, colour: str = "ink", left: int = _MARGIN) -> None:
        self.words([(word, colour, False) for word in text.split()], font, left)


def pair_picture(candidates: Sequence[tuple[str, Sheet, Sequence[MetricReading]]], version: str) -> bytes:
    """Return the picture of a pair, or of two candidates of one reference, as a PNG file.

    Args:
        candidates: name, sheet and scores of each candidate.
        version: the version of this package, for the head of the picture.
    """
    pen = _Pen()
    pen.line("radeval workbench", pen.font("Sans-Bold", 34))
    pen.line(f"radeval_core {version}. Every metric in its embedded config.", pen.font("Sans", 22), "soft")
    for name, sheet, readings in candidates:
        pen.y += 24
        pen.line(f"{name}: {summary(sheet)}", pen.font("Sans-Bold", 28))
        _draw_sheet(pen, sheet)
        _draw_scores(pen, readings)
    pen.y += 20
    pen.line("Signatures", pen.font("Sans-Bold", 24))
    for reading in candidates[0][2]:
        pen.line(reading.signature.replace("|", " |"), pen.font("SansMono", 18), "strong")
    if pen.full:
        pen.draw.text((_MARGIN, _TALLEST - 46), "cut: the report is too long for a picture", fill=pen.colours["s4"],
                      font=pen.font("Sans-Bold", 26))  # fmt: skip
    file = io.BytesIO()
    pen.image.crop((0, 0, _WIDTH, min(_TALLEST, int(pen.y) + _MARGIN))).save(file, "PNG", optimize=True)
    return file.getvalue()


def data_url(picture: bytes) -> str:
    """Return a PNG file as an address that contains it."""
    return f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"


def _draw_sheet(pen: _Pen, sheet: Sheet) -> None:
    font = pen.font("Serif", 28)
    for row in page_rows(sheet):
        severity = max((sheet.marks[p.number - 1].severity for p in row.edits), default=0)
        top, end = pen.words(list(_row_words(row, sheet)), font, _MARGIN + 60)
        if severity:
            pen.draw.rectangle((_MARGIN, top, _MARGIN + 3 * severity, end - 6), fill=pen.colours[f"s{severity}"])
            pen.draw.text((_MARGIN + 18, top + 4), SIGNS[severity], font=pen.font("Sans-Bold", 24),
                          fill=pen.colours[f"s{severity}"])  # fmt: skip
    pen.y += 10
    for number, mark in enumerate(sheet.errors, 1):
        words = f"{number} {SIGNS[mark.severity]} {SEVERITIES[mark.severity]}, {in_words(mark.category)}: {mark.label}"
        pen.line(words, pen.font("Sans", 22), f"s{mark.severity}")


def _row_words(row: Row, sheet: Sheet) -> Iterator[_WORDS]:
    at = row.start
    for placed in row.edits:
        colour = f"s{sheet.marks[placed.number - 1].severity}"
        yield from ((word, "ink", False) for word in sheet.text[at : placed.edit.start].split())
        yield from ((word, colour, True) for word in sheet.text[placed.edit.start : placed.edit.end].split())
        yield from ((word, colour, False) for word in placed.edit.right.split())
        yield f"[{placed.number}]", colour, False
        at = max(at, placed.edit.end)
    yield from ((word, "ink", False) for word in sheet.text[at : row.end].split())


def _draw_scores(pen: _Pen, readings: Sequence[MetricReading]) -> None:
    """Draw the metrics in two columns: name, bar on the common scale, score."""
    font, half = pen.font("Sans", 22), (_WIDTH - 2 * _MARGIN) // 2
    ordered = sorted(readings, key=lambda r: math.inf if math.isnan(r.goodness) else -r.goodness)
    rows = math.ceil(len(ordered) / 2)
    top = pen.y + 14
    for place, reading in enumerate(ordered):
        x, y = _MARGIN + half * (place // rows), top + 36 * (place % rows)
        if y + 36 > _TALLEST - _MARGIN:
            pen.full = True
            break
        pen.draw.text((x, y), f"{reading.metric} {get_spec(reading.metric).arrow}", font=font, fill=pen.colours["ink"])
        pen.draw.rectangle((x + 190, y + 5, x + 470, y + 25), fill=pen.colours["track"])
        if not math.isnan(reading.goodness):
            end = x + 190 + 280 * reading.goodness
            pen.draw.rectangle((x + 190, y + 5, end, y + 25), fill=pen.colours["metric"])
        value = "not scored" if math.isnan(reading.raw) else f"{reading.goodness:.2f}  ({short(reading.raw)})"
        pen.draw.text((x + 485, y), value, font=font, fill=pen.colours["ink"])
    pen.y = top + 36 * rows
