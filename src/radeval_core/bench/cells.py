"""A table of a benchmark's result, and the text of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Result = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """One section of the result.

    Attributes:
        key: its id, for links.
        title: heading.
        header: column names.
        rows: cells.
        note: explanation of the table.
    """

    key: str
    title: str
    header: list[str]
    rows: list[list[str]]
    note: str = ""


def metrics_of(result: Result) -> list[str]:
    """Return the metrics of a result, in order."""
    return [name for name, row in result.items() if isinstance(row, dict) and "signature" in row]


def words(key: str) -> str:
    """Return a key with spaces instead of underscores."""
    return key.replace("_", " ")


def value(row: Mapping[str, Any] | None, interval: bool = True, digits: int = 3) -> str:
    """Format a number with its interval, or a dash if it is undefined."""
    if row is None or row["value"] is None:
        return "-"
    ci = f" ({row['ci95'][0]:.{digits}f} to {row['ci95'][1]:.{digits}f})" if interval and row.get("ci95") else ""
    return f"{row['value']:.{digits}f}{ci}"


def plain_number(number: float | None, digits: int = 3) -> str:
    """Format a number, or a dash for None."""
    return "-" if number is None else f"{number:.{digits}f}"


def count_text(row: Mapping[str, Any]) -> str:
    """Format the number of scored pairs, and of unscored ones if there are any."""
    return f"{row['n']}" + (f" ({row['unscored']} unscored)" if row["unscored"] else "")
