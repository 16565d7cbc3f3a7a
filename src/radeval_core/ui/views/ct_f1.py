"""`ct_f1`: the 18 labels of both reports, and the words behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend, table

_SIGNS = {True: '<mark class="label-positive">+ stated</mark>', False: '<mark class="label-blank">·</mark>'}

_NOTHING = '<p class="summary">Neither report states one of the 18 labels, so the score is 1.</p>'


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Mark what states a label in both reports, and draw the table of labels."""
    ours, theirs = detail["prediction"]["labels"], detail["reference"]["labels"]
    said = [name for name in ours if ours[name] or theirs[name]]
    rows = [[text(name), _SIGNS[theirs[name]], _SIGNS[ours[name]], _verdict(theirs[name], ours[name])] for name in said]
    silent = ", ".join(name for name in ours if name not in said)
    marks = (_marks(detail["reference"], ours), _marks(detail["prediction"], theirs))
    return (
        both_reports(reference, candidate, marks)
        + legend(("match", "✓ a label of both reports"), ("error", "✗ a label of this report only"))
        + (table(("Label", "Reference", "Candidate", "Counted as"), rows, "grid stack") if rows else _NOTHING)
        + (f'<p class="note">Not stated in either report: {text(silent)}.</p>' if silent else "")
        + '<p class="note">Possible findings count as stated. Denied and not mentioned are treated alike.</p>'
    )


def _marks(side: Mapping[str, Any], other: Mapping[str, bool]) -> list[Mark]:
    """Return the passages behind the labels of one report; those that the other report lacks come first."""
    marks = [
        Mark(e["start"], e["end"], "match" if other[e["label"]] else "error", "", e["label"]) for e in side["evidence"]
    ]
    return sorted(marks, key=lambda mark: mark.kind)


def _verdict(reference: bool, candidate: bool) -> str:
    """Return how F1 counts a pair of labels."""
    if reference and candidate:
        return '<b class="right">✓ hit</b>'
    if reference:
        return '<b class="wrong">✗ missed</b>'
    return '<b class="wrong">✗ false alarm</b>' if candidate else '<span class="none">–</span>'
