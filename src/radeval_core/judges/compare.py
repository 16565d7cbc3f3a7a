"""Two reports side by side: which claims they share, and where they differ, in GREEN's six categories.

Claims are matched one to one by an optimal assignment on concept, place, side, severity and size. A more specific or
more general statement that is consistent is no error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from scipy.optimize import linear_sum_assignment

from radeval_core.findings.atlas import standard_atlas
from radeval_core.findings.parser import default_parser
from radeval_core.findings.regions import imagenome_regions
from radeval_core.findings.structures import Finding, ParsedReport
from radeval_core.judges.claims import Claim, kin, one_place, one_side, read_claims, related

FALSE_FINDING, MISSING_FINDING, LOCATION, SEVERITY, FALSE_COMPARISON, OMITTED_COMPARISON = CATEGORIES = (
    "false finding",
    "missing finding",
    "wrong location",
    "wrong severity",
    "comparison not in the reference",
    "omitted comparison",
)
#: how much a claim weighs, by its clinical significance
WEIGHT = {"urgent": 1.25, "actionable": 1.0, "minor": 0.45, "benign": 0.3}
#: a device is benign where it is and where it belongs: one that is invented or elsewhere is not
_DEVICE_ASTRAY = 1.0
#: shares of a claim's weight that a difference costs
_NEAR_MISS = 0.25
_HALF = 0.5
_IN_DOUBT = 0.4
#: likeness of a finding and a more general one
_RELATED = 0.8
_GRADES = {"mild": 1, "moderate": 2, "severe": 3}
#: sizes that differ by less are the same, in millimetres and as a ratio
_SAME_MILLIMETRES, _SAME_RATIO = 2.0, 1.25
_LARGE_RATIO = 1.9
_WORST_SIZE = 1.25
_WORSE = {"new": "worse", "increased": "worse", "decreased": "better", "resolved": "better", "unchanged": "same"}


@dataclass(frozen=True, slots=True)
class Difference:
    """Something a candidate report has wrong.

    Attributes:
        category: one of `CATEGORIES`.
        about: what it is about, as a reader would say it.
        weight: how much it matters, where an actionable finding that is missing has 1.
        significant: whether it is clinically significant.
        significance: urgent, actionable, minor or benign, as the finding is.
        candidate: the claim in the candidate, if it has one.
        reference: the claim in the reference, if it has one.
        denial: where the other report says the opposite, if it does.
    """

    category: str
    about: str
    weight: float
    significant: bool
    significance: str
    candidate: Claim | None = None
    reference: Claim | None = None
    denial: Finding | None = None


@dataclass(frozen=True)
class Comparison:
    """What two reports have in common, and where they differ.

    Attributes:
        matched: claims that both reports make, reference first.
        normal: names of what both call normal or absent.
        differences: what the candidate has wrong.
    """

    matched: tuple[tuple[Claim, Claim], ...]
    normal: tuple[str, ...]
    differences: tuple[Difference, ...] = field(default_factory=tuple)


def compare(reference: ParsedReport, candidate: ParsedReport) -> Comparison:
    """Match the claims of two reports and list what the candidate has wrong."""
    theirs, ours = read_claims(reference), read_claims(candidate)
    denied_there, denied_here = _denied(reference), _denied(candidate)
    pairs = match(theirs, ours, denied_there, denied_here)
    differences: list[Difference] = []
    for i, j in pairs:
        differences += _between(theirs[i], ours[j])
    matched_reference, matched_candidate = {i for i, _ in pairs}, {j for _, j in pairs}
    for j, claim in enumerate(ours):
        if j not in matched_candidate and not (_covered(claim, theirs) and claim.finding not in denied_there):
            differences.append(_alone(FALSE_FINDING, claim, reference))
    for i, claim in enumerate(theirs):
        if i not in matched_reference and not (_covered(claim, ours) and claim.finding not in denied_here):
            differences.append(_alone(MISSING_FINDING, claim, candidate))
    matched = tuple(sorted(((theirs[i], ours[j]) for i, j in pairs), key=lambda pair: pair[0].start))
    return Comparison(matched, _common_normality(reference, candidate), tuple(sorted(differences, key=_place)))


def _place(difference: Difference) -> tuple[bool, int]:
    """Where a difference stands: in the candidate, else in the reference."""
    claim = difference.candidate or difference.reference
    assert claim is not None
    return difference.candidate is None, claim.start


def match(
    theirs: Sequence[Claim],
    ours: Sequence[Claim],
    denied_there: frozenset[str] = frozenset(),
    denied_here: frozenset[str] = frozenset(),
) -> list[tuple[int, int]]:
    """The assignment of claims with the greatest total likeness; claims that are not alike stay alone.

    What the other report denies by name is not the same as a neighbour of it: `atelectasis without consolidation`.
    """
    if not theirs or not ours:
        return []
    likeness = np.array(
        [[_likeness(a, b, a.finding in denied_here or b.finding in denied_there) for b in ours] for a in theirs]
    )
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if likeness[i, j] > 0]


def _denied(report: ParsedReport) -> frozenset[str]:
    """What a report denies in so many words."""
    return frozenset(f.finding for f in report.findings if f.polarity == "absent" and not f.implied)


def _likeness(a: Claim, b: Claim, denied: bool = False) -> float:
    """0 for different things; else more, the better place, side, severity and size agree."""
    concept = max(_concept(x, y) for x in a.names for y in b.names)
    if concept == 0 or (denied and concept < _RELATED):
        return 0.0
    place = 1.0 if _same_place(a, b) else 0.0
    side = 1.0 if one_side(a.laterality, b.laterality) else 0.3 if "bilateral" in (a.laterality, b.laterality) else 0.0
    if place == 0 and side == 0:
        return 0.0 if a.kind != "device" else 0.1
    if concept < 1 and (place == 0 or side == 0):
        return 0.0
    sizes = 0.1 if a.measurements and b.measurements and _ratio(a, b) < _SAME_RATIO else 0.0
    grade = 0.1 if a.severity == b.severity else 0.0
    return concept + 0.5 * place + 0.5 * side + sizes + grade


@cache
def _concept(one: str, other: str) -> float:
    """1 for one concept, less for a more general one, less again for a neighbour or two kinds of one thing, else 0."""
    if one == other:
        return 1.0
    if related(one, other):
        return _RELATED
    if kin(one, other):
        return 0.6
    entries = default_parser().lexicon.entries
    if one in entries and other in entries and set(entries[one].parents) & set(entries[other].parents):
        return 0.5
    return 0.0


def _same_place(a: Claim, b: Claim) -> bool:
    """Whether two claims can be about one place; what a finding's name implies is no place of its own."""
    if not a.place_said or not b.place_said:
        return True
    return one_place(a.anatomy, b.anatomy) or _overlap(a, b)


