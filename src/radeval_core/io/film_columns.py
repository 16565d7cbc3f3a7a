"""Read what a table says about the film of a pair: the column `image`, a path, and the column `boxes`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.findings.atlas import pair_boxes
from radeval_core.findings.phrase_boxes import check_phrases, is_phrases
from radeval_core.io.columns import ColumnFinder, Role
from radeval_core.io.formats import TABLE_FORMATS, accepted_text, format_of, table_rows
from radeval_core.io.json_table import DECODER
from radeval_core.io.notes import Notes


def is_missing(value: Any) -> bool:
    """Return True for an empty cell of a table: null or NaN."""
    return value is None or value != value  # NaN is the only value that is not equal to itself


def image_path(where: str, row: Mapping[str, Any], column: str | None, folder: Path) -> str | None:
    """Return the path of a row's image; None if it has none.

    Args:
        where: file and line, for errors.
        row: the cells by column.
        column: the column of images, if there is one.
        folder: the folder of the table, which paths are relative to.
    """
    value = None if column is None else row.get(column)
    if is_missing(value) or value == "":
        return None
    if not isinstance(value, str):
        kind = type(value).__name__
        raise InputError(f"{where}: column {column!r} must be the path of an image file, got {kind}")
    path = folder / value
    if not path.is_file():
        raise InputError(f"{where}: column {column!r}: no such file; a path is relative to the folder of the table")
    return str(path)


def boxes_cell(where: str, row: Mapping[str, Any], column: str | None) -> Any:
    """Return the checked boxes of a row, also if the cell is JSON text; None if it has none."""
    value = boxes_value(where, row, column)
    if value is not None:
        (check_phrases if is_phrases(value) else pair_boxes)(value, f"{where}: column {column!r}")
    return value


def boxes_value(where: str, row: Mapping[str, Any], column: str | None) -> Any:
    """Return the boxes of a row as they are given, also if the cell is JSON text; None if it has none."""
    value = None if column is None else row.get(column)
    if is_missing(value) or value == "":
        return None
    if not isinstance(value, str):
        return value
    place = f"{where}: column {column!r}"
    try:
        return DECODER.decode(value)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not valid JSON ({error.msg})") from None
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def boxes_by_id(path: str | Path) -> dict[str, Any]:
    """Return the boxes of each image in a table with the columns `id` and `boxes`."""
    path = Path(path)
    if format_of(path) not in TABLE_FORMATS:
        raise InputError(f"{path}: cannot tell the format, the name must end in {accepted_text(TABLE_FORMATS)}")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    notes = Notes()
    finder = ColumnFinder((Role("id", ""), Role("boxes", "")), notes, hints=False)
    found: dict[str, Any] = {}
    for where, row in table_rows(path, finder, notes):
        columns = finder.find(where, row)
        name = str(row[columns["id"]])
        if name in found:
            raise InputError(f"{where}: id {name!r} occurs twice")
        boxes = boxes_cell(where, row, columns["boxes"])
        if boxes is not None:
            found[name] = boxes
    return found
