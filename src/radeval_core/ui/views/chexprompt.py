"""`chexprompt`: errors by type, and the sentences that contain them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.error_categories import all_errors, error_counts, error_table
from radeval_core.ui.views.marks import marked_pair


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the errors in both reports and in a table. A model only counts, so that nothing is marked."""
    if "significant" not in detail:
        return f'<p class="summary">Not analysed: {text(detail.get("reason", ""))}</p>'
    shown = (
        marked_pair(reference, candidate, options) if any("reference" in e for _, _, e in all_errors(detail)) else ""
    )
    return f'<p class="facts">{error_counts(detail)}</p>{shown}{error_table(detail)}'
