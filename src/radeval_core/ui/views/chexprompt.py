"""`chexprompt`: errors by type, and the sentences that contain them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.error_categories import LEGEND, error_counts, error_marks, error_table
from radeval_core.ui.views.marks import both_reports, legend


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the errors in both reports and in a table. A model only counts, so that nothing is marked."""
    if "significant" not in detail:
        return f'<p class="summary">Not analysed: {text(detail.get("reason", ""))}</p>'
    marks = (list(error_marks(detail, "reference")), list(error_marks(detail, "prediction")))
    shown = both_reports(reference, candidate, marks) + legend(*LEGEND) if any(marks) else ""
    return f'<p class="facts">{error_counts(detail)}</p>{shown}{error_table(detail)}'
