"""Match the claims of two reports one to one, by concept, place, side, severity and size."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from radeval_core.findings.atlas import standard_atlas
from radeval_core.findings.claims import Claim
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_match import written_names
from radeval_core.findings.regions import imagenome_regions
from radeval_core.findings.relations import KIND_OF, LIKENESS, LOOKS_LIKE, near_names, one_side, relation

#: sizes that differ by no more count as equal, in millimetres and as a ratio
SAME_MILLIMETRES, SAME_RATIO = 2.0, 1.25
#: cells of a matrix that is assigned as a whole; larger ones are taken apart first. No real report has 256 claims.
_SMALL = 256 * 256

_Indices = NDArray[np.intp]
_T = TypeVar("_T", bound=Hashable)
#: all names of a claim, and those that are only possible
_Named = tuple[tuple[str, ...], frozenset[str]]


def match(
    theirs: Sequence[Claim],
    ours: Sequence[Claim],
    lexicon: Lexicon,
    denied_there: frozenset[str] = frozenset(),
    denied_here: frozenset[str] = frozenset(),
) -> list[tuple[int, int]]:
    """Return the one-to-one assignment of claims with the greatest total likeness.

    Claims with no likeness stay unmatched. A finding that the other report denies by name does not match a similar
    finding there: `consolidation` does not match the atelectasis of `atelectasis without consolidation`.

    Args:
        theirs: claims of the reference.
        ours: claims of the candidate.
        lexicon: the lexicon used to read both reports.
        denied_there: findings the reference denies by name.
        denied_here: findings the candidate denies by name.
    """
    if not theirs or not ours:
        return []
    rows, columns, likeness = _alike(theirs, ours, lexicon, denied_there, denied_here)
    if len(theirs) * len(ours) <= _SMALL:
        return _assigned(np.arange(len(theirs)), np.arange(len(ours)), rows, columns, likeness)
    # claims that no chain of similar claims connects cannot take a match from each other
    graph = coo_array((likeness, (rows, len(theirs) + columns)), shape=(len(theirs) + len(ours),) * 2)
    part = connected_components(graph, directed=False)[1]
    pairs: list[tuple[int, int]] = []
    for block in _blocks(part[rows]):
        here, there = np.unique(rows[block]), np.unique(columns[block])
        pairs += _assigned(here, there, rows[block], columns[block], likeness[block])
    return sorted(pairs)


def _blocks(part: _Indices) -> list[_Indices]:
    """Return the indices of equal numbers, together."""
    order = np.argsort(part, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(part[order])) + 1) if len(part) else []


def _assigned(
    here: _Indices, there: _Indices, rows: _Indices, columns: _Indices, likeness: NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Return the best assignment of some claims to others, given those that are alike."""
    matrix = np.zeros((len(here), len(there)))
    matrix[np.searchsorted(here, rows), np.searchsorted(there, columns)] = likeness
    first, second = linear_sum_assignment(matrix, maximize=True)
    chosen = matrix[first, second] > 0
    return list(zip(here[first[chosen]].tolist(), there[second[chosen]].tolist(), strict=True))


