"""`chexbert_f1`: what the labeller says of 14 conditions in both reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.ui.views.marks import legend, table, text

#: sign and words of each answer
_ANSWERS = {
    "positive": ("+", "present"),
    "negative": ("−", "absent"),
    "uncertain": ("?", "uncertain"),
    "blank": ("·", "not mentioned"),
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """The grid of labels."""
    ours, theirs = detail["prediction"]["labels"], detail["reference"]["labels"]
    rows = [
        [text(name), _answer(theirs[name]), _answer(ours[name]), _verdict(theirs[name], ours[name])] for name in ours
    ]
    return (
        legend(*((f"label-{answer}", f"{sign} {words}") for answer, (sign, words) in _ANSWERS.items()))
        + table(("Condition", "Reference", "Candidate", "F1 says"), rows, "grid")
        + '<p class="note">Uncertain counts as present; absent and not mentioned count the same.</p>'
    )


def _answer(answer: str) -> str:
    sign, words = _ANSWERS[answer]
    if answer == "blank":  # most cells: on a narrow screen the sign is enough
        words = f'<span class="wide">{words}</span>'
    return f'<mark class="label-{answer}">{sign} {words}</mark>'


def _verdict(reference: str, candidate: str) -> str:
    """What the F1 of present conditions makes of a pair of labels."""
    there, said = (answer in ("positive", "uncertain") for answer in (reference, candidate))
    if there and said:
        return '<b class="right">✓ hit</b>'
    if there:
        return '<b class="wrong">✗ missed</b>'
    return '<b class="wrong">✗ false alarm</b>' if said else '<span class="none">–</span>'
