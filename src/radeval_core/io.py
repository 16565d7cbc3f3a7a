"""Reading pairs from files and writing per-pair scores, row for row.

A reader can be iterated again and again; errors name file, line and column. Writing is atomic: a reader of the output
sees the old file or the whole new one.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar

from tqdm import tqdm

from radeval_core.errors import InputError
from radeval_core.pairs import Pair, check_references, require_string

T = TypeVar("T")
PAIR_SUFFIXES = (".jsonl", ".csv", ".parquet")
_COLUMNS = ("prediction", "reference")


@dataclass(frozen=True)
class PairFile:
    """Pairs in one JSONL, CSV or Parquet file with columns `prediction`, `reference` and perhaps `id`."""

    path: Path
    limit: int | None = None

    def __iter__(self) -> Iterator[Pair]:
        read = {".jsonl": jsonl_rows, ".csv": _csv_rows, ".parquet": _parquet_rows}[self.path.suffix.lower()]
        for index, (where, row) in enumerate(_up_to(read(self.path), self.limit)):
            yield pair_of(where, row, index)


@dataclass(frozen=True)
class TextFilePair:
    """Two text files, one report a line; an empty line is an empty report."""

    predictions: Path
    references: Path
    limit: int | None = None

    def __iter__(self) -> Iterator[Pair]:
        mine, theirs = _lines(self.predictions), _lines(self.references)
        end = object()
        for index in range(10**12 if self.limit is None else self.limit):
            (_, prediction), (_, reference) = next(mine, (0, end)), next(theirs, (0, end))
            if prediction is end and reference is end:
                return
            if prediction is end or reference is end:
                counts = [
                    index + (line is not end) + sum(1 for _ in rest)
                    for line, rest in ((prediction, mine), (reference, theirs))
                ]
                raise InputError(
                    f"{self.predictions} has {counts[0]} lines and {self.references} has {counts[1]}: "
                    "they must have one report a line for the same reports"
                )
            yield Pair(str(prediction), (str(reference),), index)


@dataclass(frozen=True)
class ReportFile:
    """Single reports: JSONL with `text` and perhaps `id`, or a text file with one report a line."""

    path: Path

    @classmethod
    def open(cls, path: str | Path) -> ReportFile:
        return cls(_existing(Path(path)))

    def __iter__(self) -> Iterator[tuple[str | int, str]]:
        if self.path.suffix.lower() != ".jsonl":
            for number, line in _lines(self.path):
                yield number - 1, line
            return
        for index, (where, row) in enumerate(jsonl_rows(self.path)):
            if "text" not in row:
                raise InputError(f"{where}: column 'text' is missing; found {', '.join(map(repr, row))}")
            yield row_id(where, row, index), require_string(f"{where}: column 'text'", row["text"])


def with_progress(items: Iterable[T], total: int, show: bool) -> Iterator[T]:
    """The items, with a progress bar on a terminal."""
    yield from tqdm(items, total=total, unit="report", disable=None if show else True)


def open_pairs(path: str | Path, limit: int | None = None) -> PairFile:
    """A reader of a pair file; fails at once if the file is not there or of no known kind."""
    path = Path(path)
    if path.suffix.lower() not in PAIR_SUFFIXES:
        raise InputError(f"{path}: cannot tell the format, the name must end in {', '.join(PAIR_SUFFIXES)}")
    return PairFile(_existing(path), limit)


def open_text_files(predictions: str | Path, references: str | Path, limit: int | None = None) -> TextFilePair:
    """A reader of two text files."""
    return TextFilePair(_existing(Path(predictions)), _existing(Path(references)), limit)


def check_output(path: str | Path, suffixes: tuple[str, ...] = PAIR_SUFFIXES, option: str = "--out") -> Path:
    """The path, if results can be written there."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise InputError(f"{option} {path}: the name must end in {', '.join(suffixes)}")
    if path.is_dir():
        raise InputError(f"{option} {path}: is a folder, give a file name")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path}: folder {path.parent} does not exist")
    return path


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows of `{"id", "scores": {name: float or None}}` in the format the ending names."""
    write = {".jsonl": write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}[path.suffix.lower()]
    write_atomically(path, lambda temporary: write(temporary, rows))


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8."""

    def write(temporary: Path) -> None:
        temporary.write_text(text, "utf-8")

    write_atomically(path, write)


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file beside the target, then put it in the target's place in one step."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # what a plain open() would have given; mkstemp makes it private
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"{path}: is a folder, give a file" if path.is_dir() else f"{path}: no such file")
    return path


