"""Rows of per-pair statistics in little memory: each column in the smallest type that holds its numbers exactly.

Most statistics are counts. A million rows of green have 18 columns, which take 144 MB as floats and about 40 MB here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_SMALLER = (np.uint8, np.uint16, np.uint32)
#: up to this many rows are kept as one array of floats, which is faster
_FEW = 100_000
#: rows of a larger table that are turned into floats at once: they stay in the processor's cache
_AT_ONCE = 8_192


class RowTable:
    """A table of numbers that can be summed.

    Args:
        columns: the columns, all of the same length.
    """

    def __init__(self, columns: Sequence[NDArray[Any]]) -> None:
        self._columns = list(columns)
        self._rows: Array | None = None
        if len(self) <= _FEW:
            self._rows = self.array()
            self._columns = list(self._rows.T)

    @classmethod
    def joined(cls, blocks: Iterable[Sequence[NDArray[Any]]]) -> RowTable:
        """Return the table of blocks of rows, each given as `compact` columns."""
        return cls([np.concatenate(parts) for parts in zip(*blocks, strict=True)])

    def __len__(self) -> int:
        return len(self._columns[0])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self._columns)

    def array(self) -> Array:
        """Return the rows as one array of floats."""
        if self._rows is not None:
            return self._rows
        return np.column_stack([column.astype(np.float64) for column in self._columns])

    def rows(self, wanted: NDArray[np.bool_]) -> RowTable:
        """Return the rows that are marked True."""
        return self if wanted.all() else RowTable([column[wanted] for column in self._columns])

    def sum(self) -> Array:
        """Return the sum of each column, added row by row."""
        if self._rows is not None or len(self._columns) == 1:
            total: Array = self.array().sum(axis=0)
            return total
        # the sum of an array of rows adds row by row, the sum of a column does not
        return np.array([np.add.accumulate(column, dtype=np.float64)[-1] for column in self._columns])

    def weighted_sum(self, weights: NDArray[Any]) -> Array:
        """Return the sum of each column, with a weight per row."""
        if self._rows is not None:
            weighted: Array = weights @ self._rows
            return weighted
        total, part = np.zeros(len(self._columns)), np.empty((len(self._columns), _AT_ONCE))
        for start in range(0, len(self), _AT_ONCE):
            drawn = weights[start : start + _AT_ONCE].astype(np.float64)
            for row, column in zip(part, self._columns, strict=True):
                row[: len(drawn)] = column[start : start + _AT_ONCE]
            total += part[:, : len(drawn)] @ drawn
        return total


def compact(block: Array) -> list[NDArray[Any]]:
    """Return the columns of a block of rows, each in the smallest type that holds its numbers exactly."""
    return [_smallest(column) for column in block.T]


def _smallest(column: Array) -> NDArray[Any]:
    low, high = (float(column.min()), float(column.max())) if len(column) else (0.0, 0.0)
    whole = np.isfinite(low) and np.isfinite(high) and bool((column == np.rint(column)).all())
    for kind in _SMALLER if whole and not np.signbit(column).any() else ():
        if high <= np.iinfo(kind).max:
            return column.astype(kind)
    return column.copy()  # a copy, so that the block is not kept
