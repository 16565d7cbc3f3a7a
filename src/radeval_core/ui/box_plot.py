"""Draw the locations of the findings of two reports as SVG: boxes over a standard chest or over the film."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radeval_core.engine.images import open_image
from radeval_core.errors import InputError
from radeval_core.findings.atlas import check_box, standard_atlas
from radeval_core.findings.types import Box
from radeval_core.html_text import text

#: Okabe and Ito's blue and orange, which differ for every kind of colour vision; in print the line style differs
_SIDES = (("reference", "#0072B2", "#ffffff", ""), ("candidate", "#E69F00", "#000000", "14 8"))
#: width of the drawing, and height of the legend under it
_WIDTH, _LEGEND = 1000, 56
_FONT = 20
#: widths of unusual letters as a share of the font size; all others count as 0.56
_LETTER_WIDTHS = {**dict.fromkeys(" ,.:;'!|ijlft()[]-/r", 0.33), **dict.fromkeys("mwMW%@", 0.88)}
#: region, fill, and outline as a path inside the region's box, whose corners are 0,0 and 1,1
_SHAPES = (
    ("spine", "#dcdcdc", "M.1 0L.9 0L.9 1L.1 1Z"),
    ("right lung", "#e9eef2", "M.66 0C.4 .01 .15 .24 .07 .55C.02 .75 0 .88 0 1C.14 .88 .42 .81 .66 .84"
     "C.78 .85 .88 .87 .98 .9L.98 .3C.98 .18 .98 .1 .92 .05C.84 0 .75 0 .66 0Z"),
    ("left lung", "#e9eef2", "M.34 0C.6 .01 .85 .24 .93 .55C.98 .75 1 .88 1 1C.92 .9 .82 .86 .68 .86"
     "L.02 .9L.02 .3C.02 .18 .02 .1 .08 .05C.16 0 .25 0 .34 0Z"),
    ("cardiac silhouette", "#d5dce2", "M.34 0C.16 .06 .02 .34 0 .62C0 .86 .12 .98 .4 .98C.66 1 .92 1 .99 .9"
     "C1.02 .7 .82 .36 .64 .12C.56 .02 .44 0 .34 0Z"),
    ("aortic arch", "#d5dce2", "M0 1L0 .1C.3 -.05 .8 0 .95 .4C1 .6 .9 .9 .8 1Z"),
    ("trachea", "#f7f7f7", "M.15 0L.85 0L.85 .85L1.5 1.06L1.2 1.12L.5 .98L-.2 1.12L-.5 1.06L.15 .85Z"),
    ("right clavicle", "none", "M0 .1C.25 .45 .35 .2 .55 .5C.75 .8 .85 .8 1 .95"),
    ("left clavicle", "none", "M1 .1C.75 .45 .65 .2 .45 .5C.25 .8 .15 .8 0 .95"),
)  # fmt: skip


@dataclass(frozen=True)
class BoxPlot:
    """A drawing.

    Attributes:
        svg: the drawing as SVG text that needs no other file.
    """

    svg: str

    def save(self, path: str | Path) -> Path:
        """Write the drawing to a file, whose name must end in .svg."""
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise InputError(f"the drawing is an SVG file: give a name that ends in .svg, not {target.name!r}")
        target.write_text(self.svg, encoding="utf-8")
        return target

    def _repr_svg_(self) -> str:
        """Return the drawing for notebooks."""
        return self.svg


def draw_boxes(
    reference_boxes: Mapping[str, Sequence[float]],
    candidate_boxes: Mapping[str, Sequence[float]],
    image: Any = None,
    size: tuple[float, float] | None = None,
    label_size: int = _FONT,
    legend: bool = True,
) -> BoxPlot:
    """Draw the boxes of both reports: the reference in blue with solid lines, the candidate in orange with dashed ones.

    Args:
        reference_boxes: [x1, y1, x2, y2] by label, such as the name of a region.
        candidate_boxes: the same for the candidate.
        image: the film as path or PIL image, with the boxes in its pixels; a standard chest by default.
        size: width and height that the boxes refer to, if there is no image; by default the boxes are shares of
            width and height, as in the standard atlas.
        label_size: size of the labels; the drawing is 1,000 wide.
        legend: False to leave out the legend below the drawing.
    """
    film = None if image is None else open_image(image, "image")
    width, height = film.size if film else (size or (1.0, 1.0))
    if not (math.isfinite(width) and math.isfinite(height) and width > 0 and height > 0):
        raise InputError(f"size must be a width and a height above 0, got {width:g} x {height:g}")
    tall = round(_WIDTH * height / width)
    scale = (_WIDTH / width, tall / height)
    drawn = [
        (label, _scaled(check_box(box, width, height, f"{side}_boxes[{label!r}]"), scale), style)
        for (side, *style), boxes in zip(_SIDES, (reference_boxes, candidate_boxes), strict=True)
        for label, box in boxes.items()
    ]
    background = _film(film, tall) if film else _outline(tall)
    below = _LEGEND if legend else 0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {tall + below}" width="{_WIDTH}" '
        f'height="{tall + below}" font-family="Helvetica, Arial, sans-serif" font-size="{label_size}">',
        f"<title>Locations of findings: {len(reference_boxes)} boxes of the reference, {len(candidate_boxes)} of the "
        "candidate</title>",
        f'<rect width="{_WIDTH}" height="{tall + below}" fill="#ffffff"/>',
        *background,
        *(line for _, box, style in drawn for line in _frame(box, *style)),
        *_chips(drawn, tall, label_size),
        *(_legend(tall) if legend else ()),
        "</svg>",
    ]
    return BoxPlot("\n".join(parts) + "\n")


def _scaled(box: Box, scale: tuple[float, float]) -> Box:
    return box[0] * scale[0], box[1] * scale[1], box[2] * scale[0], box[3] * scale[1]


def _film(film: Any, tall: int) -> Iterator[str]:
    """Yield the film as an image embedded in the SVG."""
    buffer = io.BytesIO()
    film.save(buffer, "PNG")
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    yield f'<image width="{_WIDTH}" height="{tall}" preserveAspectRatio="none" href="data:image/png;base64,{data}"/>'


def _outline(tall: int) -> Iterator[str]:
    """Yield a simple chest: each shape is stretched over its region of the atlas."""
    atlas = standard_atlas()
    body = "M.36 0C.36 .06 .2 .05 .1 .1C.02 .14 .01 .3 .03 .45C.06 .65 .05 .85 .06 1L.94 1C.95 .85 .94 .65 .97 .45"
    body += "C.99 .3 .98 .14 .9 .1C.8 .05 .64 .06 .64 0Z"
    for region, fill, path in ((None, "#f7f7f7", body), *_SHAPES):
        x1, y1, x2, y2 = _scaled(atlas[region] if region else (0, 0, 1, 1), (_WIDTH, tall))
        yield (
            f'<path transform="translate({x1:.1f} {y1:.1f}) scale({x2 - x1:.1f} {y2 - y1:.1f})" d="{path}" '
            f'fill="{fill}" stroke="#9a9a9a" stroke-width="2" vector-effect="non-scaling-stroke"/>'
        )


def _frame(box: Box, colour: str, _: str, dashes: str) -> Iterator[str]:
    """Yield a box with a light edge that keeps it visible on dark films."""
    x1, y1, x2, y2 = box
    place = f'x="{x1:.1f}" y="{y1:.1f}" width="{x2 - x1:.1f}" height="{y2 - y1:.1f}"'
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    edge = "" if dashes else ' stroke="#ffffff" stroke-opacity="0.7" stroke-width="8"'
    yield f'<rect {place} fill="{colour}" fill-opacity="0.10"{edge}/>'
    yield f'<rect {place} fill="none" stroke="{colour}" stroke-width="4"{dashed}/>'


def _chips(drawn: list[tuple[str, Box, list[str]]], tall: int, size: int) -> Iterator[str]:
    """Yield the labels, each at a corner of its box where it covers no other label, if possible."""
    taken: list[Box] = []
    for label, box, (colour, text_colour, _) in drawn:
        width = size * sum(_LETTER_WIDTHS.get(letter, 0.56) for letter in label) + 18
        chip = _place(box, width, size * 1.4, tall, taken)
        taken.append(chip)
        x, y = chip[:2]
        box_size = f'width="{chip[2] - x:.1f}" height="{size * 1.4:g}"'
        yield f'<rect x="{x:.1f}" y="{y:.1f}" {box_size} rx="4" fill="{colour}"/>'
        yield f'<text x="{x + 7:.1f}" y="{y + size:.1f}" fill="{text_colour}">{text(label)}</text>'


def _place(box: Box, width: float, chip_height: float, tall: int, taken: list[Box]) -> Box:
    """Return the place of a label: above, below or inside its box, at the left or right end; else further down."""
    x1, y1, x2, y2 = box
    rows = [y1 - chip_height - 2, y2 + 2, y1 + 2, y2 - chip_height - 2]
    rows += [y1 + 2 + step * (chip_height + 2) for step in range(1, 1 + int(tall // (chip_height + 2)))]
    chips = []
    for y in rows:
        for x in (x1, x2 - width):
            x, y = min(max(x, 0.0), max(_WIDTH - width, 0.0)), min(max(y, 0.0), max(tall - chip_height, 0.0))
            chips.append((x, y, x + width, y + chip_height))
    return next((chip for chip in chips if not any(_overlap(chip, other) for other in taken)), chips[0])


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _legend(tall: int) -> Iterator[str]:
    for i, (side, colour, _, dashes) in enumerate(_SIDES):
        x, y = 20 + 210 * i, tall + _LEGEND / 2
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        yield f'<line x1="{x}" y1="{y}" x2="{x + 60}" y2="{y}" stroke="{colour}" stroke-width="5"{dashed}/>'
        yield f'<text x="{x + 72}" y="{y + 7}" fill="#222222">{side}</text>'
    note = "the patient's left is on the right"
    yield f'<text x="{_WIDTH - 20}" y="{tall + _LEGEND / 2 + 7}" text-anchor="end" fill="#666666">{note}</text>'
