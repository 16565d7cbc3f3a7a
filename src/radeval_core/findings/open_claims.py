"""Match an open claim to another one that is called differently but is the same lesion: same size, place and side."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from radeval_core.findings.claim_match import same_place
from radeval_core.findings.claims import Claim
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_match import compare_names, written_names
from radeval_core.findings.relations import one_side

#: sizes in millimetres that are too common to tell lesions apart
_SMALL = 3.0


def match_by_size(
    theirs: Sequence[Claim], ours: Sequence[Claim], pairs: Collection[tuple[int, int]], lexicon: Lexicon
) -> list[tuple[int, int]]:
    """Return further pairs of claims: both unmatched, at least one open, with equal sizes at one place and side.

    A claim that has several such partners, or whose partner has, stays unmatched.
    """
    taken_there, taken_here = {i for i, _ in pairs}, {j for _, j in pairs}
    rest = [(i, a) for i, a in enumerate(theirs) if i not in taken_there and a.measurements]
    also = [(j, b) for j, b in enumerate(ours) if j not in taken_here and b.measurements]
    found = [(i, j) for i, a in rest for j, b in also if _one_lesion(a, b, lexicon)]
    return [(i, j) for i, j in found if sum(i == x or j == y for x, y in found) == 1]


def _one_lesion(a: Claim, b: Claim, lexicon: Lexicon) -> bool:
    if a.finding in lexicon.entries and b.finding in lexicon.entries:
        return False
    if max(a.measurements) <= _SMALL or max(a.measurements) != max(b.measurements):
        return False
    return a.place_said and b.place_said and one_side(a.laterality, b.laterality) and same_place(a, b, lexicon)


def why_matched(theirs: Claim, ours: Claim, lexicon: Lexicon) -> str:
    """Return what decided that two claims are the same, if the lexicon lists only one of them or none; else empty."""
    if theirs.finding in lexicon.entries and ours.finding in lexicon.entries:
        return ""
    if set(theirs.names) & set(ours.names):
        return "name"
    ones, others = ((*claim.names, *written_names(claim.mentions, lexicon)) for claim in (theirs, ours))
    found = [compare_names(one, other) for one in ones for other in others]
    return max(found, key=lambda likeness: likeness.value).by or "size"
