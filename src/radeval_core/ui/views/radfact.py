"""`radfact`: the phrases of both reports, each with its verdict and the evidence in the other report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend, plural, table

_SIDES = (("prediction", "reference", "Candidate", "precision"), ("reference", "prediction", "Reference", "recall"))
_PLACE = {
    True: '<b class="right">✓ in place</b>',
    False: '<b class="wrong">✗ not in place</b>',
    None: '<span class="none">no boxes</span>',
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Mark the phrases in both reports, then list them with verdict and evidence."""
    if "prediction" not in detail:
        return f'<p class="summary">Not analysed: {text(detail.get("reason", ""))}</p>'
    facts = " · ".join(_share(detail[side], title, what) for side, _, title, what in _SIDES)
    return (
        f'<p class="facts">{text(facts)}</p>'
        + both_reports(reference, candidate, (_marks(detail, "reference"), _marks(detail, "prediction")))
        + legend(("match", "✓ the other report says so too"), ("error", "✗ the other report does not say so"))
        + "".join(_phrases(detail[side], detail[other], title) for side, other, title, _ in _SIDES)
    )


def _share(phrases: Sequence[Mapping[str, Any]], title: str, what: str) -> str:
    entailed = sum(phrase["entailed"] for phrase in phrases)
    return f"{title}: {entailed} of {plural(len(phrases), 'phrase')} entailed ({what})"


def _marks(detail: Mapping[str, Any], side: str) -> list[Mark]:
    """Return the marks of one report; what is not entailed is shown first where passages overlap."""
    marks = [
        Mark(start, end, "match" if p["entailed"] else "error", "✓" if p["entailed"] else "✗", p["phrase"])
        for p in detail[side]
        for start, end in p["spans"]
    ]
    return sorted(marks, key=lambda mark: mark.kind)


def _phrases(phrases: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]], title: str) -> str:
    if not phrases:
        return f'<h4>{text(title)}</h4><p class="note">No phrases.</p>'
    boxed = any(phrase["boxes"] is not None for phrase in phrases)
    head = (f"{title}: phrase", "Verdict", "Evidence in the other report", *(["Boxes"] if boxed else []))
    rows = [
        [text(p["phrase"]), _verdict(p), _evidence(p, others), *([_PLACE[p["in_place"]]] if boxed else [])]
        for p in phrases
    ]
    return table(head, rows, "stack")


def _verdict(phrase: Mapping[str, Any]) -> str:
    if phrase["entailed"]:
        return '<b class="right">✓ entailed</b>'
    why = f": {text(phrase['why'])}" if phrase["why"] else ""
    return f'<b class="wrong">✗ not entailed</b>{why}'


def _evidence(phrase: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    if not phrase["evidence"]:
        return '<span class="none">none</span>'
    return "<ul>" + "".join(f"<li>{text(others[i]['phrase'])}</li>" for i in phrase["evidence"]) + "</ul>"
