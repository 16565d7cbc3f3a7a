"""`srrbert_f1`: the labels of both reports with what they were read from, grouped as in SRR-BERT's hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from radeval_core.findings.views.srrbert import parent_of, without_status
from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend, table

#: by label, the sentences or mentions it was read from
Labels = dict[str, list[str]]


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Mark what labels were read from, list the labels of either report, and name those that cannot be seen."""
    theirs, ours = (_labels(detail[side]["labels"]) for side in ("reference", "prediction"))
    marks = _marks(reference, theirs, ours), _marks(candidate, ours, theirs)
    unseen = ", ".join(detail["unseen"])
    note = f"This config cannot see: {unseen}." if unseen else "A label with another status is another label."
    return (
        both_reports(reference, candidate, marks)
        + legend(("match", "✓ label in both reports"), ("error", "✗ label only in this report"))
        + _table(theirs, ours)
        + f'<p class="note">{text(note)}</p>'
    )


def _labels(rows: Iterable[Mapping[str, Any]]) -> Labels:
    return {row["label"]: row["read_from"] for row in rows}


def _marks(report: str, labels: Labels, others: Labels) -> list[Mark]:
    """Return the passages behind the labels of a report, as far as they are in it word for word."""
    found = []
    for label, quotes in labels.items():
        kind, badge = ("match", "") if label in others else ("error", "✗")
        for quote in quotes:
            start = report.find(quote)
            if start >= 0:
                found.append(Mark(start, start + len(quote), kind, badge, label))
    return sorted(found, key=lambda mark: mark.kind)  # an error is shown before a match of the same words


def _table(theirs: Labels, ours: Labels) -> str:
    labels = sorted({*theirs, *ours}, key=lambda label: (parent_of(label), without_status(label), label))
    if not labels:
        return '<p class="note">No report has a label.</p>'
    rows = [
        [
            text(label),
            text(parent_of(label) or "–"),
            _quoted(theirs.get(label)),
            _quoted(ours.get(label)),
            _verdict(label in theirs, label in ours),
        ]
        for label in labels
    ]
    return table(("Label", "Part of", "Reference", "Candidate", "Counted as"), rows, "grid stack")


def _quoted(quotes: list[str] | None) -> str:
    return text("; ".join(quotes)) if quotes else '<span class="none">–</span>'


def _verdict(in_reference: bool, in_candidate: bool) -> str:
    if in_reference and in_candidate:
        return '<b class="right">✓ hit</b>'
    return f'<b class="wrong">✗ {"missed" if in_reference else "false alarm"}</b>'
