"""Read a whole table with all its columns into memory, so that the columns can be chosen afterwards.

Rows that cannot be read are kept with their reasons; nothing is dropped without being named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.io.columns import NO_HEADER, ColumnFinder, EveryColumn, PairColumns, no_header
from radeval_core.io.formats import Row, format_of, table_rows
from radeval_core.io.notes import Notes
from radeval_core.io.readers import pair_of
from radeval_core.pairs import Pair
from radeval_core.patient_context import CONTEXT_COLUMNS, context_of_row

#: rows of a Parquet file in memory at once: its cells may be much larger than the file
_BATCH = 4


@dataclass(frozen=True)
class Table:
    """The rows of a file.

    Attributes:
        name: the name of the file.
        columns: the names of its columns, in their order.
        rows: the place of each row, such as `line 3`, and its cells by column.
        refused: the rows that could not be read: place and reason.
        notes: what the user should know about the file.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def pairs(self, columns: PairColumns, ids: bool = True) -> tuple[list[Pair], list[str]]:
        """Return the pairs of the rows, and the place and reason of each row that is no pair.

        Args:
            columns: names of the columns.
            ids: if False, number the rows, also if a column is called `id`.
        """
        finder = ColumnFinder(columns.roles(CONTEXT_COLUMNS), Notes(), hints=False)
        found = dict(finder.find(self.name, self.columns))
        if not ids:
            found.pop("id", None)
        pairs, problems = [], []
        for index, (where, row) in enumerate(self.rows):
            try:
                pairs.append(_pair(where, row, index, found))
            except InputError as error:
                problems.append(str(error))
        return pairs, problems


def read_table(path: Path, most_rows: int, most_characters: int) -> Table:
    """Read a file; its ending names the format. Errors name the file, not its folder.

    Args:
        path: the file.
        most_rows: the largest number of rows.
        most_characters: the largest number of characters in its cells; a compressed Parquet file may have many.
    """
    kept = _KeptNotes(path)
    refused: list[str] = []
    rows: list[Row] = []
    try:
        _check_unpacked(path, most_characters)
        finder = EveryColumn(kept)
        found = table_rows(path, finder, kept, refuse=lambda error: refused.append(kept.short(error)), batch=_BATCH)
        characters = 0
        for where, row in islice(found, most_rows + 1):
            characters += sum(map(_size, row.values()))
            if characters > most_characters:
                raise InputError(f"{path}: more than {most_characters:,} characters: score it in parts")
            rows.append((kept.short(where), row))
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from None
    if len(rows) + len(refused) > most_rows:
        raise InputError(f"{path.name}: more than {most_rows:,} rows: score it in parts, or with `radeval score`")
    if not rows:
        raise InputError(f"{path.name}: no row could be read" + (f": {refused[0]}" if refused else ""))
    columns = dict.fromkeys(str(name) for _, row in rows for name in row if name)
    if no_header(columns):
        raise InputError(f"{path.name}: {NO_HEADER}")
    return Table(path.name, tuple(columns), tuple(rows), tuple(refused), tuple(kept.said))


class _KeptNotes(Notes):
    """Keeps the notes about a file instead of logging them, without the folder of the file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.said: list[str] = []

    def say(self, note: str) -> None:
        """Keep a note."""
        self.said.append(note.replace(str(self.path), self.path.name))

    def short(self, place: object) -> str:
        """Return a place or an error without the file."""
        return str(place).removeprefix(f"{self.path}: ")


def _check_unpacked(path: Path, most: int) -> None:
    """Refuse a Parquet file whose content is too large, before it is unpacked."""
    if format_of(path) != ".parquet":
        return
    import pyarrow
    import pyarrow.parquet

    try:
        facts = pyarrow.parquet.read_metadata(path)
    except (pyarrow.ArrowInvalid, OSError):
        return  # the reader says what is wrong
    if sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups)) > most:
        raise InputError(f"{path}: unpacks to more than {most:,} bytes: leave out columns that are not reports")


def _size(cell: Any) -> int:
    if isinstance(cell, (str, bytes)):
        return len(cell)
    return sum(map(_size, _items(cell))) if isinstance(cell, (list, tuple, Mapping)) else 0


def _items(cell: Sequence[Any] | Mapping[Any, Any]) -> Iterator[Any]:
    yield from cell.values() if isinstance(cell, Mapping) else cell


def _pair(where: str, row: Mapping[str, Any], index: int, columns: Mapping[str, str]) -> Pair:
    pair = pair_of(where, row, index, columns)
    context = context_of_row(where, row, columns)
    return Pair(pair.prediction, pair.references, pair.id, context=context)
