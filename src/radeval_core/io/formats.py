"""Read the rows of a table from JSONL, JSON, CSV, TSV or Parquet, each with its place in the file.

Every format but Parquet may be gzip-compressed. Rows are read as they are needed, except those of a `.json` file that
holds an object of columns.
"""

from __future__ import annotations

import csv
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.io.columns import ColumnFinder, refuse_duplicates
from radeval_core.io.json_table import DECODER, UNREADABLE, json_values, why_unreadable
from radeval_core.io.notes import Notes
from radeval_core.io.text_stream import numbered_lines, open_text

#: a place such as `FILE: line 3`, and the row there
Row = tuple[str, dict[str, Any]]
#: receives the error of a row that cannot be read
Refuse = Callable[[InputError], None]
TABLE_FORMATS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
TEXT_FORMAT = ".txt"
_SEPARATORS = (",", ";", "\t")
#: how programs write a missing value into a CSV file, besides an empty cell
_MISSING = frozenset({"NaN", "nan", "null", "NULL", "<NA>"})


def raised(error: InputError) -> None:
    """Raise the error of a row: a file with such a row is not read."""
    raise error


def format_of(path: Path) -> str:
    """Return the format a file name ends in, without `.gz`; Parquet files are never compressed again."""
    name = path.name.lower()
    ending = Path(name.removesuffix(".gz")).suffix
    return "" if ending == ".parquet" and name.endswith(".gz") else ending


def accepted_text(formats: tuple[str, ...]) -> str:
    """Return the file names that are accepted, for errors and help."""
    return f"{', '.join(formats)}; all but .parquet also with .gz"


def table_rows(
    path: Path, finder: ColumnFinder, notes: Notes, start: int = 0, refuse: Refuse = raised, batch: int = 1024
) -> Iterator[Row]:
    """Yield the rows of a table. A header without the columns we need is refused at once.

    Args:
        path: the file; its ending names the format.
        finder: finds the columns.
        notes: receives what the user should know about the file.
        start: number of rows to pass over; most formats do not read them.
        refuse: receives the error of a single row of JSONL, CSV or TSV that cannot be read; the others follow.
        batch: rows of a Parquet file in memory at once.
    """
    if format_of(path) == ".jsonl":
        return jsonl_rows(path, notes, start, refuse)
    if format_of(path) == ".parquet":
        return _parquet_rows(path, finder, start, batch)
    readers: dict[str, Callable[[], Iterator[Row]]] = {
        ".json": lambda: json_values(path, notes),
        ".csv": lambda: _csv_rows(path, finder, notes, _SEPARATORS, refuse),
        ".tsv": lambda: _csv_rows(path, finder, notes, ("\t",), refuse),
    }
    return islice(readers[format_of(path)](), start, None)


def jsonl_rows(path: Path, notes: Notes | None = None, start: int = 0, refuse: Refuse = raised) -> Iterator[Row]:
    """Yield the objects of a JSONL file after the first `start`, each with its place: `FILE: line N`."""
    filled = ((n, line) for n, line in numbered_lines(path, notes or Notes()) if line and not line.isspace())
    for number, line in islice(filled, start, None):
        where = f"{path}: line {number}"
        try:
            row = _json_object(where, line)
        except InputError as error:
            refuse(error)
        else:
            yield where, row


def _json_object(where: str, line: str) -> dict[str, Any]:
    try:
        row = DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}, column {error.colno}: not valid JSON ({error.msg})") from error
    except UNREADABLE as error:
        raise InputError(f"{where}: {why_unreadable(error)}") from None
    if not isinstance(row, dict):
        raise InputError(f"{where}: expected a JSON object, got {type(row).__name__}")
    return row


def _csv_rows(
    path: Path, finder: ColumnFinder, notes: Notes, separators: tuple[str, ...], refuse: Refuse
) -> Iterator[Row]:
    csv.field_size_limit(2**31 - 1)
    with open_text(path, notes, newline="") as file:
        first = next(file, "")
        separator = _separator(first, finder, separators)
        reader = csv.reader(chain([first], file) if first else file, delimiter=separator, strict=True)
        try:
            header = next(reader, None)
            if header is None:
                raise InputError(f"{path}: line 1: the header is missing, expected columns {finder.expected()}")
            refuse_duplicates(f"{path}: line 1", header)
            finder.find(f"{path}: line 1", header)
            for values in reader:
                where = f"{path}: line {reader.line_num}"
                if not values:
                    continue
                if len(values) != len(header):
                    refuse(InputError(f"{where}: {len(values)} columns where the header has {len(header)}"))
                    continue
                yield where, {name: None if v in _MISSING else v for name, v in zip(header, values, strict=True)}
        except csv.Error as error:
            raise InputError(f"{path}: line {reader.line_num}: not valid CSV ({error})") from error


def _separator(first: str, finder: ColumnFinder, separators: tuple[str, ...]) -> str:
    """Return the separator that gives the columns we need; else the one that gives the most columns."""
    headers = {separator: next(csv.reader([first], delimiter=separator), []) for separator in separators}
    fits = [separator for separator, header in headers.items() if finder.has_all(header)]
    return fits[0] if fits else max(headers, key=lambda separator: len(headers[separator]))


def _parquet_rows(path: Path, finder: ColumnFinder, start: int, batch_rows: int) -> Iterator[Row]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{path}: not a Parquet file ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    with file:
        names = file.schema_arrow.names
        refuse_duplicates(f"{path}: schema", names)
        wanted = list(finder.find(f"{path}: schema", names).values())
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        ends = list(accumulate(groups))
        passed = bisect_right(ends, start)  # whole groups that are not read
        number = ends[passed - 1] if passed else 0
        for batch in file.iter_batches(
            batch_size=batch_rows, row_groups=list(range(passed, len(groups))), columns=wanted
        ):
            cut = max(0, min(start - number, len(batch)))
            number += cut
            for row in batch.slice(cut).to_pylist():
                number += 1
                yield f"{path}: row {number}", row
