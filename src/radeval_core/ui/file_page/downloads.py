"""The files that a visitor can save: scores as CSV, scores with details as JSONL, and a page that is one HTML file.

They are made when they are asked for, and go into the page as text; the browser saves them. The server writes none of
them to disk, and no address leads to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from radeval_core.io import csv_text, jsonl_text
from radeval_core.ui.file_page.comparison import comparison_section
from radeval_core.ui.file_page.run import FileRun, SystemRun
from radeval_core.ui.report.page import report_page


@dataclass(frozen=True)
class Download:
    """A file to save.

    Attributes:
        name: its name.
        kind: its media type.
        text: its content.
    """

    name: str
    kind: str
    text: str


def scores_csv(run: FileRun) -> Download:
    """Return the scores of every pair; two systems have a column `system`."""
    return Download("radeval_scores.csv", "text/csv", csv_text(_rows(run)))


def details_jsonl(run: FileRun) -> Download:
    """Return the scores of every pair with the structures behind them, which quote the reports."""
    rows = (
        {**row, "details": system.details[place]}
        for system in run.systems.values()
        for place, row in _places(run, system)
    )
    return Download("radeval_details.jsonl", "application/x-ndjson", jsonl_text(rows))


def report_html(run: FileRun, system: str | None) -> Download:
    """Return the page of one system, with the comparison if there are two."""
    chosen = run.system(system)
    further = comparison_section(run.comparison) if run.comparison else ""
    pieces = report_page(
        chosen.scores, chosen.pairs, chosen.details, chosen.name, chosen.options, len(chosen.pairs), further=further
    )
    return Download("radeval_report.html", "text/html", "".join(pieces))


def _rows(run: FileRun) -> Iterator[dict[str, Any]]:
    for system in run.systems.values():
        for _, row in _places(run, system):
            yield row


def _places(run: FileRun, system: SystemRun) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the place and the row of each pair; of two systems the rows name their system."""
    named = {"system": system.name} if run.other else {}
    for place, row in enumerate(system.scores.rows()):
        yield place, {"id": row.pop("id"), **named, **row}
