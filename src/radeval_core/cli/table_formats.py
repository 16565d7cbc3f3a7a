"""Tables for papers and spreadsheets: Markdown, LaTeX with booktabs, and CSV."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

#: `table` is drawn for the terminal
FORMATS = ("table", "markdown", "latex", "csv")
#: number of decimals in tables for papers
DIGITS = 3
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "†": r"$\dagger$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


@dataclass(frozen=True)
class Cell:
    """A cell of a table for a paper.

    Attributes:
        text: its text; everything in it is shown as it is.
        interval: an interval to show smaller, after the text.
        bold: True for the best number of a column.
        mark: a mark of significance: a dagger or stars.
    """

    text: str
    interval: str = ""
    bold: bool = False
    mark: str = ""


def add_format_options(command: argparse.ArgumentParser) -> None:
    """Add the options that choose how a table is printed."""
    command.add_argument(
        "--format",
        choices=FORMATS,
        default="table",
        help="print the table for the terminal (default), as Markdown, as LaTeX (booktabs), or as CSV with all digits",
    )
    command.add_argument(
        "--intervals",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="print 95 %% intervals in Markdown and LaTeX (default), or leave them out",
    )
    command.add_argument(
        "--signatures",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="print the signature of each score below the table (default), or leave them out",
    )


def number_cell(value: float | None, ci95: Sequence[float] | None, bold: bool = False, mark: str = "") -> Cell:
    """Return the cell of a number with its interval; a dash if there is no number."""
    if value is None:
        return Cell("-")
    interval = f"[{_minus(ci95[0])}, {_minus(ci95[1])}]" if ci95 else ""
    return Cell(_minus(value), interval, bold, mark)


def markdown(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], notes: Sequence[str] = (), signatures: Sequence[str] = ()
) -> str:
    """Return a Markdown table, with notes and signatures below."""
    lines = [_markdown_row([_markdown_text(name) for name in header]), _markdown_row(["---"] * len(header))]
    lines += [_markdown_row([_markdown_cell(cell) for cell in row]) for row in rows]
    for note in notes:
        lines += ["", _markdown_text(note)]
    if signatures:
        lines += ["", *(f"- `{signature}`" for signature in signatures)]
    return "\n".join(lines)


def latex(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], notes: Sequence[str] = (), signatures: Sequence[str] = ()
) -> str:
    """Return a LaTeX table with the notes as its caption, and the signatures as comments."""
    lines = [
        r"% needs \usepackage{booktabs}",
        *(f"% {' '.join(signature.split())}" for signature in signatures),
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'c' * (len(header) - 1)}}}",
        r"\toprule",
        _latex_row(map(latex_text, header)),
        r"\midrule",
        *(_latex_row(map(_latex_cell, row)) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if notes:
        lines.append(rf"\caption{{{' '.join(map(latex_text, map(_sentence, notes)))}}}")
    return "\n".join([*lines, r"\end{table}"])


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a CSV table; None is an empty cell, and no cell is a formula."""
    from radeval_core.io import csv_cell

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(csv_cell, row) for row in rows)
    return text.getvalue().removesuffix("\n")


def latex_text(text: str) -> str:
    """Return a text in which no character is a command of LaTeX."""
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def _minus(value: float) -> str:
    """Return a number with a minus sign, which a hyphen is not."""
    return f"{value:.{DIGITS}f}".replace("-", "−")


def _latex_row(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    # after the end of a row, a bracket or a star would be read as its argument
    return f"{'{}' * row.startswith(('[', '*'))}{row} \\\\"


def _latex_cell(cell: Cell) -> str:
    text = rf"\textbf{{{latex_text(cell.text)}}}" if cell.bold else latex_text(cell.text)
    if cell.mark:
        text += f"$^{{{cell.mark.replace('†', chr(92) + 'dagger')}}}$"
    return text + (rf" {{\scriptsize {latex_text(cell.interval)}}}" if cell.interval else "")


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_text(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#~" else c for c in " ".join(text.split()))


def _markdown_cell(cell: Cell) -> str:
    text = f"**{_markdown_text(cell.text)}**" if cell.bold else _markdown_text(cell.text)
    return text + _markdown_text(cell.mark) + (f" {_markdown_text(cell.interval)}" if cell.interval else "")


def _sentence(note: str) -> str:
    return f"{note[0].upper()}{note[1:]}" + ("" if note.endswith(".") else ".")
