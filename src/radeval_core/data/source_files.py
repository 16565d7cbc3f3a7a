"""Read a publisher's files row by row. Every row comes with its location, for error messages."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError

#: the location of a row (file and line or row), and the row
Placed = tuple[str, dict[str, Any]]


def find_file(source: Path, names: Iterable[str]) -> Path:
    """Return the source if it is a file, else the first of the names that exists in it.

    Raises:
        InputError: none exists; the message lists the names.
    """
    if source.is_file():
        return source
    names = list(names)
    for name in names:
        if (source / name).is_file():
            return source / name
    raise InputError(f"{source}: no such file or folder, or none of {', '.join(names)} in it")


def csv_rows(path: Path, columns: Iterable[str], separator: str = ",") -> Iterator[Placed]:
    """Yield the rows of a CSV or TSV file that has at least these columns. A row's location is the line it ends on."""
    csv.field_size_limit(2**31 - 1)
    with _opened(path, newline="") as file:
        reader = csv.reader(file, delimiter=separator, strict=separator == ",")  # sentences in TSV have single quotes
        try:
            header = next(reader, [])
            if missing := [column for column in columns if column not in header]:
                raise InputError(f"{path}: line 1: column {missing[0]!r} is missing; found {', '.join(header)}")
            for values in reader:
                where = f"{path}: line {reader.line_num}"
                if not any(map(str.strip, values)):
                    continue  # spreadsheets leave rows of empty cells
                if len(values) != len(header):
                    raise InputError(f"{where}: {len(values)} columns, but the header has {len(header)}")
                yield where, dict(zip(header, values, strict=True))
        except csv.Error as error:
            raise InputError(f"{path}: line {reader.line_num}: not valid CSV ({error})") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: after line {reader.line_num}: not UTF-8 text ({error.reason})") from error


def json_rows(path: Path) -> Iterator[Placed]:
    """Yield the objects of a JSON file: a list, one object per line, or an object of objects whose keys become `id`."""
    try:
        with _opened(path, newline="\n") as file:
            text = file.read()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason})") from error
    for where, row in _json_items(path, text):
        if not isinstance(row, dict):
            raise InputError(f"{where}: expected a JSON object, got {type(row).__name__}")
        yield where, row


def stable_order(key: str) -> str:
    """Return a sort key that shuffles, the same on every machine and independent of the other keys."""
    return hashlib.sha256(key.encode()).hexdigest()


def string(where: str, row: dict[str, Any], column: str) -> str:
    """Return the text of a column; raise an error if it is missing or blank."""
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        found = ", ".join(map(repr, row))
        problem = "is missing" if column not in row else "must be a non-empty text"
        raise InputError(f"{where}: {column!r} {problem}; found the columns {found}")
    return value


def number(where: str, row: dict[str, Any], column: str, lowest: float, highest: float) -> float:
    """Return the number of a column, also if it is written as text; raise an error if it is out of bounds."""
    value = row.get(column)
    try:
        if isinstance(value, bool) or value is None:
            raise ValueError
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where}: {column!r} must be a number, got {value!r}") from None
    if not lowest <= result <= highest:
        raise InputError(f"{where}: {column!r} must be from {lowest:g} to {highest:g}, got {result:g}")
    return result


def _opened(path: Path, newline: str) -> Any:
    try:
        return open(path, encoding="utf-8-sig", newline=newline)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def _json_items(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        if text.lstrip().startswith("["):
            place = f"{path}: line {error.lineno}, column {error.colno}"
            raise InputError(f"{place}: not valid JSON ({error.msg})") from error
        yield from _json_lines(path, text)
        return
    if isinstance(whole, dict) and whole and all(isinstance(item, dict) for item in whole.values()):
        for key, item in whole.items():
            yield f"{path}: row {key!r}", {"id": key, **item}
    else:
        for number, item in enumerate(whole if isinstance(whole, list) else [whole], start=1):
            yield f"{path}: row {number}", item


def _json_lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield f"{path}: line {number}", json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{path}: line {number}, column {error.colno}: not valid JSON ({error.msg}); "
                "the file must be a list of objects or have one object per line"
            ) from error
