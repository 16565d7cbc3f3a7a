"""Readers of pairs and of single reports. Errors name file, line and column.

A reader of a file can be iterated again and again, a reader of a pipe once. One rule for missing values holds in every
format: a missing column is an error; an empty, null or NaN cell is an empty report, or a row without an id.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from radeval_core.errors import InputError
from radeval_core.io.columns import ColumnFinder, PairColumns, ReportColumns
from radeval_core.io.film_columns import boxes_cell, image_path, is_missing
from radeval_core.io.formats import TABLE_FORMATS, TEXT_FORMAT, accepted_text, format_of, table_rows
from radeval_core.io.notes import Notes
from radeval_core.io.text_stream import numbered_lines
from radeval_core.pairs import Pair, check_references, require_string
from radeval_core.patient_context import context_of_row

T = TypeVar("T")
_PAIR_COLUMNS = {"prediction": "prediction", "reference": "reference", "id": "id"}


@dataclass(frozen=True)
class PairFile:
    """Pairs in one file: a table with one row per pair.

    Attributes:
        path: the file; its ending names the format.
        limit: the largest number of pairs to read.
        columns: names of the columns; if None, our own names, and errors do not mention options of the command line.
        further: columns that a metric reads besides the reports, if the file has them: `image`, `boxes`, `age`, …
        start: number of pairs to pass over.
        numbered: give a row without an id its place in the file as id; else its id stays empty.
    """

    path: Path
    limit: int | None = None
    columns: PairColumns | None = None
    further: tuple[str, ...] = ()
    start: int = 0
    numbered: bool = True
    _notes: Notes = field(default_factory=Notes, repr=False, compare=False)

    def __iter__(self) -> Iterator[Pair]:
        roles = (self.columns or PairColumns()).roles(self.further)
        finder = ColumnFinder(roles, self._notes, hints=self.columns is not None)
        rows = table_rows(self.path, finder, self._notes, self.start)
        ids = array("q")  # of each id only a hash: eight bytes per row
        for index, (where, row) in enumerate(islice(rows, self.limit), start=self.start):
            columns = finder.find(where, row)
            pair = pair_of(where, row, index if self.numbered else "", columns)
            if self.further:
                pair = replace(
                    pair,
                    image=image_path(where, row, columns.get("image"), self.path.parent),
                    boxes=boxes_cell(where, row, columns.get("boxes")),
                    context=context_of_row(where, row, columns),
                )
            if pair.id != "":
                ids.append(hash(str(pair.id)))
            yield pair
        _note_repeated(self.path, ids, self._notes)


@dataclass(frozen=True)
class TextFilePair:
    """Two text files with one report per line; an empty line is an empty report."""

    predictions: Path
    references: Path
    limit: int | None = None
    _notes: Notes = field(default_factory=Notes, repr=False, compare=False)

    def __iter__(self) -> Iterator[Pair]:
        mine, theirs = numbered_lines(self.predictions, self._notes), numbered_lines(self.references, self._notes)
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
                    "line N of both must belong to the same report"
                )
            yield Pair(str(prediction), (str(reference),), index)


@dataclass(frozen=True)
class ReportFile:
    """Single reports: a table with a column `text` or `report`, or a `.txt` file with one report per line.

    Attributes:
        path: the file; its ending names the format.
        columns: names of the columns; if None, our own names, and errors do not mention options of the command line.
    """

    path: Path
    columns: ReportColumns | None = None
    _notes: Notes = field(default_factory=Notes, repr=False, compare=False)

    @classmethod
    def open(cls, path: str | Path, columns: ReportColumns | None = None) -> ReportFile:
        """Open a file; fail at once if it does not exist or its format is unknown."""
        path = Path(path)
        _known_format(_existing(path), (*TABLE_FORMATS, TEXT_FORMAT))
        if format_of(path) == TEXT_FORMAT and columns and columns != ReportColumns():
            raise InputError(f"{path}: a text file has no columns: leave out --text-column and --id-column")
        return cls(path, columns)

    def __iter__(self) -> Iterator[tuple[str | int, str]]:
        if format_of(self.path) == TEXT_FORMAT:
            for number, line in numbered_lines(self.path, self._notes):
                yield number - 1, line
            return
        finder = ColumnFinder((self.columns or ReportColumns()).roles(), self._notes, hints=self.columns is not None)
        ids = array("q")
        for index, (where, row) in enumerate(table_rows(self.path, finder, self._notes)):
            columns = finder.find(where, row)
            own = row_id(where, row, index, columns.get("id"))
            ids.append(hash(str(own)))
            yield own, _report(where, columns["text"], row)
        _note_repeated(self.path, ids, self._notes)


def with_progress(items: Iterable[T], total: int | None, show: bool) -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal."""
    yield from tqdm(items, total=total, unit="report", disable=None if show else True)


