"""Shows how much of a pair the findings parser understood, marks the rest, and says why a pair is not scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend


def share_text(coverage: Mapping[str, Any]) -> str:
    """Return the coverage of a pair in words."""
    theirs, ours = coverage["reference"]["share"], coverage["prediction"]["share"]
    shares = f"{theirs:.0%} of the content words of the reference, {ours:.0%} of the candidate's"
    return f"Understood by the findings parser: {shares}."


def draw_coverage(coverage: Mapping[str, Any], reason: str, reference: str, candidate: str) -> str:
    """Draw the coverage of a pair as HTML; empty if the parser understood every sentence.

    Args:
        coverage: `coverage` of the details of a pair.
        reason: why the pair is not scored; empty if it is.
        reference: the reference report.
        candidate: the candidate report.
    """
    marks = tuple(
        [Mark(start, end, "unread", "?", "not understood") for start, end in coverage[side]["unread"]]
        for side in ("reference", "prediction")
    )
    if not reason and not any(marks):
        return ""
    why = f'<p class="summary">{text(reason)}</p>' if reason else ""
    return (
        f'<div class="rv rv-coverage">{why}<p class="note">{text(share_text(coverage))}</p>'
        + both_reports(reference, candidate, (marks[0], marks[1]))
        + legend(("unread", "? sentence that the parser did not understand; it does not count in the score"))
        + "</div>"
    )