def _up_to(rows: Iterator[tuple[str, dict[str, Any]]], limit: int | None) -> Iterator[tuple[str, dict[str, Any]]]:
    for index, row in enumerate(rows):
        if limit is not None and index >= limit:
            return
        yield row


def pair_of(where: str, row: dict[str, Any], index: int) -> Pair:
    """The pair of a row, or an error that names its place."""
    for column in _COLUMNS:
        if column not in row:
            raise InputError(f"{where}: column {column!r} is missing; found {', '.join(map(repr, row))}")
    prediction = require_string(f"{where}: column 'prediction'", row["prediction"])
    references = check_references(f"{where}: column 'reference'", row["reference"], "", True)
    return Pair(prediction, references, row_id(where, row, index))


def row_id(where: str, row: dict[str, Any], index: int) -> str | int:
    """The id of a row: its own, or its place."""
    own = row.get("id")
    if own is None:
        return index
    if isinstance(own, bool) or not isinstance(own, (str, int)):
        raise InputError(f"{where}: column 'id' must be a string or a whole number, got {type(own).__name__}")
    return own


def _open_text(path: Path) -> TextIO:
    # Only "\n" ends a line: reports may contain other characters that Python would take for line ends.
    return open(path, encoding="utf-8-sig", newline="\n")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with _open_text(path) as file:
        number = 0
        try:
            for number, line in enumerate(file, start=1):
                yield number, line.removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: line {number + 1} or soon after: not UTF-8 text ({error.reason})") from error


def jsonl_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSONL file, each with its place: `FILE: line N`."""
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}: line {number}, column {error.colno}: not valid JSON ({error.msg})") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}: line {number}: expected a JSON object, got {type(row).__name__}")
        yield f"{path}: line {number}", row


def _csv_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    csv.field_size_limit(2**31 - 1)
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = next(reader, None)
            if header is None:
                raise InputError(f"{path}: line 1: the header is missing, expected columns {', '.join(_COLUMNS)}")
            for values in reader:
                where = f"{path}: line {reader.line_num}"
                if not values:
                    continue
                if len(values) != len(header):
                    raise InputError(f"{where}: {len(values)} columns where the header has {len(header)}")
                yield where, dict(zip(header, values, strict=True))
        except csv.Error as error:
            raise InputError(f"{path}: line {reader.line_num}: not valid CSV ({error})") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: after line {reader.line_num}: not UTF-8 text ({error.reason})") from error


def _parquet_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{path}: not a Parquet file ({error})") from error
    with file:
        wanted = [c for c in ("id", *_COLUMNS) if c in file.schema_arrow.names]
        if missing := [c for c in _COLUMNS if c not in wanted]:
            raise InputError(f"{path}: column {missing[0]!r} is missing; found {', '.join(file.schema_arrow.names)}")
        number = 0
        for batch in file.iter_batches(batch_size=1024, columns=wanted):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}: row {number}", row


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """One JSON object a line."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _write_csv(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for index, row in enumerate(rows):
            if index == 0:
                writer.writerow(["id", *row["scores"]])
            writer.writerow([row["id"], *row["scores"].values()])


def _write_parquet(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    import pyarrow
    import pyarrow.parquet

    flat = [{"id": row["id"], **row["scores"]} for row in rows]
    columns: dict[str, Any] = {
        name: pyarrow.array([r[name] for r in flat], pyarrow.float64()) for name in flat[0] if name != "id"
    }
    ids = [r["id"] for r in flat]
    plain = ids if all(isinstance(i, int) for i in ids) else [str(i) for i in ids]
    pyarrow.parquet.write_table(pyarrow.table({"id": pyarrow.array(plain), **columns}), path)
