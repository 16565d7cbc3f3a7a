"""Tables on a terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

#: columns to print in where there is no terminal: a pipe or a file
PIPE_WIDTH = 240


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], short_rows: Sequence[Sequence[str]] | None = None
) -> None:
    """Print a table. Cells that do not fit the terminal are folded, never cut.

    Args:
        header: the name of each column.
        rows: the cells of each row. A row with an empty first cell continues the row above.
        short_rows: the same rows in fewer words. On a terminal too narrow for `rows` they are printed instead, without
            borders.
    """
    from rich.console import Console

    console = Console(width=width())
    table = _table(header, rows, borders=True)
    if short_rows and not _fits(console, table):
        table = _table(header, short_rows, borders=False)
    console.print(table)


def width() -> int:
    """Return the number of columns to print in: those of the terminal, or plenty in a pipe or a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH


def count_text(row: Mapping[str, Any]) -> str:
    """Return how many pairs were scored, and how many were not."""
    return f"{row['n']}" + (f" ({row['unscored']} unscored)" if row["unscored"] else "")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], borders: bool) -> Table:
    from rich import box
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(
        *(Column(name, overflow="fold") for name in header),
        box=box.HEAVY_HEAD if borders else box.SIMPLE_HEAD,
        show_edge=borders,
        pad_edge=borders,
        padding=(0, 1) if borders else (0, 1, 0, 0),
    )
    grouped = not all(row[0] for row in rows)
    for i, row in enumerate(rows):
        if i and row[0] and grouped:
            table.add_section()
        table.add_row(*(Text(cell, overflow="fold") for cell in row))  # Text: nothing in a cell is markup
    return table


def _fits(console: Console, table: Table) -> bool:
    unlimited = console.options.update(max_width=10_000)
    return console.measure(table, options=unlimited).maximum <= console.width
