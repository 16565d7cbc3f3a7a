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
from radeval_core.findings.kindred import kin, near_names, one_side
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_match import WRITTEN, as_written, compare_names
from radeval_core.findings.regions import imagenome_regions

#: likeness of a finding and a more general one
RELATED = 0.8
#: likeness of two findings that radiologists use interchangeably, see kindred.yaml
KIN = 0.6
#: likeness of two findings that share a more general one
SIBLINGS = 0.5
#: sizes that differ by no more count as equal, in millimetres and as a ratio
SAME_MILLIMETRES, SAME_RATIO = 2.0, 1.25
#: cells of a matrix that is assigned as a whole; larger ones are taken apart first. No real report has 256 claims.
_SMALL = 256 * 256

_Indices = NDArray[np.intp]
_T = TypeVar("_T", bound=Hashable)


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
    related = (concept >= RELATED) | ~(a.denied[rows] | b.denied[columns])
    rows, columns, concept = rows[related], columns[related], concept[related]
    place = np.where(_by_pair(a.places, b.places, rows, columns, partial(_one_place, lexicon=lexicon)), 1.0, 0.0)
    side = _by_pair(a.sides, b.sides, rows, columns, _side_likeness)
    nowhere = (place == 0) & (side == 0)
    sizes = np.where(_same_sizes(a.sizes[rows], b.sizes[columns]), 0.1, 0.0)
    grade = np.where(_by_pair(a.severities, b.severities, rows, columns, str.__eq__), 0.1, 0.0)
    likeness = concept + 0.5 * place + 0.5 * side + sizes + grade
    # lesions of one size with similar names are one lesion at the wrong place; without a size they are two findings
    likeness[(concept < 1) & ((place == 0) | (side == 0)) & (sizes == 0)] = 0.0
    likeness[nowhere] = np.where(a.devices[rows[nowhere]], 0.1, 0.0)
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
    owners: dict[tuple[str, ...], list[int]] = {}
    for j, names in enumerate(our_names):
        owners.setdefault(names, []).append(j)
    named: dict[str, list[tuple[str, ...]]] = {}
    for names in owners:
        for name in names:
            named.setdefault(name, []).append(names)
    near = _near_concepts((*their_names, *our_names), lexicon)
    found: dict[tuple[str, ...], tuple[_Indices, NDArray[np.float64]]] = {}
    for names in dict.fromkeys(their_names):
        partners = dict.fromkeys(other for x in names for y in near[x] for other in named.get(y, ()))
        alike = [(j, same_names(names, other, lexicon)) for other in partners for j in owners[other]]
        alike.sort()
        found[names] = np.array([j for j, _ in alike], dtype=np.intp), np.array([value for _, value in alike])
    columns = [found[names][0] for names in their_names]
    rows = np.repeat(np.arange(len(theirs)), [len(part) for part in columns])
    return rows, np.concatenate(columns), np.concatenate([found[names][1] for names in their_names])


def _spoken_names(claims: Sequence[Claim], others: Sequence[Claim], lexicon: Lexicon) -> list[tuple[str, ...]]:
    """Return the names of each claim; if the other report has open findings, also its own words."""
    if all(name in lexicon.entries for claim in others for name in claim.names):
        return [claim.names for claim in claims]
    return [
        (*claim.names, *dict.fromkeys(as_written(mention, lexicon) for mention in claim.mentions if not mention.open))
        for claim in claims
    ]


def _near_concepts(every: Sequence[tuple[str, ...]], lexicon: Lexicon) -> dict[str, set[str]]:
    """Return for each name in two reports the names that `_concept` relates to it."""
    names = dict.fromkeys(name for claim in every for name in claim)
    near = near_names(names, lexicon)
    children: dict[str, list[str]] = {}
    for name in names:
        for parent in lexicon.entries[name].parents if name in lexicon.entries else ():
            children.setdefault(parent, []).append(name)
    for siblings in children.values():
        for name in siblings:
            near[name].update(siblings)
    return near


def same_concept(a: Claim, b: Claim, lexicon: Lexicon) -> float:
    """Return how alike the concepts of two claims are, from 0 to 1: the best value over all pairs of their names."""
    return same_names(a.names, b.names, lexicon)


def same_names(ones: tuple[str, ...], others: tuple[str, ...], lexicon: Lexicon) -> float:
    """Return how alike two concepts are, each given by all its names."""
    return max(_concept(x, y, lexicon) for x in ones for y in others)


def _concept(one: str, other: str, lexicon: Lexicon) -> float:
    """Return 1 for the same concept, RELATED, KIN or SIBLINGS for similar ones, else 0."""
    if one == other:
        return 1.0
    if one not in lexicon.entries or other not in lexicon.entries:
        either = (one, other)
        is_open = any(not x.startswith(WRITTEN) and x not in lexicon.entries for x in either)
        return compare_names(one, other).value if is_open else 0.0
    return _listed_concept(one, other, lexicon)


@lru_cache(maxsize=65_536)
def _listed_concept(one: str, other: str, lexicon: Lexicon) -> float:
    if lexicon.related(one, other):
        return RELATED
    if kin(one, other):
        return KIN
    entries = lexicon.entries
    if one in entries and other in entries and set(entries[one].parents) & set(entries[other].parents):
        return SIBLINGS
    return 0.0


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
