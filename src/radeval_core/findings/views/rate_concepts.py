"""What the entities of RaTE's view mean: their concept in the lexicon, and how near two concepts are.

The published model compares names by a medical encoder; here the lexicon knows which names mean the same, and which
are a kind or a part of another.
"""

from __future__ import annotations

from dataclasses import dataclass

from radeval_core.findings.match import find_forms, side_of
from radeval_core.findings.parser import default_parser
from radeval_core.findings.structures import ParsedReport, RateEntity
from radeval_core.findings.text import tokenize
from radeval_core.findings.views.rate import rate_entities

#: similarity of a concept and a more general one: consolidation and opacity, a lobe and its lung
KIN = 0.8
#: factor where both name a side, or a severity, and they differ
OTHER_SIDE = 0.8
OTHER_SEVERITY = 0.9
#: factor where one states what the other denies; the penalty of RaTEScore comes on top, as in the published model
DENIED = 0.5


@dataclass(frozen=True, slots=True)
class Concept:
    """The meaning of an entity.

    Attributes:
        name: finding or region of the lexicon; empty where the lexicon has none.
        words: the name as an encoder should read it.
        side: left, right or bilateral; empty where none is said.
        severity: mild, moderate or severe; empty where none is said.
        absent: whether it is denied, or normal; None for a place.
    """

    name: str
    words: str
    side: str = ""
    severity: str = ""
    absent: bool | None = None


def rate_concepts(report: ParsedReport) -> list[tuple[RateEntity, Concept]]:
    """The entities of a report with their concepts."""
    return [
        (entity, _place(entity) if entity.type == "Anatomy" else _said(entity, report))
        for entity in rate_entities(report)
    ]


def nearness(one: Concept, other: Concept) -> float | None:
    """How alike two concepts are, from 0 to 1; None where the lexicon does not relate them."""
    if not one.name or not other.name:
        return None
    if one.name == other.name:
        near = 1.0
    elif other.name in more_general(one.name) or one.name in more_general(other.name):
        near = KIN
    else:
        return None
    return near * differences(one, other)


def differences(one: Concept, other: Concept) -> float:
    """What is left of a similarity where side, severity or presence differ."""
    factor = OTHER_SIDE if one.side and other.side and one.side != other.side else 1.0
    if one.severity and other.severity and one.severity != other.severity:
        factor *= OTHER_SEVERITY
    return factor * (DENIED if {one.absent, other.absent} == {True, False} else 1.0)


def more_general(name: str) -> tuple[str, ...]:
    """The findings a finding is a kind of, or the regions a region is part of."""
    lexicon = default_parser().lexicon
    return lexicon.ancestors(name) if name in lexicon.regions else lexicon.more_general(name)


def _said(entity: RateEntity, report: ParsedReport) -> Concept:
    """The finding whose words an entity is."""
    absent = entity.type.startswith("Non-")
    for f in report.stated:
        if (
            f.start <= entity.start
            and entity.end <= f.end
            and absent == (f.kind == "normality" or f.polarity == "absent")
        ):
            return Concept(f.finding, f.finding.replace("_", " "), f.laterality or "", f.severity or "", absent)
    return Concept("", entity.text, absent=absent)


def _place(entity: RateEntity) -> Concept:
    """The region an entity names."""
    forms = find_forms(tokenize(entity.text).words, default_parser().lexicon)
    for form in forms:
        if form.roles.region:
            side = side_of(forms, form)
            words = form.roles.region.replace("_", " ")
            return Concept(form.roles.region, f"{side} {words}" if side else words, side)
    return Concept("", entity.text)