def _alike(
    theirs: Sequence[Claim],
    ours: Sequence[Claim],
    lexicon: Lexicon,
    denied_there: frozenset[str],
    denied_here: frozenset[str],
) -> tuple[_Indices, _Indices, NDArray[np.float64]]:
    """Return the pairs of claims with a likeness above 0: indices on both sides, and the likeness.

    It is 0 for claims about different things, and grows with agreement in place, side, severity and size.
    """
    rows, columns, concept = _concepts(theirs, ours, lexicon)
    a, b = _Columns(theirs, denied_here, lexicon), _Columns(ours, denied_there, lexicon)
    related = (concept >= LIKENESS[KIND_OF]) | ~(a.denied[rows] | b.denied[columns])
    rows, columns, concept = rows[related], columns[related], concept[related]
    place = np.where(_by_pair(a.places, b.places, rows, columns, partial(_one_place, lexicon=lexicon)), 1.0, 0.0)
    side = _by_pair(a.sides, b.sides, rows, columns, _side_likeness)
    nowhere = (place == 0) & (side == 0)
    sizes = np.where(_same_sizes(a.sizes[rows], b.sizes[columns]), 0.1, 0.0)
    grade = np.where(_by_pair(a.severities, b.severities, rows, columns, str.__eq__), 0.1, 0.0)
    likeness = concept + 0.5 * place + 0.5 * side + sizes + grade
    close = (concept == 1) | (concept >= LIKENESS[KIND_OF]) & a.devices[rows]
    # lesions of one size with similar names are one lesion at the wrong place; without a size they are two findings
    measured = sizes > 0
    likeness[~close & ~measured & ((place == 0) | (side == 0))] = 0.0
    # what only looks alike is the same thing only if both reports say that it is in one place, or neither says where
    told = (side == 1) & a.sided[rows] & b.sided[columns] | (place == 1) & a.placed[rows] & b.placed[columns]
    told |= ~(a.sided | a.placed)[rows] & ~(b.sided | b.placed)[columns]
    likeness[(concept <= LIKENESS[LOOKS_LIKE]) & ~told & ~measured] = 0.0
    likeness[nowhere] = np.where(close[nowhere], 0.1, 0.0)
    kept = likeness > 0
    return rows[kept], columns[kept], likeness[kept]


class _Columns:
    """The claims of one report as arrays."""

    def __init__(self, claims: Sequence[Claim], denied: frozenset[str], lexicon: Lexicon) -> None:
        self.denied = np.array([claim.finding in denied for claim in claims])
        self.devices = np.array([claim.kind == "device" for claim in claims])
        self.sizes = np.array([max(claim.measurements, default=np.nan) for claim in claims])
        self.places = [_Place.of(claim, lexicon) for claim in claims]
        self.sides = [claim.laterality for claim in claims]
        self.sided = np.array([claim.laterality is not None for claim in claims])
        self.placed = np.array([claim.place_said for claim in claims])
        self.severities = [str(claim.severity) for claim in claims]


