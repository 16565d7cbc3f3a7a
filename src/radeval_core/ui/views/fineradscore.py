"""`fineradscore`: the candidate line by line with its corrections, and the corrected report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.correction_table import correction_table, severity_legend
from radeval_core.ui.views.marks import marked_pair, report_panel, two_columns


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the corrections and the corrected report."""
    if detail["corrections"] is None:
        return f'<p class="summary">Not analysed: {text(detail["reason"])}</p>'
    nothing = "" if detail["corrections"] else f'<p class="summary">{_why_nothing(reference, candidate)}</p>'
    return (
        nothing
        + _sum(detail["corrections"])
        + (marked_pair(reference, candidate, options) if "coverage" in detail else "")
        + f'<p class="legend">{severity_legend()}</p>'
        + correction_table(detail)
        + two_columns(
            ("Reference", report_panel(text(reference))),
            ("Candidate, corrected", report_panel(text(detail["corrected"]))),
        )
    )


def _sum(corrections: Sequence[Mapping[str, Any]]) -> str:
    """Write the score as the sum of the severities."""
    if not corrections:
        return ""
    parts = " + ".join(str(c["severity"]) for c in corrections)
    total = sum(c["severity"] for c in corrections)
    return f'<p class="formula">fineradscore = sum of the severities = {parts} = <b>{total}</b></p>'


def _why_nothing(reference: str, candidate: str) -> str:
    return "✓ Nothing to correct." if reference.strip() or candidate.strip() else "Both reports are empty."
