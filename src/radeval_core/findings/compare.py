"""Compare two reports: the claims they share, and their differences in the six error categories.

A statement that is more specific or more general, but consistent, is not an error; it may be worth less than the exact
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from radeval_core.error_categories import FALSE_FINDING, MISSING_FINDING
from radeval_core.findings.both_sides import join_sides
from radeval_core.findings.claim_match import match, same_place
from radeval_core.findings.claims import Claim, read_claims
from radeval_core.findings.differences import Denials, Difference, alone, between
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_claims import match_by_size
from radeval_core.findings.relations import LOOKS_LIKE, SIGN_OF, near_names, one_side, relation
from radeval_core.findings.types import ParsedReport


@dataclass(frozen=True)
class Comparison:
    """What two reports have in common, and where they differ.

    Attributes:
        matched: claims that both reports make, reference first.
        normal: names of regions and findings that both reports call normal or absent.
        differences: the candidate's errors.
        shortfalls: what costs a matched claim credit without being an error: a vaguer name, a place or a degree left
            out.
    """

    matched: tuple[tuple[Claim, Claim], ...]
    normal: tuple[str, ...]
    differences: tuple[Difference, ...] = field(default_factory=tuple)
    shortfalls: tuple[Difference, ...] = field(default_factory=tuple)


def compare(reference: ParsedReport, candidate: ParsedReport) -> Comparison:
    """Match the claims of two reports, read with the same lexicon, and list the candidate's errors."""
    lexicon = reference.lexicon
    theirs, ours = read_claims(reference), read_claims(candidate)
    theirs, ours = join_sides(theirs, ours), join_sides(ours, theirs)
    denied_there, denied_here = _denied(reference), _denied(candidate)
    pairs = match(theirs, ours, lexicon, denied_there, denied_here)
    pairs += match_by_size(theirs, ours, pairs, lexicon)
    differences: list[Difference] = []
    for i, j in pairs:
        differences += between(theirs[i], ours[j], lexicon)
    matched_reference, matched_candidate = {i for i, _ in pairs}, {j for _, j in pairs}
    lone = [claim for j, claim in enumerate(ours) if j not in matched_candidate]
    missed = [claim for i, claim in enumerate(theirs) if i not in matched_reference]
    differences += _lone(FALSE_FINDING, lone, theirs, reference, denied_there)
    differences += _lone(MISSING_FINDING, missed, ours, candidate, denied_here)
    matched = tuple(sorted(((theirs[i], ours[j]) for i, j in pairs), key=lambda pair: pair[0].start))
    differences.sort(key=_position)
    return Comparison(
        matched,
        _common_normality(reference, candidate),
        tuple(d for d in differences if d.error),
        tuple(d for d in differences if not d.error),
    )


def _position(difference: Difference) -> tuple[bool, int]:
    """Return a sort key: differences in the candidate first, then those only in the reference, by offset."""
    claim = difference.candidate or difference.reference
    assert claim is not None
    return difference.candidate is None, claim.start


def _denied(report: ParsedReport) -> frozenset[str]:
    """Return the findings a report denies by name."""
    return frozenset(f.finding for f in (*report.findings, *report.open) if f.polarity == "absent" and not f.implied)


def _lone(
    category: str, claims: Sequence[Claim], others: Sequence[Claim], other: ParsedReport, denied: frozenset[str]
) -> list[Difference]:
    """Return the errors of claims without a match, except those that a claim of the other report covers."""
    lexicon = other.lexicon
    by_name: dict[str, list[Claim]] = {}
    for claim in others:
        for name in claim.names:
            by_name.setdefault(name, []).append(claim)
    near = near_names([*by_name, *(name for claim in claims for name in claim.names)], lexicon)
    denials = Denials(other)

    def covered(claim: Claim) -> bool:
        if claim.significance == "urgent" and not any(name in by_name for name in claim.names):
            return False  # a shift of the mediastinum does not go without saying beside a pneumothorax
        names = dict.fromkeys(y for x in claim.names for y in near[x] if _says_it_too(x, y, lexicon))
        return any(_covers(claim, similar, lexicon) for name in names for similar in by_name.get(name, ()))

    return [alone(category, claim, denials) for claim in claims if claim.finding in denied or not covered(claim)]


def _says_it_too(name: str, other: str, lexicon: Lexicon) -> bool:
    """Return whether a report that names `other` needs no `name` too: a sign goes without saying beside its cause."""
    found = relation(name, other, lexicon)
    return found is not None and found.kind != LOOKS_LIKE and (found.kind != SIGN_OF or found.vaguer < 0)


def _covers(claim: Claim, similar: Claim, lexicon: Lexicon) -> bool:
    """Return whether a similar claim of the other report says this one in other words."""
    return one_side(claim.laterality, similar.laterality) and same_place(claim, similar, lexicon)


def _common_normality(reference: ParsedReport, candidate: ParsedReport) -> tuple[str, ...]:
    """Return what both reports call normal or absent, if at least one of them names it."""
    (said, every), (also_said, also_every) = _normality(reference), _normality(candidate)
    return tuple(sorted((said & also_every) | (also_said & every)))


def _normality(report: ParsedReport) -> tuple[set[str], set[str]]:
    """Return what a report calls normal or absent: only what it names, and all including what that implies."""
    normal = [f for f in (*report.findings, *report.open) if f.kind == "normality" or f.polarity == "absent"]
    return {f.finding for f in normal if not f.implied}, {f.finding for f in normal}
