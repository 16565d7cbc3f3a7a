"""`chexbert_f1`: the labels of 14 conditions in both reports, and the words behind each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.findings.parser import parse
from radeval_core.findings.types import ParsedReport
from radeval_core.findings.views.chexbert import chexbert_evidence
from radeval_core.html_text import text
from radeval_core.ui.views.marks import legend, table

#: sign and text of each label
_ANSWERS = {
    "positive": ("+", "present"),
    "negative": ("−", "absent"),
    "uncertain": ("?", "uncertain"),
    "blank": ("·", "not mentioned"),
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the table of labels."""
    ours, theirs = detail["prediction"]["labels"], detail["reference"]["labels"]
    # a model does not say which words it labelled
    read = options.get("read", parse)
    words = [_evidence(read(report)) if "coverage" in detail else {} for report in (reference, candidate)]
    rows = {
        name: [
            text(name),
            _answer(theirs[name], words[0].get(name, ())),
            _answer(ours[name], words[1].get(name, ())),
            _verdict(theirs[name], ours[name]),
        ]
        for name in ours
    }
    said = [name for name in ours if (theirs[name], ours[name]) != ("blank", "blank")]
    silent = ", ".join(name for name in ours if name not in said)
    return (
        legend(*((f"label-{answer}", f"{sign} {words}") for answer, (sign, words) in _ANSWERS.items()))
        + table(("Condition", "Reference", "Candidate", "Counted as"), [rows[name] for name in said], "grid stack")
        + (f'<p class="note">Not mentioned in either report: {text(silent)}.</p>' if silent else "")
        + '<p class="note">Uncertain counts as present. Absent and not mentioned are treated alike.</p>'
    )


def _evidence(report: ParsedReport) -> dict[str, list[str]]:
    """Return the words behind each label of a report, each once."""
    found = chexbert_evidence(report)
    return {name: list(dict.fromkeys(f.text for f in mentions)) for name, mentions in found.items()}


def _answer(answer: str, evidence: Sequence[str] = ()) -> str:
    sign, words = _ANSWERS[answer]
    if answer == "blank":  # most cells are blank: show only the sign on a narrow screen
        words = f'<span class="wide">{words}</span>'
    behind = f' <q class="behind">{text("; ".join(evidence))}</q>' if evidence and answer != "blank" else ""
    return f'<mark class="label-{answer}">{sign} {words}</mark>{behind}'


def _verdict(reference: str, candidate: str) -> str:
    """Return how the F1 of present conditions counts a pair of labels."""
    in_reference, in_candidate = (answer in ("positive", "uncertain") for answer in (reference, candidate))
    if in_reference and in_candidate:
        return '<b class="right">✓ hit</b>'
    if in_reference:
        return '<b class="wrong">✗ missed</b>'
    return '<b class="wrong">✗ false alarm</b>' if in_candidate else '<span class="none">–</span>'