def _overlap(a: Claim, b: Claim) -> bool:
    """Whether two places of the chest overlap on a film: `left base` and `left lower lobe`."""
    atlas = standard_atlas()
    first = {name for f in a.mentions for name in imagenome_regions(f) if name in atlas}
    second = {name for f in b.mentions for name in imagenome_regions(f) if name in atlas}
    return bool(first & second)


def _between(theirs: Claim, ours: Claim) -> list[Difference]:
    """What the candidate has wrong about a claim it shares with the reference."""
    weight, found = WEIGHT[theirs.significance], []

    def wrong(category: str, about: str, share: float) -> None:
        whole, matters = weight, theirs.significance != "benign"
        if category == LOCATION and theirs.kind == "device":
            whole, matters = max(weight, _DEVICE_ASTRAY), True
        serious = matters and share >= _HALF
        found.append(Difference(category, about, share * whole, serious, theirs.significance, ours, theirs))

    if max(_concept(x, y) for x in theirs.names for y in ours.names) == 0.5:
        share = _NEAR_MISS if theirs.significance == ours.significance else _HALF
        wrong(FALSE_FINDING, f"{_say(ours)} for {_say(theirs)}", share)
    if not one_side(theirs.laterality, ours.laterality):
        share = _HALF if "bilateral" in (theirs.laterality, ours.laterality) else 1.0
        wrong(LOCATION, f"{_say(theirs)}: {ours.laterality} for {theirs.laterality}", share)
    elif not _same_place(theirs, ours):
        wrong(LOCATION, f"{_say(theirs)}: {_places(ours)} for {_places(theirs)}", _HALF)
    elif theirs.levels and ours.levels and not theirs.levels & ours.levels:
        wrong(LOCATION, f"{_say(theirs)}: {_listed(ours.levels)} for {_listed(theirs.levels)}", _HALF)
    if theirs.severity and ours.severity and not theirs.grades & ours.grades:
        steps = abs(_GRADES[theirs.severity] - _GRADES[ours.severity])
        wrong(SEVERITY, f"{_say(theirs)}: {ours.severity} for {theirs.severity}", _HALF if steps == 1 else 1.0)
    elif theirs.measurements and ours.measurements and (ratio := _ratio(theirs, ours)) > _SAME_RATIO:
        sizes = f"{max(ours.measurements):g} mm for {max(theirs.measurements):g} mm"
        # twice the size is a wrong size, and the larger the error the worse
        far = min(_HALF + 0.25 * math.log2(ratio / _LARGE_RATIO), _WORST_SIZE) if ratio >= _LARGE_RATIO else _NEAR_MISS
        wrong(SEVERITY, f"{_say(theirs)}: {sizes}", far)
    if theirs.change != ours.change:
        if theirs.change is None:
            wrong(FALSE_COMPARISON, f"{_say(theirs)}: {ours.change}", _NEAR_MISS)
        elif ours.change is None:
            wrong(OMITTED_COMPARISON, f"{_say(theirs)}: {theirs.change}", _NEAR_MISS)
        elif _WORSE[theirs.change] != _WORSE[ours.change]:
            wrong(FALSE_COMPARISON, f"{_say(theirs)}: {ours.change} for {theirs.change}", _HALF)
    return found


