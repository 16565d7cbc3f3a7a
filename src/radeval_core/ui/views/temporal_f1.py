"""`temporal_f1`: the change words in both reports, and each change beside its counterpart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from radeval_core.functional.temporal_f1 import WORDS
from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend, table
from radeval_core.ui.views.words import find_words

_WORD = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(WORDS))})(?![^\W_])")
_COUNTED = {
    "same": '<b class="right">✓ same change</b>',
    "other change": '<b class="wrong">✗ other change</b>',
    "missing": '<b class="wrong">✗ missing</b>',
    "added": '<b class="wrong">✗ added</b>',
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Mark the change words in both reports, then list the changes by finding."""
    common = set(detail["common"])
    alone = (set(detail["missing"]), set(detail["added"]))
    marks = tuple(_marks(report, common, other) for report, other in zip((reference, candidate), alone, strict=True))
    return (
        _formula(len(common), *map(len, alone))
        + both_reports(reference, candidate, (marks[0], marks[1]))
        + legend(("match", "✓ change word in both reports"), ("error", "✗ only in this report"))
        + "<h4>Changes finding by finding (aligned)</h4>"
        + _changes(detail["changes"])
    )


def _formula(common: int, missing: int, added: int) -> str:
    """Write the score of the change words with its numbers filled in."""
    if not common + missing + added:
        return '<p class="formula">Neither report has a change word: temporal_f1 = <b>1</b></p>'
    both = 2 * common + missing + added
    return (
        '<p class="formula">temporal_f1 = 2 · common / (words of the reference + words of the candidate) = '
        f"2 · {common} / ({common + missing} + {common + added}) = <b>{2 * common / both:.3f}</b></p>"
    )


def _marks(report: str, common: set[str], alone: set[str]) -> list[Mark]:
    words = [word for word in find_words(_WORD, report) if word.token in common | alone]
    return [
        Mark(w.start, w.end, "match" if w.token in common else "error", "" if w.token in common else "✗") for w in words
    ]


def _changes(changes: list[dict[str, Any]]) -> str:
    if not changes:
        return '<p class="note">No report links a change to a finding, so aligned is 1.</p>'
    rows = [[_finding(c), _said(c["reference"]), _said(c["prediction"]), _COUNTED[c["counted"]]] for c in changes]
    return table(("Finding", "Reference", "Candidate", "Counted as"), rows, "grid stack")


def _finding(change: Mapping[str, Any]) -> str:
    return text(" ".join(filter(None, (change["laterality"], change["finding"].replace("_", " ")))))


def _said(change: str | None) -> str:
    return text(change) if change else '<span class="none">no change stated</span>'
