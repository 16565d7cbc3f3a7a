"""Map the entities of RaTE's schema to concepts of the lexicon, and compare two concepts.

The published model compares names with a medical encoder. Here the lexicon says which names mean the same, and which
are a kind or a part of another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import find_forms, side_of
from radeval_core.findings.text import tokenize
from radeval_core.findings.types import Finding, ParsedReport, RateEntity
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
    said = _Said(report)
    return [
        (entity, _place(entity, report.lexicon) if entity.type == "Anatomy" else said.concept(entity))
        for entity in rate_entities(report)
    ]


def with_concepts(
    cosine: NDArray[np.float64], ones: Sequence[Concept], others: Sequence[Concept], lexicon: Lexicon
) -> NDArray[np.float64]:
    """Return how alike concepts are, with a row per concept and a column per other concept.

    Concepts that the lexicon relates get a fixed value, others the cosine of their names. Both are lowered if side,
    severity or presence differ.
    """
    near = _nearness([c.name for c in ones], [c.name for c in others], lexicon)
    return np.where(near > 0, near, cosine) * _differences(ones, others)


def _nearness(ones: Sequence[str], others: Sequence[str], lexicon: Lexicon) -> NDArray[np.float64]:
    """Return 1 for the same name, KIN if one is a kind or part of the other, else 0."""
    rows, columns = _numbers(ones), _numbers(others)
    table = np.zeros((len(rows), len(columns)))
    for name, row in rows.items():
        for general in more_general(name, lexicon):
            if general in columns:
                table[row, columns[general]] = KIN
    for name, column in columns.items():
        for general in more_general(name, lexicon):
            if general in rows:
                table[rows[general], column] = KIN
        if name and name in rows:
            table[rows[name], column] = 1.0
    return table[np.ix_([rows[name] for name in ones], [columns[name] for name in others])]


def _differences(ones: Sequence[Concept], others: Sequence[Concept]) -> NDArray[np.float64]:
    """Return the factor that lowers a similarity if side, severity or presence differ; 1 if none does."""
    sides = _unlike([c.side for c in ones], [c.side for c in others])
    severities = _unlike([c.severity for c in ones], [c.severity for c in others])
    presence = {None: "", True: "absent", False: "present"}
    denied = _unlike([presence[c.absent] for c in ones], [presence[c.absent] for c in others])
    factor = np.where(sides, OTHER_SIDE, 1.0)
    factor *= np.where(severities, OTHER_SEVERITY, 1.0)
    factor *= np.where(denied, DENIED, 1.0)
    return factor


def why_less(one: Concept, other: Concept) -> list[str]:
    """Return in words what lowers the similarity of two concepts, with the factor of each."""
    reasons = []
    if one.side and other.side and one.side != other.side:
        reasons.append(f"{one.side} and {other.side}: × {OTHER_SIDE:g}")
    if one.severity and other.severity and one.severity != other.severity:
        reasons.append(f"{one.severity} and {other.severity}: × {OTHER_SEVERITY:g}")
    if None not in (one.absent, other.absent) and one.absent != other.absent:
        reasons.append(f"one present, one absent: × {DENIED:g}")
    return reasons


def _unlike(ones: Sequence[str], others: Sequence[str]) -> NDArray[np.bool_]:
    """Return where both texts are given and differ."""
    numbers = _numbers([*ones, *others, ""])
    left, right = np.array([numbers[x] for x in ones])[:, None], np.array([numbers[x] for x in others])[None, :]
    unlike: NDArray[np.bool_] = (left != right) & (left != numbers[""]) & (right != numbers[""])
    return unlike


def _numbers(texts: Sequence[str]) -> dict[str, int]:
    """Return a number for each distinct text."""
    return {text: i for i, text in enumerate(dict.fromkeys(texts))}


def more_general(name: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the findings a finding is a kind of, or the regions a region is part of."""
    return lexicon.ancestors(name) if name in lexicon.regions else lexicon.more_general(name)


class _Said:
    """The stated findings of a report, found by their position."""

    def __init__(self, report: ParsedReport) -> None:
        self._findings = findings = report.stated
        self._order = sorted(range(len(findings)), key=lambda i: findings[i].start)
        self._starts = [findings[i].start for i in self._order]
        #: how far the findings up to each one reach
        self._reach = list(accumulate((findings[i].end for i in self._order), max))

    def concept(self, entity: RateEntity) -> Concept:
        """Return the concept of the first finding that contains an entity's words."""
        absent = entity.type.startswith("Non-")
        numbers = [i for i in self._around(entity) if absent == _is_absent(self._findings[i])]
        if not numbers:
            return Concept("", entity.text, absent=absent)
        f = self._findings[min(numbers)]
        return Concept(f.finding, f.finding.replace("_", " "), f.laterality or "", f.severity or "", absent)

    def _around(self, entity: RateEntity) -> Iterator[int]:
        """Yield the numbers of the findings whose words include the entity's."""
        at = bisect_right(self._starts, entity.start) - 1
        while at >= 0 and self._reach[at] >= entity.end:
            if self._findings[self._order[at]].end >= entity.end:
                yield self._order[at]
            at -= 1


def _is_absent(finding: Finding) -> bool:
    return finding.kind == "normality" or finding.polarity == "absent"


def _place(entity: RateEntity, lexicon: Lexicon) -> Concept:
    """Return the concept of the region an entity names."""
    forms = find_forms(tokenize(entity.text).words, lexicon)
    for form in forms:
        if form.roles.region:
            side = side_of(forms, form)
            words = form.roles.region.replace("_", " ")
            return Concept(form.roles.region, f"{side} {words}" if side else words, side)
    return Concept("", entity.text)
