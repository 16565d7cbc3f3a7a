"""The 36 regions of Chest ImaGenome: names, boxes on a standard film, and checks of boxes from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from numbers import Real
from types import MappingProxyType
from typing import Any

import yaml

from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.structures import Box


@cache
def _file() -> dict[str, Any]:
    text = resources.files("radeval_core.findings").joinpath("atlas.yaml").read_text("utf-8")
    content: dict[str, Any] = yaml.safe_load(text)
    return content


def atlas_version() -> int:
    """Raised whenever a box of the atlas moves."""
    return int(_file()["version"])


@cache
def standard_atlas() -> Mapping[str, Box]:
    """The box of each region on a standard frontal film, as shares of its width and height."""
    return MappingProxyType(check_boxes(_file()["regions"], 1, 1, "atlas"))


@cache
def region_names() -> tuple[str, ...]:
    """The names of the 36 regions."""
    return tuple(_file()["regions"])


@cache
def paired_regions() -> frozenset[str]:
    """What the regions that exist on both sides, and only there, are called without their side."""
    names = set(region_names())
    left = {name.removeprefix("left ") for name in names if name.startswith("left ")}
    return frozenset(base for base in left if f"right {base}" in names and base not in names)


def region_name(name: Any, where: str = "boxes") -> str:
    """The region of that name; letter case, underscores and hyphens do not matter.

    Raises:
        InputError: there is no such region.
    """
    if not isinstance(name, str):
        raise InputError(f"{where}: the name of a region must be a string, got {type(name).__name__}")
    plain = plain_name(name)
    if plain not in region_names():
        error = unknown_name("region", plain, region_names())
        raise InputError(f"{where}: {error}")
    return plain


def plain_name(name: str) -> str:
    """A name in lower case, its words separated by single spaces."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def check_boxes(
    boxes: Any, width: float | None = None, height: float | None = None, where: str = "boxes"
) -> dict[str, Box]:
    """The boxes of one image by the regions' own names, if all of them can be used.

    Args:
        boxes: region to [left, top, right, bottom], in one unit for all.
        width: the image's width in that unit; None where it is not known.
        height: the image's height in that unit; None where it is not known.
        where: what messages call the boxes, e.g. `boxes[3]`.

    Raises:
        InputError: a region is unknown or named twice, or a box is not four numbers, has no area, or leaves the image.
    """
    if not isinstance(boxes, Mapping):
        raise InputError(f"{where} must be a dict of region to [x1, y1, x2, y2], got {type(boxes).__name__}")
    checked: dict[str, Box] = {}
    for given, box in boxes.items():
        name = region_name(given, where)
        if name in checked:
            raise InputError(f"{where}: region {name!r} is given twice")
        checked[name] = check_box(box, width, height, f"{where}[{name!r}]")
    return checked


def check_box(box: Any, width: float | None, height: float | None, where: str) -> Box:
    """The box as four floats, if it has an area and lies in the image."""
    if not isinstance(box, Sequence) and hasattr(box, "tolist"):
        box = box.tolist()
    if not isinstance(box, Sequence) or isinstance(box, str) or len(box) != 4 or not all(map(_is_number, box)):
        raise InputError(f"{where} must be four numbers [x1, y1, x2, y2], got {_shown(box)}")
    x1, y1, x2, y2 = (float(value) for value in box)
    shown = _shown(box)
    if x2 <= x1 or y2 <= y1:
        raise InputError(f"{where} is degenerate: {shown}; x1 < x2 and y1 < y2 must hold (left, top, right, bottom)")
    if x1 < 0 or y1 < 0 or (width is not None and x2 > width) or (height is not None and y2 > height):
        size = f" of {width:g} x {height:g}" if width is not None and height is not None else ""
        raise InputError(f"{where} lies outside the image{size}: {shown}")
    return x1, y1, x2, y2


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _shown(box: Any) -> str:
    if isinstance(box, Sequence) and not isinstance(box, str) and len(box) <= 6 and all(map(_is_number, box)):
        return "[" + ", ".join(f"{value:g}" for value in box) + "]"
    return f"{len(box)} values" if isinstance(box, (list, tuple)) and len(box) != 4 else type(box).__name__