def open_pairs(
    path: str | Path, limit: int | None = None, columns: PairColumns | None = None, further: Iterable[str] = ()
) -> PairFile:
    """Return a reader of a file of pairs; fail at once if it does not exist or its format is unknown."""
    path = Path(path)
    _known_format(path, TABLE_FORMATS)
    return PairFile(_existing(path, pipe=True), limit, columns, tuple(further))


def open_text_files(predictions: str | Path, references: str | Path, limit: int | None = None) -> TextFilePair:
    """Return a reader of two text files."""
    paths = Path(predictions), Path(references)
    for path in paths:
        if format_of(path) in TABLE_FORMATS:
            raise InputError(f"{path}: is a table, not a text file with one report per line: give it as PAIRS")
    return TextFilePair(_existing(paths[0], pipe=True), _existing(paths[1], pipe=True), limit)


def pair_of(where: str, row: Mapping[str, Any], index: int | str, columns: Mapping[str, str] = _PAIR_COLUMNS) -> Pair:
    """Return the pair of a row, or raise an error that names its place.

    Args:
        where: file and line, for errors.
        row: the cells by column.
        index: place of the row, its id if it has none; or another value to take for it.
        columns: the columns of `prediction`, `reference` and optionally `id`.
    """
    for role in ("prediction", "reference"):
        if columns[role] not in row:
            raise InputError(f"{where}: column {columns[role]!r} is missing; found {', '.join(map(repr, row))}")
    prediction = _report(where, columns["prediction"], row)
    name = columns["reference"]
    if isinstance(row[name], (list, tuple)):
        references = check_references(f"{where}: column {name!r}", row[name], "", True)
    else:
        references = (_report(where, name, row),)
    return Pair(prediction, references, row_id(where, row, index, columns.get("id")))


def row_id(where: str, row: Mapping[str, Any], index: int | str, column: str | None = "id") -> str | int:
    """Return the id of a row, or its place if it has none."""
    own = None if column is None else row.get(column)
    if is_missing(own) or own == "":
        return index
    if isinstance(own, bool) or not isinstance(own, (str, int)):
        raise InputError(f"{where}: column {column!r} must be a string or a whole number, got {type(own).__name__}")
    return require_string(f"{where}: column {column!r}", own) if isinstance(own, str) else own


def _report(where: str, column: str, row: Mapping[str, Any]) -> str:
    """Return the report in a cell; null and NaN are empty reports."""
    value = row[column]
    return "" if is_missing(value) else require_string(f"{where}: column {column!r}", value)


def _note_repeated(path: Path, ids: array[int], notes: Notes) -> None:
    """Note how many ids occurred before."""
    import numpy as np

    if repeated := len(ids) - len(np.unique(np.frombuffer(ids, dtype=np.int64))):
        have = "row has" if repeated == 1 else "rows have"
        notes.say(f"{path}: {repeated} {have} the id of an earlier row; every row is read")


def _known_format(path: Path, formats: tuple[str, ...]) -> None:
    if format_of(path) not in formats:
        raise InputError(f"{path}: cannot tell the format, the name must end in {accepted_text(formats)}")


def _existing(path: Path, pipe: bool = False) -> Path:
    """Return the path of a file, or of a pipe where its rows are read only once."""
    if not path.is_file() and not (pipe and path.is_fifo()):
        raise InputError(f"{path}: is a folder, give a file" if path.is_dir() else f"{path}: no such file")
    return path