def _by_pair(
    ones: Sequence[_T], others: Sequence[_T], rows: _Indices, columns: _Indices, value: Callable[[_T, _T], float]
) -> NDArray[np.float64]:
    """Return the value of each pair; it is computed once for pairs that are equal."""
    one, other = list(dict.fromkeys(ones)), list(dict.fromkeys(others))
    number, also = {x: i for i, x in enumerate(one)}, {x: i for i, x in enumerate(other)}
    at, there = np.array([number[x] for x in ones]), np.array([also[x] for x in others])
    cells, back = np.unique(at[rows] * len(other) + there[columns], return_inverse=True)
    values = [value(one[cell // len(other)], other[cell % len(other)]) for cell in cells.tolist()]
    return np.array(values, dtype=np.float64)[back]


def _side_likeness(one: str | None, other: str | None) -> float:
    return 1.0 if one_side(one, other) else 0.3 if "bilateral" in (one, other) else 0.0


def _same_sizes(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return where both sizes are known and no more than SAME_RATIO apart; see `size_ratio`."""
    large, small = np.fmax(one, other), np.fmin(one, other)
    measured = ~np.isnan(one) & ~np.isnan(other)
    with np.errstate(invalid="ignore"):
        equal = (large - small <= SAME_MILLIMETRES) & (small > SAME_MILLIMETRES)
        return measured & (equal | (large / np.fmax(small, 0.1) < SAME_RATIO))


def _concepts(
    theirs: Sequence[Claim], ours: Sequence[Claim], lexicon: Lexicon
) -> tuple[_Indices, _Indices, NDArray[np.float64]]:
    """Return the pairs of claims whose concepts are alike, by row, and how much."""
    their_names, our_names = _spoken_names(theirs, ours, lexicon), _spoken_names(ours, theirs, lexicon)
    owners: dict[_Named, list[int]] = {}
    for j, concept in enumerate(our_names):
        owners.setdefault(concept, []).append(j)
    named: dict[str, list[_Named]] = {}
    for concept in owners:
        for name in concept[0]:
            named.setdefault(name, []).append(concept)
    near = near_names((name for names, _ in (*their_names, *our_names) for name in names), lexicon)
    found: dict[_Named, tuple[_Indices, NDArray[np.float64]]] = {}
    for concept in dict.fromkeys(their_names):
        partners = dict.fromkeys(other for x in concept[0] for y in near[x] for other in named.get(y, ()))
        values = ((other, _likeness(concept, other, lexicon)) for other in partners)
        alike = sorted((j, value) for other, value in values if value for j in owners[other])
        found[concept] = np.array([j for j, _ in alike], dtype=np.intp), np.array([value for _, value in alike])
    chosen = [found[concept] for concept in their_names]
    rows = np.repeat(np.arange(len(theirs)), [len(columns) for columns, _ in chosen])
    return rows, np.concatenate([columns for columns, _ in chosen]), np.concatenate([values for _, values in chosen])


def _spoken_names(claims: Sequence[Claim], others: Sequence[Claim], lexicon: Lexicon) -> list[_Named]:
    """Return the names of each claim; if the other report has open findings, also its own words."""
    if all(name in lexicon.entries for claim in others for name in claim.names):
        return [(claim.names, claim.doubted) for claim in claims]
    return [((*claim.names, *written_names(claim.mentions, lexicon)), claim.doubted) for claim in claims]


def same_concept(a: Claim, b: Claim, lexicon: Lexicon) -> float:
    """Return how alike the concepts of two claims are, from 0 to 1: the best value over all pairs of their names."""
    return _likeness((a.names, a.doubted), (b.names, b.doubted), lexicon)


def _likeness(one: _Named, other: _Named, lexicon: Lexicon) -> float:
    """Return how alike two concepts are.

    A vague name beside a certain, more specific one stands for that one only: the opacity of `opacity, due to an
    effusion` is no atelectasis.
    """
    explained, also_explained = _explained(*one, lexicon), _explained(*other, lexicon)
    best = 0.0
    for x in one[0]:
        for y in other[0]:
            found = relation(x, y, lexicon)
            if found is None or (found.vaguer < 0 and x in explained) or (found.vaguer > 0 and y in also_explained):
                continue
            best = max(best, found.likeness)
    return best


@lru_cache(maxsize=16_384)
def _explained(names: tuple[str, ...], doubted: frozenset[str], lexicon: Lexicon) -> frozenset[str]:
    """Return the names of a claim that are vaguer than another name it is certain of."""
    if len(names) == 1:
        return frozenset()
    certain = [name for name in names if name not in doubted]
    pairs = ((name, relation(other, name, lexicon)) for name in names for other in certain if other != name)
    return frozenset(name for name, found in pairs if found is not None and found.vaguer > 0)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a claim is.

    Attributes:
        said: True if the report says so; a place that only the name implies does not count.
        anatomy: its regions.
        film: its regions on a film, as the atlas names them.
    """

    said: bool
    anatomy: tuple[str, ...]
    film: frozenset[str]

    @classmethod
    def of(cls, claim: Claim, lexicon: Lexicon) -> _Place:
        if not claim.place_said:
            return cls(False, (), frozenset())
        atlas = standard_atlas()
        said = {(f.anatomy, f.laterality): f for f in claim.mentions}.values()
        film = frozenset(name for f in said for name in imagenome_regions(f, lexicon) if name in atlas)
        return cls(True, claim.anatomy, film)


def same_place(a: Claim, b: Claim, lexicon: Lexicon) -> bool:
    """Return whether two claims can be about the same place; a place that only the name implies does not count."""
    return _one_place(_Place.of(a, lexicon), _Place.of(b, lexicon), lexicon)


def _one_place(a: _Place, b: _Place, lexicon: Lexicon) -> bool:
    """Return whether two places can be the same, or overlap on a film: `left base` and `left lower lobe`."""
    if not a.said or not b.said:
        return True
    return lexicon.one_place(a.anatomy, b.anatomy) or bool(a.film & b.film)


def size_ratio(a: Claim, b: Claim) -> float:
    """Return the ratio of the larger size to the smaller one; 1 if the difference is within measuring error."""
    large, small = sorted((max(a.measurements), max(b.measurements)), reverse=True)
    if large - small <= SAME_MILLIMETRES and small > SAME_MILLIMETRES:
        return 1.0
    return large / max(small, 0.1)
