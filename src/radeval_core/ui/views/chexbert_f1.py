"""`chexbert_f1`: the labels of 14 conditions in both reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.marks import legend, table

#: sign and text of each label
_ANSWERS = {
    "positive": ("+", "present"),
    "negative": ("−", "absent"),
    "uncertain": ("?", "uncertain"),
    "blank": ("·", "not mentioned"),
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the table of labels."""
    ours, theirs = detail["prediction"]["labels"], detail["reference"]["labels"]
    rows = [
        [text(name), _answer(theirs[name]), _answer(ours[name]), _verdict(theirs[name], ours[name])] for name in ours
    ]
    return (
        legend(*((f"label-{answer}", f"{sign} {words}") for answer, (sign, words) in _ANSWERS.items()))
        + table(("Condition", "Reference", "Candidate", "Counted as"), rows, "grid")
        + '<p class="note">Uncertain counts as present. Absent and not mentioned are treated alike.</p>'
    )


def _answer(answer: str) -> str:
    sign, words = _ANSWERS[answer]
    if answer == "blank":  # most cells are blank: show only the sign on a narrow screen
        words = f'<span class="wide">{words}</span>'
    return f'<mark class="label-{answer}">{sign} {words}</mark>'


def _verdict(reference: str, candidate: str) -> str:
    """Return how the F1 of present conditions counts a pair of labels."""
    in_reference, in_candidate = (answer in ("positive", "uncertain") for answer in (reference, candidate))
    if in_reference and in_candidate:
        return '<b class="right">✓ hit</b>'
    if in_reference:
        return '<b class="wrong">✗ missed</b>'
    return '<b class="wrong">✗ false alarm</b>' if in_candidate else '<span class="none">–</span>'
