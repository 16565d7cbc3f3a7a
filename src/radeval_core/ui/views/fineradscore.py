"""`fineradscore`: the candidate line by line with its corrections, and the corrected report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.correction_table import correction_table, severity_legend
from radeval_core.ui.views.marks import report_panel, two_columns


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the corrections and the corrected report."""
    if detail["corrections"] is None:
        return f'<p class="summary">Not analysed: {text(detail["reason"])}</p>'
    nothing = "" if detail["corrections"] else f'<p class="summary">{_why_nothing(reference, candidate)}</p>'
    return (
        nothing
        + correction_table(detail)
        + f'<p class="legend">{severity_legend()}</p>'
        + two_columns(
            ("Reference", report_panel(text(reference))),
            ("Candidate, corrected", report_panel(text(detail["corrected"]))),
        )
    )


def _why_nothing(reference: str, candidate: str) -> str:
    return "✓ Nothing to correct." if reference.strip() or candidate.strip() else "Both reports are empty."
