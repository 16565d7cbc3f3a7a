"""Findings as plain rows for JSON files and tables."""

from __future__ import annotations

from typing import Any

from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.findings.views.label_sets import DEFAULT_LABELS, label_set


def finding_row(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON data."""
    return {
        "finding": finding.finding,
        "kind": finding.kind,
        "polarity": finding.polarity,
        "anatomy": list(finding.anatomy),
        "laterality": finding.laterality,
        "severity": finding.severity,
        "measurements": list(finding.measurements),
        "number": finding.number,
        "change": finding.change,
        "significance": finding.significance,
        "implied": finding.implied,
        "open": finding.open,
        "text": finding.text,
        "start": finding.start,
        "end": finding.end,
        "sentence": [finding.sentence_start, finding.sentence_end],
    }


def report_row(row_id: str | int, report: ParsedReport, labels: str = DEFAULT_LABELS) -> dict[str, Any]:
    """Return `{"id", "findings", "labels"}` of a report; findings that the lexicon does not list are marked `open`.

    Args:
        row_id: the id of the report.
        report: the parsed report.
        labels: the label set, see `label_sets.py`.
    """
    found = label_set(labels)(report)
    return {"id": row_id, "findings": [finding_row(f) for f in report.every], "labels": dict(found)}


def finding_cells(finding: Finding) -> list[str]:
    """Return a finding as the cells of a table row."""
    return [
        finding.finding + (" (open)" if finding.open else ""),
        finding.polarity + (" (implied)" if finding.implied else ""),
        ", ".join(finding.anatomy),
        finding.laterality or "",
        finding.severity or "",
        " x ".join(f"{size:g}" for size in finding.measurements),
        finding.number or "",
        finding.change or "",
        " ".join(finding.text.split()),
    ]
