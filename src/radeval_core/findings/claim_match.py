"""Match the claims of two reports one to one, by concept, place, side, severity and size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.optimize import linear_sum_assignment

from radeval_core.findings.atlas import standard_atlas
from radeval_core.findings.claims import Claim, kin, one_side
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.regions import imagenome_regions

#: likeness of a finding and a more general one
RELATED = 0.8
#: likeness of two findings that radiologists use interchangeably, see kindred.yaml
KIN = 0.6
#: likeness of two findings that share a more general one
SIBLINGS = 0.5
#: sizes that differ by no more count as equal, in millimetres and as a ratio
SAME_MILLIMETRES, SAME_RATIO = 2.0, 1.25


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
    likeness = np.array(
        [
            [_likeness(a, b, lexicon, a.finding in denied_here or b.finding in denied_there) for b in ours]
            for a in theirs
        ]
    )
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if likeness[i, j] > 0]


def _likeness(a: Claim, b: Claim, lexicon: Lexicon, denied: bool = False) -> float:
    """Return 0 for claims about different things, and more the better place, side, severity and size agree."""
    concept = same_concept(a, b, lexicon)
    if concept == 0 or (denied and concept < RELATED):
        return 0.0
    place = 1.0 if same_place(a, b, lexicon) else 0.0
    side = 1.0 if one_side(a.laterality, b.laterality) else 0.3 if "bilateral" in (a.laterality, b.laterality) else 0.0
    if place == 0 and side == 0:
        return 0.0 if a.kind != "device" else 0.1
    if concept < 1 and (place == 0 or side == 0):
        return 0.0
    sizes = 0.1 if a.measurements and b.measurements and size_ratio(a, b) < SAME_RATIO else 0.0
    grade = 0.1 if a.severity == b.severity else 0.0
    return concept + 0.5 * place + 0.5 * side + sizes + grade


def same_concept(a: Claim, b: Claim, lexicon: Lexicon) -> float:
    """Return how alike the concepts of two claims are, from 0 to 1: the best value over all pairs of their names."""
    return max(_concept(x, y, lexicon) for x in a.names for y in b.names)


@lru_cache(maxsize=65_536)
def _concept(one: str, other: str, lexicon: Lexicon) -> float:
    """Return 1 for the same concept, RELATED, KIN or SIBLINGS for similar ones, else 0."""
    if one == other:
        return 1.0
    if lexicon.related(one, other):
        return RELATED
    if kin(one, other):
        return KIN
    entries = lexicon.entries
    if one in entries and other in entries and set(entries[one].parents) & set(entries[other].parents):
        return SIBLINGS
    return 0.0


def same_place(a: Claim, b: Claim, lexicon: Lexicon) -> bool:
    """Return whether two claims can be about the same place; a place that only the name implies does not count."""
    if not a.place_said or not b.place_said:
        return True
    return lexicon.one_place(a.anatomy, b.anatomy) or _overlap(a, b, lexicon)


def _overlap(a: Claim, b: Claim, lexicon: Lexicon) -> bool:
    """Return whether two places in the chest overlap on a film: `left base` and `left lower lobe`."""
    atlas = standard_atlas()
    first = {name for f in a.mentions for name in imagenome_regions(f, lexicon) if name in atlas}
    second = {name for f in b.mentions for name in imagenome_regions(f, lexicon) if name in atlas}
    return bool(first & second)


def size_ratio(a: Claim, b: Claim) -> float:
    """Return the ratio of the larger size to the smaller one; 1 if the difference is within measuring error."""
    large, small = sorted((max(a.measurements), max(b.measurements)), reverse=True)
    if large - small <= SAME_MILLIMETRES and small > SAME_MILLIMETRES:
        return 1.0
    return large / max(small, 0.1)
