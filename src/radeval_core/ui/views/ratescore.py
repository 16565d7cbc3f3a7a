"""`ratescore`: entities by type, and the best match of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.findings.parser import parse
from radeval_core.findings.types import ParsedReport
from radeval_core.findings.views.rate_concepts import Concept, rate_concepts, why_less
from radeval_core.functional.ratescore import opposed
from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, bar, both_reports, legend, table, two_columns

#: CSS class and badge of each entity type
_TYPES = {
    "Anatomy": ("anatomy", "A"),
    "Abnormality": ("abnormality", "Ab"),
    "Disease": ("disease", "D"),
    "Non-Abnormality": ("no-abnormality", "no Ab"),
    "Non-Disease": ("no-disease", "no D"),
}
#: similarity from which a match counts as equal, and how many of them are folded
_EQUAL, _FOLDED = 0.995, 8

_Concepts = dict[tuple[str, str], list[Concept]]


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw both reports with their entities, and the matches in both directions."""
    sides = (detail["reference"], detail["prediction"])
    # a model compares names alone; our parser also compares side, severity and presence
    read = options.get("read", parse)
    known = [_concepts(read(report)) if "coverage" in detail else {} for report in (reference, candidate)]
    return (
        both_reports(reference, candidate, (_marks(sides[0]), _marks(sides[1])))
        + legend(*((kind, f"{name} ({letter})") for name, (kind, letter) in _TYPES.items()))
        + two_columns(
            ("From the reference: is it in the candidate?", _matches(sides[0], *known)),
            ("From the candidate: is it in the reference?", _matches(sides[1], *reversed(known))),
        )
    )


def _marks(entities: Sequence[Mapping[str, Any]]) -> list[Mark]:
    return [Mark(e["start"], e["end"], _kind(e["type"]), _letter(e["type"]), _note(e)) for e in entities]


def _note(entity: Mapping[str, Any]) -> str:
    if "match" not in entity:
        return f"{entity['type']}: no entity to match with"
    return f"{entity['type']}; best match: {entity['match']} ({entity['similarity']:.2f})"


def _concepts(report: ParsedReport) -> _Concepts:
    """Return what each entity of a report means, by its words and type; the first one of several."""
    found: _Concepts = {}
    for entity, concept in rate_concepts(report):
        found.setdefault((entity.text.lower(), entity.type), []).append(concept)
    return found


def _matches(entities: Sequence[Mapping[str, Any]], own: _Concepts, others: _Concepts) -> str:
    if not entities:
        return '<p class="none">No entity found.</p>'
    head = ("Entity", "Best match", "Similarity")
    ordered = sorted(entities, key=lambda entity: entity.get("similarity", 0.0))
    rows = [_row(entity, own, others) for entity in ordered]
    lower = sum(entity.get("similarity", 0.0) < _EQUAL for entity in ordered)
    if len(rows) - lower < _FOLDED:
        return table(head, rows)
    folded = f"<details><summary>{len(rows) - lower} entities with an equal match</summary>"
    return (table(head, rows[:lower]) if lower else "") + f"{folded}{table(head, rows[lower:])}</details>"


def _less(entity: Mapping[str, Any], own: _Concepts, others: _Concepts) -> str:
    """Return why a match counts less than its words are alike: another side, another degree, denied."""
    ours = own.get((entity["entity"].lower(), entity["type"]), ())
    theirs = others.get((entity["match"].lower(), entity["match_type"]), ())
    options = [why_less(one, other) for one in ours for other in theirs]
    reasons = min(options, key=len, default=[])
    return f' <span class="note">{text("; ".join(reasons))}</span>' if reasons else ""


def _row(entity: Mapping[str, Any], own: _Concepts, others: _Concepts) -> Sequence[str]:
    name = f'<mark class="{_kind(entity["type"])}">{text(entity["entity"])}</mark>'
    if "match" not in entity:
        return name, '<span class="none">none</span>', ""
    match = f'<mark class="{_kind(entity["match_type"])}">{text(entity["match"])}</mark>'
    return (
        name,
        match + text(_penalty(entity)) + _less(entity, own, others),
        bar(entity["similarity"], f"{entity['similarity']:.2f}"),
    )


def _penalty(entity: Mapping[str, Any]) -> str:
    """Return why a match is penalised; empty if it is not."""
    if not entity["penalised"]:
        return ""
    return " ✗ one present, one absent" if opposed(entity["type"], entity["match_type"]) else " ✗ types differ"


def _kind(entity_type: str) -> str:
    return _TYPES.get(entity_type, ("other", ""))[0]


def _letter(entity_type: str) -> str:
    return _TYPES.get(entity_type, ("", entity_type))[1]
