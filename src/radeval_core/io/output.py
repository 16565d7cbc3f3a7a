"""Write results to files. Whoever opens the output sees the old file or the whole new one."""

from __future__ import annotations

import csv
import json
import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

from radeval_core.io.atomic import replacing, write_atomically, writing

#: a text cell of a CSV file that begins so gets an apostrophe in front; a spreadsheet would run it as a formula
_FORMULA = tuple("=+-@\t\r\n'")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows of `{"id", "scores": {name: float or None}}` in the format the ending names.

    Further keys of a row, such as `system` or `coverage`, become columns before the scores.
    """
    write = {".jsonl": _write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}[path.suffix.lower()]
    write_atomically(path, lambda part: write(part, rows))


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows that quote reports, one JSON object per line; a new file is readable only for its owner."""
    write_atomically(path, lambda part: _write_jsonl(part, rows), private=True)


def write_text(path: Path, text: str | Iterable[str], private: bool = False) -> None:
    """Write a text file as UTF-8, from one text or from pieces.

    Args:
        path: the file.
        text: its content. Half of a surrogate pair, which UTF-8 cannot hold, becomes an escape with a backslash.
        private: let only the owner read a new file, because it quotes reports.
    """

    def write(part: Path) -> None:
        with _open(part) as file:
            file.writelines([text] if isinstance(text, str) else text)

    write_atomically(path, write, private)


def _open(path: Path, newline: str = "\n") -> TextIO:
    return open(path, "w", encoding="utf-8", errors="backslashreplace", newline=newline)


@contextmanager
def jsonl_writer(path: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that writes one row; the file appears under its name when the block ends without an error.

    Numbers that JSON does not have (NaN, infinity) become null. If a row cannot be written, the rows after it are
    dropped, and `OutputError` says so at the end of the block: hours of scoring are not lost for a full disk.
    """
    failures: list[OSError] = []
    with replacing(path, private=True) as part:
        with writing(path):
            file = _open(part)

        def write_row(row: Mapping[str, Any]) -> None:
            if not failures:
                _attempt(lambda: file.write(_line(row)), failures)

        try:
            yield write_row
        finally:
            _attempt(file.close, failures)
        with writing(path):
            for error in failures:
                raise error


def _attempt(action: Callable[[], Any], failures: list[OSError]) -> None:
    try:
        action()
    except OSError as error:
        failures.append(error)


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(finite(row), ensure_ascii=False, allow_nan=False) + "\n"


def finite(value: Any) -> Any:
    """Return plain values with None for numbers that JSON does not have: NaN and infinity."""
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def jsonl_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as the text of a JSONL file."""
    return "".join(map(_line, rows))


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows, as `write_rows` takes them, as the text of a CSV file."""
    file = StringIO()
    _csv_lines(file, rows)
    return file.getvalue()


def _write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with _open(path) as file:
        file.writelines(map(_line, rows))


def _write_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with _open(path, newline="") as file:
        _csv_lines(file, rows)


def _csv_lines(file: TextIO, rows: Iterable[Mapping[str, Any]]) -> None:
    writer = csv.writer(_LineFeeds(file))
    for index, row in enumerate(rows):
        labels = {key: value for key, value in row.items() if key != "scores"}
        if index == 0:
            writer.writerow([*labels, *row["scores"]])
        writer.writerow([*map(csv_cell, labels.values()), *row["scores"].values()])


class _LineFeeds:
    """Ends rows with a line feed. A writer with this line end would not quote a carriage return inside a cell."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")


def csv_cell(value: Any) -> Any:
    """Return a cell that a spreadsheet shows as text: with an apostrophe in front if it would run it as a formula.

    Text that begins with an apostrophe gets one too, so removing one apostrophe gives every text back. Numbers are
    left alone, also if they are text: they are no formulas.
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def _write_parquet(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    import numpy
    import pyarrow
    import pyarrow.parquet

    labels: dict[str, list[Any]] = {}
    columns: dict[str, array[float]] = {}
    for row in rows:
        for name, value in row.items():
            if name != "scores":
                labels.setdefault(name, []).append(value)
        for name, value in row["scores"].items():
            columns.setdefault(name, array("d")).append(math.nan if value is None else value)
    scores = {name: pyarrow.array(numpy.frombuffer(c), from_pandas=True) for name, c in columns.items()}  # NaN is null
    named = {name: pyarrow.array(values) for name, values in {**labels, "id": []}.items()}
    named["id"] = _parquet_ids(labels["id"])
    pyarrow.parquet.write_table(pyarrow.table({**named, **scores}), path)


def _parquet_ids(ids: list[str | int]) -> Any:
    """Return the column of ids: whole numbers if 64 bits hold them all, signed or unsigned; else texts."""
    import pyarrow

    if all(isinstance(own, int) for own in ids):
        for kind in (pyarrow.int64(), pyarrow.uint64()):
            with suppress(OverflowError, pyarrow.ArrowInvalid):
                return pyarrow.array(ids, kind)
    return pyarrow.array([str(own).encode("utf-8", "backslashreplace").decode() for own in ids])
