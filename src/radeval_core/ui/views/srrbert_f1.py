"""`srrbert_f1`: the labels of both reports, grouped as in SRR-BERT's hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.findings.views.srrbert import parent_of, without_status
from radeval_core.html_text import text
from radeval_core.ui.views.marks import table


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the table of labels that either report has, and name those that cannot be seen."""
    theirs, ours = (
        {row["label"]: row["read_from"] for row in detail[side]["labels"]} for side in ("reference", "prediction")
    )
    labels = sorted({*theirs, *ours}, key=lambda label: (parent_of(label), without_status(label), label))
    rows = [
        [text(label), text(parent_of(label) or "–"), _quotes(theirs.get(label)), _quotes(ours.get(label)),
         _verdict(label in theirs, label in ours)]
        for label in labels
    ]  # fmt: skip
    head = ("Label", "Part of", "Reference", "Candidate", "Counted as")
    body = table(head, rows, "grid") if rows else '<p class="note">No report has a label.</p>'
    unseen = ", ".join(detail["unseen"])
    note = f"This config cannot see: {unseen}." if unseen else "A label with another status is another label."
    return f'{body}<p class="note">{text(note)}</p>'


def _quotes(found: list[str] | None) -> str:
    """Return what a label was read from."""
    return text("; ".join(found)) if found else '<span class="none">–</span>'


def _verdict(in_reference: bool, in_candidate: bool) -> str:
    if in_reference and in_candidate:
        return '<b class="right">✓ hit</b>'
    return f'<b class="wrong">✗ {"missed" if in_reference else "false alarm"}</b>'
