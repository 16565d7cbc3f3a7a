"""The 36 regions of Chest ImaGenome: names, boxes on a standard film, and checks of boxes given by a user."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.types import Box

#: the two reports of a pair, as keys of their boxes
SIDES = ("prediction", "reference")


@cache
def _file() -> dict[str, Any]:
    text = resources.files("radeval_core.findings").joinpath("atlas.yaml").read_text("utf-8")
    content: dict[str, Any] = yaml.safe_load(text)
    return content


def atlas_version() -> int:
    """Return the version of the atlas. It goes up whenever a box moves."""
    return int(_file()["version"])


@cache
def standard_atlas() -> Mapping[str, Box]:
    """Return the box of each region on a standard frontal film, as fractions of its width and height."""
    return MappingProxyType(check_boxes(_file()["regions"], 1, 1, "atlas"))


@cache
def region_names() -> tuple[str, ...]:
    """Return the names of the 36 regions."""
    return tuple(_file()["regions"])


@cache
def paired_regions() -> frozenset[str]:
    """Return the names, without side, of the regions that exist only as a left and a right one."""
    names = set(region_names())
    left = {name.removeprefix("left ") for name in names if name.startswith("left ")}
    return frozenset(base for base in left if f"right {base}" in names and base not in names)


def region_name(name: Any, where: str = "boxes") -> str:
    """Return the standard name of a region; letter case, underscores and hyphens do not matter.

    Raises:
        InputError: the region is unknown.
    """
    if not isinstance(name, str):
        raise InputError(f"{where}: a region's name must be a string, got {type(name).__name__}")
    plain = plain_name(name)
    if plain not in region_names():
        error = unknown_name("region", plain, region_names())
        raise InputError(f"{where}: {error}")
    return plain


def plain_name(name: str) -> str:
    """Return a name in lower case, with single spaces between its words."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def check_boxes(
    boxes: Any, width: float | None = None, height: float | None = None, where: str = "boxes"
) -> dict[str, Box]:
    """Check the boxes of one image and return them by the standard names of their regions.

    Args:
        boxes: region to [left, top, right, bottom], all in the same unit.
        width: the image's width in that unit, or None if unknown.
        height: the image's height in that unit, or None if unknown.
        where: how error messages name the boxes, e.g. `boxes[3]`.

    Raises:
        InputError: a region is unknown or given twice, or a box is not four numbers, has no area, or leaves the image.
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


class PairBoxes(NamedTuple):
    """The boxes that ground the findings of each report of a pair."""

    prediction: Mapping[str, Box]
    reference: Mapping[str, Box]


def pair_boxes(given: Any, where: str) -> PairBoxes:
    """Return the checked boxes of a pair.

    Args:
        given: region to [x1, y1, x2, y2] for both reports, with an optional `size`, [width, height] of the image, which
            the boxes must lie in; or such a dict under `prediction` and another under `reference`. A region that is
            None has no box, as in a table with one column per region.
        where: how error messages name the boxes, e.g. `boxes[3]`.
    """
    if isinstance(given, Mapping) and given.keys() & set(SIDES):
        if given.keys() != set(SIDES):
            raise InputError(f"{where} must have 'prediction' and 'reference', or regions for both reports")
        return PairBoxes(*(_image_boxes(given[side], f"{where}[{side!r}]") for side in SIDES))
    boxes = _image_boxes(given, where)
    return PairBoxes(boxes, boxes)


def _image_boxes(given: Any, where: str) -> dict[str, Box]:
    """Return the checked boxes of one image; an optional `size` entry gives its width and height."""
    size = given.get("size") if isinstance(given, Mapping) else None
    if size is None:
        width = height = None
    elif isinstance(size, Sequence) and len(size) == 2 and all(_is_number(v) and v > 0 for v in size):
        width, height = size
    else:
        raise InputError(f"{where}['size'] must be [width, height] of the image, two numbers above 0")
    if isinstance(given, Mapping):
        given = {region: box for region, box in given.items() if region != "size" and box is not None}
    return check_boxes(given, width, height, where)


def check_box(box: Any, width: float | None, height: float | None, where: str) -> Box:
    """Check that a box has an area and lies inside the image, and return it as four floats."""
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
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    return bool(abs(value) <= sys.float_info.max)  # type: ignore[operator]


def _shown(box: Any) -> str:
    if isinstance(box, Sequence) and not isinstance(box, str) and len(box) <= 6 and all(map(_is_number, box)):
        return "[" + ", ".join(f"{value:g}" for value in box) + "]"
    return f"{len(box)} values" if isinstance(box, (list, tuple)) and len(box) != 4 else type(box).__name__