def _alone(category: str, claim: Claim, other: ParsedReport) -> Difference:
    """A claim only one report makes, and where the other denies it."""
    denial = next(
        (
            f
            for f in other.findings
            if f.polarity == "absent"
            and any(
                f.finding == name or f.finding in default_parser().lexicon.more_general(name) for name in claim.names
            )
            and one_side(f.laterality, claim.laterality)
        ),
        None,
    )
    weight, matters = WEIGHT[claim.significance], claim.significance != "benign"
    if category == FALSE_FINDING and claim.kind == "device":
        weight, matters = max(weight, _DEVICE_ASTRAY), True
    share = 1.0 if claim.certain else _IN_DOUBT
    return Difference(
        category,
        _say(claim),
        share * weight,
        matters,
        claim.significance,
        claim if category == FALSE_FINDING else None,
        claim if category == MISSING_FINDING else None,
        denial,
    )


def _covered(claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether another report makes the claim as part of one that is matched already: said in other words, or twice."""
    return any(
        any(related(x, y) or kin(x, y) for x in claim.names for y in other.names)
        and one_side(claim.laterality, other.laterality)
        and _same_place(claim, other)
        for other in others
    )


def _common_normality(reference: ParsedReport, candidate: ParsedReport) -> tuple[str, ...]:
    """What both reports call normal or absent, one of them in so many words."""

    def read(report: ParsedReport) -> tuple[set[str], set[str]]:
        said, all_of_it = set(), set()
        for f in report.findings:
            if f.kind == "normality" or f.polarity == "absent":
                all_of_it.add(f.finding)
                if not f.implied:
                    said.add(f.finding)
        return said, all_of_it

    (said, every), (also_said, also_every) = read(reference), read(candidate)
    return tuple(sorted((said & also_every) | (also_said & every)))


def _ratio(a: Claim, b: Claim) -> float:
    """How many times larger one is than the other; 1 where the difference is within what measuring can tell."""
    large, small = sorted((max(a.measurements), max(b.measurements)), reverse=True)
    if large - small <= _SAME_MILLIMETRES and small > _SAME_MILLIMETRES:
        return 1.0
    return large / max(small, 0.1)


def _say(claim: Claim) -> str:
    words = [claim.laterality or "", claim.finding.replace("_", " ")]
    return " ".join(word for word in words if word)


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))


def _places(claim: Claim) -> str:
    return ", ".join(place.replace("_", " ") for place in claim.anatomy)
