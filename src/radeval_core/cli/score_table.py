"""Print the summary of `radeval score`: for the terminal, as Markdown, LaTeX or CSV."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.cli.table_formats import Cell, csv_text, latex, markdown, number_cell
from radeval_core.cli.tables import count_text, print_table

_CSV = ("score", "ci95_low", "ci95_high", "n", "unscored", "higher_is_better", "signature")
Summary = Mapping[str, Mapping[str, Any]]


def print_scores(
    summary: Summary,
    signatures: bool = True,
    style: str = "table",
    intervals: bool = True,
    notes: Sequence[str] = (),
) -> None:
    """Print a table of scores, and what belongs below it.

    Args:
        summary: rows of `Scores.summary()` or `Scores.table()`, by name.
        signatures: print the signatures too.
        style: one of the formats of `--format`.
        intervals: print 95 % intervals in Markdown and LaTeX.
        notes: sentences about the numbers; with CSV they go to stderr.
    """
    if style == "table":
        _print_table(summary)
        for line in (*_signatures(summary, signatures), *notes):
            print(line)
    elif style == "csv":
        print(csv_text(["metric", *_CSV], [[name, *_csv_cells(row)] for name, row in summary.items()]))
        for note in notes:
            print(note, file=sys.stderr)
    else:
        write = {"markdown": markdown, "latex": latex}[style]
        header = ["metric", "score", *(["95 % interval"] if intervals else []), "n"]
        rows = [_cells(name, row, intervals) for name, row in summary.items()]
        print(write(header, rows, notes, _signatures(summary, signatures)))


def section_note(section: Mapping[str, Any]) -> str:
    """Return which section was scored, and how many reports do not have it or have no headings."""
    if not section:
        return ""
    parts = []
    for key, fate in (("without_section", "scored as empty"), ("without_headings", "taken whole")):
        counts = [f"{number} {side[: -1 if number == 1 else None]}" for side, number in section[key].items() if number]
        if counts:
            what = "no such section" if key == "without_section" else "no headings"
            parts.append(f"{' and '.join(counts)} with {what}, {fate}")
    return f"section {section['section']}: {'; '.join(parts) or 'found in every report'}"


def _signatures(summary: Summary, wanted: bool) -> list[str]:
    return list(dict.fromkeys(row["signature"] for row in summary.values())) if wanted else []


def _print_table(summary: Summary) -> None:
    rows, short_rows = [], []
    for name, row in summary.items():
        interval = f"{row['ci95'][0]:.4f} to {row['ci95'][1]:.4f}" if row["ci95"] else "-"
        score = "-" if row["score"] is None else f"{row['score']:.4f}"
        arrow, word = ("↑", "higher") if row["higher_is_better"] else ("↓", "lower")
        of_all = f"{row['n']} of {row['n'] + row['unscored']}" if row["unscored"] else f"{row['n']}"
        rows.append([name, score, interval, count_text(row), f"{arrow} {word}"])
        short_rows.append([name, score, interval, of_all, arrow])
    print_table(["metric", "score", "95 % interval", "n", "better"], rows, short_rows)


def _csv_cells(row: Mapping[str, Any]) -> list[Any]:
    low, high = row["ci95"] or (None, None)
    known = {**row, "ci95_low": low, "ci95_high": high}
    return [known[key] for key in _CSV]


def _cells(name: str, row: Mapping[str, Any], intervals: bool) -> list[Cell]:
    number = number_cell(row["score"], row["ci95"])
    arrow = "↑" if row["higher_is_better"] else "↓"
    shown = [Cell(number.interval or "-")] if intervals else []
    return [Cell(f"{name} {arrow}"), Cell(number.text), *shown, Cell(count_text(row))]


def coverage_note(covered: Sequence[str], coverage: Mapping[str, Any] | None, total: int) -> str:
    """Return a warning if the findings parser understood little of the reports, else "".

    Args:
        covered: metrics that use the parser; all of them read the same pairs.
        coverage: mean, number of pairs with low coverage, and the share that is low; None without such a metric.
        total: number of pairs.
    """
    if not coverage or coverage["mean"] >= coverage["low_below"]:
        return ""
    return (
        f"low coverage: the findings parser understood {coverage['mean']:.0%} of the words of a pair on average, "
        f"and less than {coverage['low_below']:.0%} in {coverage['low']} of {total} pairs. Do not trust "
        f"{', '.join(covered)} there; --out has the coverage of each pair."
    )
