"""`ratescore`: entities by type, and what each is matched with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.ui.views.marks import Mark, bar, both_reports, legend, table, text, two_columns

#: the type of an entity, its CSS class, and its letter in the reports
_TYPES = {
    "Anatomy": ("anatomy", "A"),
    "Abnormality": ("abnormality", "Ab"),
    "Disease": ("disease", "D"),
    "Non-Abnormality": ("no-abnormality", "no Ab"),
    "Non-Disease": ("no-disease", "no D"),
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Both reports with their entities, and the matches of both directions."""
    sides = (detail["reference"], detail["prediction"])
    return (
        both_reports(reference, candidate, (_marks(sides[0]), _marks(sides[1])))
        + legend(*((kind, f"{name} ({letter})") for name, (kind, letter) in _TYPES.items()))
        + two_columns(
            ("From the reference: is it in the candidate?", _matches(sides[0])),
            ("From the candidate: is it in the reference?", _matches(sides[1])),
        )
    )


def _marks(entities: Sequence[Mapping[str, Any]]) -> list[Mark]:
    return [Mark(e["start"], e["end"], _kind(e["type"]), _letter(e["type"]), _said(e)) for e in entities]


def _said(entity: Mapping[str, Any]) -> str:
    if "match" not in entity:
        return f"{entity['type']}: no entity to match with"
    return f"{entity['type']}; best match: {entity['match']} ({entity['similarity']:.2f})"


def _matches(entities: Sequence[Mapping[str, Any]]) -> str:
    if not entities:
        return '<p class="none">No entity was read.</p>'
    return table(("Entity", "Best match", "Similarity"), map(_row, entities))


def _row(entity: Mapping[str, Any]) -> Sequence[str]:
    name = f'<mark class="{_kind(entity["type"])}">{text(entity["entity"])}</mark>'
    if "match" not in entity:
        return name, '<span class="none">none</span>', ""
    match = f'<mark class="{_kind(entity["match_type"])}">{text(entity["match"])}</mark>'
    note = " ✗ present against absent" if entity["penalised"] else ""
    return name, match + text(note), bar(entity["similarity"], f"{entity['similarity']:.2f}")


def _kind(entity_type: str) -> str:
    return _TYPES.get(entity_type, ("other", ""))[0]


def _letter(entity_type: str) -> str:
    return _TYPES.get(entity_type, ("", entity_type))[1]
