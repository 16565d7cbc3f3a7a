"""Read films and their boxes: a table, COCO's JSON, or the publisher's files of Chest ImaGenome.

- A table (JSONL, CSV, Parquet, …) has a column `image` (a path, relative to the folder of the table) and a column
  `boxes`: `[{"region": "left lung", "box": [x1, y1, x2, y2]}, …]`, or an object of region to box as `ffl_rq` reads it.
  Optional columns: `patient`, and `split` (train, validation or test).
- COCO's JSON has `images` (`file_name`, optionally `patient` and `split`), `annotations` (`bbox`: x, y, width, height)
  and `categories` (`name`: a region).
- Chest ImaGenome comes without films: they are files `<image>.jpg` or `.png` anywhere in a second folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from radeval_core.data import chest_imagenome
from radeval_core.engine.images import image_size
from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.atlas import check_boxes
from radeval_core.findings.types import Box
from radeval_core.io.columns import ColumnFinder, Role
from radeval_core.io.film_columns import boxes_value, image_path, is_missing
from radeval_core.io.formats import TABLE_FORMATS, accepted_text, format_of, table_rows
from radeval_core.io.notes import Notes
from radeval_core.train.detector.films import SPLITS, TEST, Film

_IMAGES = (".jpg", ".jpeg", ".png")
#: other names of the splits
_SPLIT_NAMES = {"valid": "validation", "val": "validation", "dev": "validation", "training": "train"}


def read_films(data: Path, images: Path | None = None) -> tuple[list[Film], list[str]]:
    """Return the films of a source, and notes on what was not used.

    Args:
        data: a table, COCO's JSON, or the folder (or zip archive) of Chest ImaGenome.
        images: folder with the films of Chest ImaGenome; for COCO, the folder that file names are relative to.

    Raises:
        InputError: a film or a box is wrong; the message names the row.
    """
    if data.is_dir() or data.suffix == ".zip":
        return _chest_imagenome(data, images)
    if not data.is_file():
        raise InputError(f"--data {data}: no such file or folder")
    if data.suffix == ".json" and (content := _coco_content(data)) is not None:
        return list(_coco(data, content, images or data.parent)), []
    return list(_table(data)), []


def _table(path: Path) -> Iterator[Film]:
    if format_of(path) not in TABLE_FORMATS:
        raise InputError(f"{path}: cannot tell the format, the name must end in {accepted_text(TABLE_FORMATS)}")
    notes = Notes()
    roles = (Role("image", ""), Role("boxes", ""), *(Role(name, "", required=False) for name in ("patient", "split")))
    finder = ColumnFinder(roles, notes, hints=False)
    for where, row in table_rows(path, finder, notes):
        columns = finder.find(where, row)
        image = image_path(where, row, columns["image"], path.parent)
        if image is None:
            raise InputError(f"{where}: column {columns['image']!r} is empty: expected the path of a film")
        boxes = boxes_value(where, row, columns["boxes"])
        if boxes is None:
            raise InputError(f"{where}: column {columns['boxes']!r} is empty: expected the boxes of the film's regions")
        cells = {name: row.get(columns.get(name, "")) for name in ("patient", "split")}
        yield _film(where, image, boxes, cells)


def _film(where: str, image: str, boxes: Any, cells: Mapping[str, Any]) -> Film:
    """Return a film whose boxes are checked against its size."""
    width, height = image_size(image, where)
    checked = check_boxes(_by_region(where, boxes), width, height, f"{where}: boxes")
    if not checked:
        raise InputError(f"{where}: no box: expected at least one region")
    patient = cells.get("patient")
    return Film(where, image, width, height, checked, "" if is_missing(patient) else str(patient), _split(where, cells))


def _by_region(where: str, boxes: Any) -> dict[str, Any]:
    """Return the boxes of a film by region, from a list of objects or an object of boxes."""
    if isinstance(boxes, Mapping):
        return {region: box for region, box in boxes.items() if region != "size" and box is not None}
    if not isinstance(boxes, Sequence) or isinstance(boxes, str):
        kind = type(boxes).__name__
        raise InputError(f"{where}: boxes must be a list of {{'region', 'box'}} or an object, got {kind}")
    found: dict[str, Any] = {}
    for number, entry in enumerate(boxes):
        if not isinstance(entry, Mapping) or not {"region", "box"} <= set(entry):
            raise InputError(f"{where}: boxes[{number}] must have 'region' and 'box' ([x1, y1, x2, y2])")
        region = str(entry["region"])
        if region in found:
            raise InputError(f"{where}: boxes[{number}]: region {region!r} is given twice")
        found[region] = entry["box"]
    return found


def _split(where: str, cells: Mapping[str, Any]) -> str:
    value = cells.get("split")
    if is_missing(value) or value == "":
        return ""
    name = _SPLIT_NAMES.get(str(value).lower(), str(value).lower())
    if name not in SPLITS:
        raise InputError(f"{where}: {unknown_name('split', str(value), SPLITS)}")
    return name


def _coco_content(path: Path) -> dict[str, Any] | None:
    """Return the content of COCO's JSON; None for another JSON file."""
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON ({error})") from None
    wanted = ("images", "annotations", "categories")
    if not isinstance(content, dict) or not any(name in content for name in wanted):
        return None
    for name in wanted:
        entries = content.get(name)
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) and "id" in entry for entry in entries):
            raise InputError(f"{path}: expected a list {name!r} of objects with an 'id', as COCO has it")
    return content


