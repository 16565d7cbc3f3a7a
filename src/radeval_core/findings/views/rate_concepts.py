"""Map the entities of RaTE's schema to concepts of the lexicon, and compare two concepts.

The published model compares names with a medical encoder. Here the lexicon says which names mean the same, and which
are a kind or a part of another.
"""

from __future__ import annotations

from dataclasses import dataclass

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import find_forms, side_of
from radeval_core.findings.text import tokenize
from radeval_core.findings.types import ParsedReport, RateEntity
from radeval_core.findings.views.rate import rate_entities

#: similarity of a concept and a more general one: consolidation and opacity, a lobe and its lung
KIN = 0.8
#: factor if both give a side and they differ
OTHER_SIDE = 0.8
#: factor if both give a severity and they differ
OTHER_SEVERITY = 0.9
#: factor if one states what the other denies; RaTEScore's penalty is applied as well, as in the published model
DENIED = 0.5


@dataclass(frozen=True, slots=True)
class Concept:
    """The meaning of an entity.

    Attributes:
        name: finding or region of the lexicon; empty if the lexicon has none.
        words: the name as given to an encoder.
        side: left, right or bilateral; empty if none is given.
        severity: mild, moderate or severe; empty if none is given.
        absent: True if it is denied or normal; None for a place.
    """

    name: str
    words: str
    side: str = ""
    severity: str = ""
    absent: bool | None = None


def rate_concepts(report: ParsedReport) -> list[tuple[RateEntity, Concept]]:
    """Return the entities of a report with their concepts."""
    return [
        (entity, _place(entity, report.lexicon) if entity.type == "Anatomy" else _said(entity, report))
        for entity in rate_entities(report)
    ]


def nearness(one: Concept, other: Concept, lexicon: Lexicon) -> float | None:
    """Return how alike two concepts are, from 0 to 1, or None if the lexicon does not relate them."""
    if not one.name or not other.name:
        return None
    if one.name == other.name:
        near = 1.0
    elif other.name in more_general(one.name, lexicon) or one.name in more_general(other.name, lexicon):
        near = KIN
    else:
        return None
    return near * differences(one, other)


def differences(one: Concept, other: Concept) -> float:
    """Return the factor that lowers a similarity if side, severity or presence differ; 1 if none does."""
    factor = OTHER_SIDE if one.side and other.side and one.side != other.side else 1.0
    if one.severity and other.severity and one.severity != other.severity:
        factor *= OTHER_SEVERITY
    return factor * (DENIED if {one.absent, other.absent} == {True, False} else 1.0)


def more_general(name: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the findings a finding is a kind of, or the regions a region is part of."""
    return lexicon.ancestors(name) if name in lexicon.regions else lexicon.more_general(name)


def _said(entity: RateEntity, report: ParsedReport) -> Concept:
    """Return the concept of the finding that contains an entity's words."""
    absent = entity.type.startswith("Non-")
    for f in report.stated:
        if (
            f.start <= entity.start
            and entity.end <= f.end
            and absent == (f.kind == "normality" or f.polarity == "absent")
        ):
            return Concept(f.finding, f.finding.replace("_", " "), f.laterality or "", f.severity or "", absent)
    return Concept("", entity.text, absent=absent)


def _place(entity: RateEntity, lexicon: Lexicon) -> Concept:
    """Return the concept of the region an entity names."""
    forms = find_forms(tokenize(entity.text).words, lexicon)
    for form in forms:
        if form.roles.region:
            side = side_of(forms, form)
            words = form.roles.region.replace("_", " ")
            return Concept(form.roles.region, f"{side} {words}" if side else words, side)
    return Concept("", entity.text)
