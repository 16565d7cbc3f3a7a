"""`green`: errors by category, matched findings, and the sentences that contain them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.error_categories import LEGEND, error_counts, error_marks, error_table
from radeval_core.ui.views.marks import Mark, both_reports, legend, plural


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the errors and matched findings, in both reports and in a table."""
    if "matched" not in detail:
        return f'<p class="summary">Not analysed: {text(detail.get("reason", ""))}</p>'
    facts = f"✓ {plural(detail['matched']['count'], 'matched finding')} · {error_counts(detail)}"
    matched = "".join(f'<li class="match">✓ {text(entry["text"])}</li>' for entry in detail["matched"]["entries"])
    return (
        f'<p class="facts">{facts}</p>{_weighted(detail)}<p class="summary">{text(detail["explanation"])}</p>'
        + both_reports(reference, candidate, (_marks(detail, "reference"), _marks(detail, "prediction")))
        + legend(*LEGEND, ("match", "✓ matched finding"))
        + error_table(detail)
        + (f'<h4>Matched findings</h4><ul class="chips">{matched}</ul>' if matched else "")
    )


def _weighted(detail: Mapping[str, Any]) -> str:
    """Show the weighted variant, which only the embedded judge gives, and what it is for."""
    if "weighted" not in detail:
        return ""
    return (
        f'<p class="note">Weighted by clinical significance (green.weighted): <b>{detail["weighted"]:.3f}'
        "</b>. It ranks candidates better; the score above is the paper's equation, which only counts.</p>"
    )


def _marks(detail: Mapping[str, Any], side: str) -> list[Mark]:
    """Return the marks of one report, the most severe first."""
    return [*error_marks(detail, side)] + [
        Mark(entry[side][0], entry[side][1], "match", "✓", entry["text"])
        for entry in detail["matched"]["entries"]
        if side in entry
    ]