def _coco(path: Path, content: Mapping[str, Any], folder: Path) -> Iterator[Film]:
    names = {category["id"]: category.get("name") for category in content["categories"]}
    found: dict[Any, list[dict[str, Any]]] = {entry["id"]: [] for entry in content["images"]}
    for number, entry in enumerate(content["annotations"]):
        where = f"{path}: annotations[{number}]"
        box = entry.get("bbox")
        if entry.get("image_id") not in found:
            raise InputError(f"{where}: its 'image_id' is not in 'images'")
        if entry.get("category_id") not in names:
            raise InputError(f"{where}: its 'category_id' is not in 'categories'")
        if not isinstance(box, list) or len(box) != 4 or not all(isinstance(v, int | float) for v in box):
            raise InputError(f"{where}: 'bbox' must be four numbers: x, y, width, height")
        corners = [box[0], box[1], box[0] + box[2], box[1] + box[3]]
        found[entry["image_id"]].append({"region": names[entry["category_id"]], "box": corners})
    for number, entry in enumerate(content["images"]):
        where = f"{path}: images[{number}]"
        image = image_path(where, entry, "file_name", folder)
        if image is None:
            raise InputError(f"{where}: 'file_name' is missing")
        yield _film(where, image, found[entry["id"]], entry)


def _chest_imagenome(source: Path, folder: Path | None) -> tuple[list[Film], list[str]]:
    """Return the films of the silver dataset in the publisher's splits, and those of the gold dataset as test films."""
    if folder is None:
        raise InputError(
            f"--data {source}: Chest ImaGenome has no films: give --images FOLDER, e.g. that of MIMIC-CXR-JPG"
        )
    tables = chest_imagenome.read(source)["images"]
    paths = _images_by_name(folder)
    gold = {row[key] for row in tables["gold"] for key in ("id", "patient")} - {""}
    films: list[Film] = []
    missing = leaked = outside = 0
    for part, rows in tables.items():
        for row in rows:
            where = f"{source}: {part} image {row['id']}"
            if part == "silver" and gold & {row["id"], row["patient"]}:
                leaked += 1
            elif row["id"] not in paths:
                missing += 1
            else:
                width, height = image_size(paths[row["id"]], where)
                given = json.loads(row["boxes"])
                boxes = _clipped(where, given, width, height)
                outside += len(given) - len(boxes)
                if boxes:
                    split = TEST if part == "gold" else row["origin"]
                    films.append(Film(where, paths[row["id"]], width, height, boxes, row["patient"], split))
    if not films:
        raise InputError(f"--images {folder}: has no film of {source}: expected files such as IMAGE_ID.jpg")
    counts = {
        f"images have no film in {folder}": missing,
        "silver images are of patients in the gold dataset, which is the test split": leaked,
        "boxes lie outside their film": outside,
    }
    return films, [f"not used: {count:,} {what}" for what, count in counts.items() if count]


def _images_by_name(folder: Path) -> dict[str, str]:
    """Return the image files anywhere in a folder by their name without the ending."""
    if not folder.is_dir():
        raise InputError(f"--images {folder}: no such folder")
    return {path.stem: str(path) for path in sorted(folder.rglob("*")) if path.suffix.lower() in _IMAGES}


def _clipped(where: str, boxes: Mapping[str, Sequence[float]], width: int, height: int) -> dict[str, Box]:
    """Return the publisher's boxes inside the film; some of them end outside it.

    Raises:
        InputError: most boxes lie outside: the film is not the one in whose pixels they are given.
    """
    found: dict[str, Box] = {}
    for region, (x1, y1, x2, y2) in boxes.items():
        right, bottom = min(x2, width), min(y2, height)
        if x1 < right and y1 < bottom:
            found[region] = (x1, y1, right, bottom)
    if 2 * len(found) < len(boxes):
        raise InputError(
            f"{where}: {len(boxes) - len(found)} of {len(boxes)} boxes lie outside the film of {width} x {height}: the "
            "boxes are in pixels of the original film, so give --images with films of the original size"
        )
    return found
