"""What the commands share: lists of metrics, assignments on the command line, and tables."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import Any

from radeval_core.errors import InputError, unknown_name


def add_command(
    commands: Any,
    name: str,
    about: str,
    epilog: str | None = None,
    common: argparse.ArgumentParser | None = None,
    description: str | None = None,
) -> argparse.ArgumentParser:
    """Add a command whose help shows examples as they are written.

    Args:
        commands: the group to add it to.
        name: what is typed.
        about: one line for the list of commands, and its description if there is no longer one.
        epilog: what stands under its options.
        common: the options every command takes.
        description: what stands above its options.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        parents=[common] if common else [],
        help=about,
        description=description or f"{about[0].upper()}{about[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_data_options(command: argparse.ArgumentParser) -> None:
    """Options that name rows with expert numbers."""
    command.add_argument(
        "--data",
        required=True,
        metavar="DATA",
        help="a .jsonl file as below, a dataset (`radeval data list`), or its folder",
    )
    command.add_argument("--data-config", metavar="NAME", help="config of a built dataset")
    command.add_argument("--split", metavar="NAME", help="split of a built dataset")


def add_model_options(command: argparse.ArgumentParser) -> None:
    """Options of everything that may run a model."""
    command.add_argument("--device", help="cuda, cuda:N, mps or cpu; the best one by default")
    command.add_argument("--cache", metavar="DIR", help="keep annotations between runs, sealed")


def metric_list(text: str) -> list[str]:
    """The metrics a comma-separated list names."""
    from radeval_core.registry import metric_names

    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["all"]:
        return list(metric_names())
    if not names:
        raise InputError(f"no metric named: known: {', '.join(metric_names())}")
    for name in names:
        if name not in metric_names():
            raise unknown_name("metric", name, [*metric_names(), "all"])
    return names


def assignment(text: str, form: str) -> tuple[str, str]:
    """Both sides of `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not key or not equals or not value:
        raise InputError(f"expected {form}, got {text!r}")
    return key, value


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print a table; a row without a first cell continues the one before."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=width())
    table = Table(*header)
    for i, row in enumerate(rows):
        if i and row[0] and not all(r[0] for r in rows):  # rows that continue another one stay together
            table.add_section()
        table.add_row(*(Text(cell, overflow="fold") for cell in row))  # Text: nothing in a cell is markup
    console.print(table)


def width() -> int:
    """Columns to print in: the terminal's, or plenty in a pipe or a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 240


def count_text(row: dict[str, Any]) -> str:
    """How many pairs were scored, and how many not."""
    return f"{row['n']}" + (f" ({row['unscored']} unscored)" if row["unscored"] else "")
