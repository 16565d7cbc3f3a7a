"""Read pairs from a pandas DataFrame or a Hugging Face Dataset, by the rules for files.

A cell that is None or NaN is an empty report. Neither package is imported here: whoever has a table imported it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from radeval_core.errors import InputError
from radeval_core.io.columns import ColumnFinder, PairColumns, refuse_duplicates
from radeval_core.io.notes import Notes
from radeval_core.io.readers import pair_of
from radeval_core.pairs import Pair
from radeval_core.patient_context import context_of_row


@dataclass(frozen=True)
class TablePairs:
    """The pairs of a DataFrame or a Dataset, one row per pair. It can be iterated many times if the table can.

    Attributes:
        table: the DataFrame or Dataset.
        columns: names of the columns; our own where the user gave none.
        further: columns of the patient's context that a metric reads, if the table has them.
    """

    table: Any
    columns: PairColumns = field(default_factory=PairColumns)
    further: tuple[str, ...] = ()
    _notes: Notes = field(default_factory=Notes, repr=False, compare=False)

    def __iter__(self) -> Iterator[Pair]:
        finder = ColumnFinder(self.columns.roles(self.further, python=True), self._notes)
        rows = _frame_rows(self.table, finder) if is_frame(self.table) else _dataset_rows(self.table, finder)
        for index, (own_id, row, columns) in enumerate(rows):
            where = f"pairs[{index}]"
            pair = pair_of(where, row, index, columns)
            pair = replace(pair, context=context_of_row(where, row, columns)) if self.further else pair
            yield pair if own_id is None else replace(pair, id=own_id)


def is_table(source: Any) -> bool:
    """Return True for a DataFrame, or for a Dataset (plain or iterable)."""
    return is_frame(source) or (_package(source) == "datasets" and hasattr(source, "column_names"))


def is_frame(source: Any) -> bool:
    """Return True for a pandas DataFrame."""
    return _package(source) == "pandas" and hasattr(source, "itertuples")


def _package(source: Any) -> str:
    return next((kind.__module__.partition(".")[0] for kind in type(source).__mro__ if _is_table_class(kind)), "")


def _is_table_class(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("pandas", "datasets")


def _frame_rows(frame: Any, finder: ColumnFinder) -> Iterator[tuple[Any, dict[str, Any], Mapping[str, str]]]:
    """Yield the id in the index (None if there is an id column), the cells and their columns, of each row."""
    names = [str(name) for name in frame.columns]
    refuse_duplicates("pairs: the DataFrame", names)
    columns = finder.find("pairs: the DataFrame", names)
    cells = {name: _cells(frame.iloc[:, names.index(name)]) for name in columns.values()}
    if "id" in columns:
        cells[columns["id"]] = list(map(_whole, cells[columns["id"]]))
    index = None if "id" in columns else _index(frame)
    for i in range(len(frame)):
        yield index and index[i], {name: column[i] for name, column in cells.items()}, columns


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column as Python values; None for every kind of missing value."""
    known = column.notna()
    plain = column.astype(object).where(known, None).tolist()
    return [cell.tolist() if hasattr(cell, "tolist") else cell for cell in plain]


def _whole(value: Any) -> Any:
    """Return a whole number as one: pandas makes floats of whole numbers in a column with gaps."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _index(frame: Any) -> list[Any] | None:
    """Return the labels of the index as ids, if every row has its own; so scores can be joined to the DataFrame."""
    labels = frame.index.tolist()
    usable = all(isinstance(label, (str, int)) and not isinstance(label, bool) for label in labels)
    return labels if usable and len(set(labels)) == len(labels) else None


def _dataset_rows(dataset: Any, finder: ColumnFinder) -> Iterator[tuple[Any, dict[str, Any], Mapping[str, str]]]:
    names = dataset.column_names
    if isinstance(names, dict):
        raise InputError(f"pairs has several splits: give one of {', '.join(map(repr, names))}, as in pairs['test']")
    wanted = finder.find("pairs: the Dataset", names) if names else None
    if wanted and hasattr(dataset, "select_columns"):
        dataset = dataset.select_columns(list(wanted.values()))  # other columns, such as images, are not decoded
    for index, row in enumerate(dataset):
        yield None, row, wanted or finder.find(f"pairs: row {index}", row)
