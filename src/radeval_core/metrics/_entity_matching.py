"""Match the entities of two reports both ways.

In long reports the same names come again and again, with another side or severity. There each distinct name is compared
once, and the differences of side, severity and presence are applied to its best values: the work grows with the
distinct names, whose number the lexicon bounds, not with all pairs of entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.views.rate_concepts import Concept, with_concepts
from radeval_core.functional.ratescore import EQUAL, EntityMatch, first_best
from radeval_core.metrics.base import Array

#: similarities computed at once; larger pairs are compared by distinct names, some at a time
_SMALL = 1 << 20

#: what makes a match of its index, its similarity, the type of the entity and the type of its match
Join = Callable[[int, float, str, str], EntityMatch]
#: the index of a match and its similarity
Best = tuple[int, float]
Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Side:
    """The entities of one report, for matching: what each means, and its type."""

    concepts: Sequence[Concept]
    types: Sequence[str]

    def __len__(self) -> int:
        return len(self.concepts)


def both_ways(
    one: Side, other: Side, vectors: dict[str, Any], lexicon: Lexicon | None, join: Join
) -> tuple[list[EntityMatch], list[EntityMatch]]:
    """Return the match of each entity in the other report, in both directions."""
    if len(one) * len(other) <= _SMALL:
        similarity = _similarity(one.concepts, other.concepts, vectors, lexicon)
        forth, back = first_best(similarity), first_best(similarity.T)
    else:
        ones, others = _Named.of(one.concepts), _Named.of(other.concepts)
        forth, back = _by_names(ones, others, vectors, lexicon), _by_names(others, ones, vectors, lexicon)
    return _joined(forth, one.types, other.types, join), _joined(back, other.types, one.types, join)


def _joined(found: Sequence[Best], types: Sequence[str], others: Sequence[str], join: Join) -> list[EntityMatch]:
    return [join(index, value, kind, others[index]) for (index, value), kind in zip(found, types, strict=True)]


@dataclass(frozen=True)
class _Named:
    """The entities of a report as numbers.

    Attributes:
        names: the distinct names, as concepts without further marks.
        marks: the distinct marks (side, severity, presence), as concepts without a name; at most a few dozen.
        keys: the numbers of the name and of the marks of each entity.
    """

    names: Sequence[Concept]
    marks: Sequence[Concept]
    keys: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, concepts: Sequence[Concept]) -> _Named:
        names: dict[Concept, int] = {}
        marks: dict[Concept, int] = {}
        keys = [
            (
                names.setdefault(Concept(c.name, c.words), len(names)),
                marks.setdefault(Concept("", "", c.side, c.severity, c.absent), len(marks)),
            )
            for c in concepts
        ]
        return cls(list(names), list(marks), keys)

    def by_marks(self) -> list[tuple[Numbers, Numbers]]:
        """Return, for each of the marks, the names that have them and the first place of each, ordered by place."""
        first: dict[tuple[int, int], int] = {}
        for place, key in enumerate(self.keys):
            first.setdefault(key, place)
        columns: list[tuple[list[int], list[int]]] = [([], []) for _ in self.marks]
        for (name, mark), place in first.items():
            columns[mark][0].append(name)
            columns[mark][1].append(place)
        return [(np.array(names, dtype=np.intp), np.array(places, dtype=np.intp)) for names, places in columns]


def _by_names(one: _Named, other: _Named, vectors: dict[str, Any], lexicon: Lexicon | None) -> list[Best]:
    """Return the best match of each entity, as `first_best` finds it among all pairs."""
    factors = _factors(one.marks, other.marks, lexicon)
    wanted, shelves = one.by_marks(), other.by_marks()
    rows = max(_SMALL // len(other.names), 1)
    best: dict[tuple[int, int], Best] = {}
    for start in range(0, len(one.names), rows):
        likeness = _similarity(one.names[start : start + rows], other.names, vectors, lexicon)
        tops = np.stack([likeness[:, names].max(axis=1) for names, _ in shelves], axis=1)
        for mark, (names, _) in enumerate(wanted):
            here = names[(names >= start) & (names < start + rows)]
            found = _first_of_best(likeness[here - start], tops[here - start], factors[mark], shelves)
            best.update(zip(((name, mark) for name in here.tolist()), found, strict=True))
    return [best[key] for key in one.keys]


def _first_of_best(
    likeness: Array, tops: Array, factors: Array, shelves: Sequence[tuple[Numbers, Numbers]]
) -> Iterator[Best]:
    """Return the first place whose similarity is the best, and that similarity, for names with the same marks.

    Args:
        likeness: similarity of each name to each of the other report's, without marks.
        tops: the best of these among the names with each of the other report's marks.
        factors: what those marks make of a similarity.
        shelves: the names with each of the other report's marks, and their places.
    """
    reached = tops * factors
    least = reached.max(axis=1, initial=-np.inf) - EQUAL
    places = np.full(len(likeness), np.iinfo(np.intp).max)
    values = np.zeros(len(likeness))
    for mark, (names, at) in enumerate(shelves):
        rows = np.flatnonzero(reached[:, mark] >= least)
        similar = likeness[np.ix_(rows, names)] * factors[mark]
        first = np.argmax(similar >= least[rows, None], axis=1)
        sooner = at[first] < places[rows]
        rows, first, similar = rows[sooner], first[sooner], similar[sooner]
        places[rows] = at[first]
        values[rows] = similar[np.arange(len(rows)), first]
    return zip(places.tolist(), values.tolist(), strict=True)


def _factors(ones: Sequence[Concept], others: Sequence[Concept], lexicon: Lexicon | None) -> Array:
    """Return what two sets of marks make of a similarity: 1 if they do not differ."""
    same = np.ones((len(ones), len(others)))
    return same if lexicon is None else with_concepts(same, ones, others, lexicon)


def _similarity(
    ones: Sequence[Concept], others: Sequence[Concept], vectors: dict[str, Any], lexicon: Lexicon | None
) -> Array:
    """Return the cosine of the names, or the nearness of the concepts if the lexicon relates them."""
    left = np.array([vectors[c.words] for c in ones], dtype=np.float64)
    right = np.array([vectors[c.words] for c in others], dtype=np.float64)
    similarity: Array = left @ right.T
    return similarity if lexicon is None else with_concepts(similarity, ones, others, lexicon)
