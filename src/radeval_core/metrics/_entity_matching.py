"""Match the entities of two reports both ways, in memory that grows with the distinct entities only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.views.rate_concepts import Concept, with_concepts
from radeval_core.functional.ratescore import EntityMatch
from radeval_core.metrics.base import Array

#: similarities computed at once; larger pairs are compared by distinct entities, some at a time
_SMALL = 1 << 20


@dataclass(frozen=True)
class Side:
    """The entities of one report, for matching: what each means, its type, and its place among all entities."""

    concepts: Sequence[Concept]
    types: Sequence[str]
    places: Sequence[int]

    def __len__(self) -> int:
        return len(self.concepts)

    def distinct(self) -> tuple[Side, list[int]]:
        """Return the first entity of each concept and type, and for every entity the number of its first one."""
        first: dict[tuple[Concept, str], int] = {}
        keys = list(zip(self.concepts, self.types, strict=True))
        for place, key in enumerate(keys):
            first.setdefault(key, place)
        number = {key: i for i, key in enumerate(first)}
        side = Side([c for c, _ in first], [kind for _, kind in first], list(first.values()))
        return side, [number[key] for key in keys]

    def part(self, start: int, end: int) -> Side:
        return Side(self.concepts[start:end], self.types[start:end], self.places[start:end])


Match = Callable[[Array, Sequence[str], Sequence[str]], list[EntityMatch]]


def both_ways(
    one: Side, other: Side, vectors: dict[str, Any], lexicon: Lexicon | None, match: Match
) -> tuple[list[EntityMatch], list[EntityMatch]]:
    """Return the matches of each entity in the other report.

    In long reports the same entities come again: only distinct ones are compared, and only some rows at a time.
    """
    if len(one) * len(other) <= _SMALL:
        similarity = _similarity(one.concepts, other.concepts, vectors, lexicon)
        return match(similarity, one.types, other.types), match(similarity.T, other.types, one.types)
    (ones, of_one), (others, of_other) = one.distinct(), other.distinct()
    forth, back = _one_way(ones, others, vectors, lexicon, match), _one_way(others, ones, vectors, lexicon, match)
    return [forth[i] for i in of_one], [back[i] for i in of_other]


def _one_way(
    one: Side, other: Side, vectors: dict[str, Any], lexicon: Lexicon | None, match: Match
) -> list[EntityMatch]:
    """Return the match of each distinct entity of one report among those of the other, rows by rows."""
    found: list[EntityMatch] = []
    rows = max(_SMALL // len(other), 1)
    for start in range(0, len(one), rows):
        part = one.part(start, start + rows)
        found += match(_similarity(part.concepts, other.concepts, vectors, lexicon), part.types, other.types)
    return [replace(m, index=other.places[m.index]) for m in found]


def _similarity(
    ones: Sequence[Concept], others: Sequence[Concept], vectors: dict[str, Any], lexicon: Lexicon | None
) -> Array:
    """Return the cosine of the names, or the nearness of the concepts if the lexicon relates them."""
    left = np.array([vectors[c.words] for c in ones], dtype=np.float64)
    right = np.array([vectors[c.words] for c in others], dtype=np.float64)
    similarity: Array = left @ right.T
    return similarity if lexicon is None else with_concepts(similarity, ones, others, lexicon)
