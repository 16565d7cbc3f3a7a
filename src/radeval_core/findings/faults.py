"""What is wrong in the way a candidate describes a finding that the reference also states.

A fault is an error, significant or not. A vaguer or more specific name that is consistent with the reference, and a
place or a degree of a finding that is acted on, if the candidate leaves it out, are no errors, but cost credit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from radeval_core.error_categories import (
    FALSE_COMPARISON,
    FALSE_FINDING,
    MISSING_FINDING,
    OMITTED_COMPARISON,
    WRONG_LOCATION,
    WRONG_SEVERITY,
)
from radeval_core.findings.claim_match import SAME_RATIO, same_place, size_ratio
from radeval_core.findings.claims import Claim, depth, listed, neighbors
from radeval_core.findings.fine_places import apart
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.numbers import is_single, is_staged, same_number
from radeval_core.findings.relations import KIND_OF, LOOKS_LIKE, Relation, one_side, relation
from radeval_core.findings.significance import ACTED_ON, LEVELS

#: fractions of a claim's weight that a fault costs
LEFT_OUT = 0.1
NEAR_MISS = 0.25
HALF = 0.5
ONE_FOR_MANY = 0.6
REVERSED = 0.75
WHOLE = 1.0
_GRADES = {"mild": 1, "moderate": 2, "severe": 3}
#: a size off by at least this ratio is wrong; the cost grows with the ratio up to `_WORST_SIZE`
_LARGE_RATIO = 1.9
_WORST_SIZE = 1.25
DIRECTION = {"new": "worse", "increased": "worse", "decreased": "better", "resolved": "better", "unchanged": "same"}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in the description of a shared finding.

    Attributes:
        category: one of `error_categories.CATEGORIES`.
        aspect: what is wrong, in CRIMSON's words: location, severity, measurement, certainty, unspecific,
            overinterpretation, descriptor or temporal.
        about: a short description, as a reader would say it.
        share: the fraction of the finding's weight that it costs.
        error: False if it costs credit, but is no error.
    """

    category: str
    aspect: str
    about: str
    share: float
    error: bool = True


def find_faults(theirs: Claim, ours: Claim, lexicon: Lexicon) -> Iterator[Fault]:
    """Yield what is wrong: the name, the place, the degree, the number, the change or the certainty."""
    yield from _name(theirs, ours, lexicon)
    yield from _place(theirs, ours, lexicon)
    if theirs.misplaced == ours.misplaced:  # else the position is wrong, however far
        yield from _degree(theirs, ours)
    yield from _number(theirs, ours, lexicon)
    yield from _age(theirs, ours)
    yield from _change(theirs, ours)
    yield from _doubt(theirs, ours)


def _name(theirs: Claim, ours: Claim, lexicon: Lexicon) -> Iterator[Fault]:
    """Yield a name that is vaguer than the reference's, says more than it, or only looks similar.

    What either report only considers possible counts neither way: the reference's `opacity, possibly pneumonia` is
    described by `opacity` and by `pneumonia`.
    """
    said, found = _asserted(theirs), _asserted(ours)
    named = _closest([relation(said, name, lexicon) for name in ours.names])
    if named is None or named.as_good:
        named = _closest([relation(name, found, lexicon) for name in theirs.names])
    if named is None or named.as_good:
        return
    if named.kind == KIND_OF and (theirs.kind == "device" or theirs.significance == ours.significance == "benign"):
        return  # a catheter for a PICC, degenerative change for spondylosis: nothing depends on it
    if _place_says_it(said, ours, lexicon) if named.vaguer > 0 else found in theirs.names:
        return
    words = f"{found.replace('_', ' ')} for {said.replace('_', ' ')}"
    if named.vaguer > 0:
        far = named.kind == LOOKS_LIKE
        yield Fault(MISSING_FINDING, "unspecific", words, HALF if far else NEAR_MISS, error=far)
    elif named.vaguer < 0:
        far = named.kind == LOOKS_LIKE or LEVELS.index(ours.significance) > LEVELS.index(theirs.significance) + 1
        yield Fault(FALSE_FINDING, "overinterpretation", words, HALF if far else NEAR_MISS, error=far)
    else:
        yield Fault(FALSE_FINDING, "descriptor", words, HALF)


def _place_says_it(name: str, ours: Claim, lexicon: Lexicon) -> bool:
    """Return whether a more general name and a place say what a name says: a mass of the kidney is a renal mass."""
    implied = set(lexicon.entries[name].regions) if name in lexicon.entries else set()
    return ours.place_said and bool(implied) and implied <= set(ours.anatomy)


def _asserted(claim: Claim) -> str:
    """Return the most specific name a claim is certain of; the possible one if it is certain of none."""
    return claim.finding if claim.finding not in claim.doubted else claim.stated.finding


def _closest(found: Iterable[Relation | None]) -> Relation | None:
    """Return the relation that costs least."""
    return max((r for r in found if r is not None), key=lambda r: (r.as_good, r.likeness), default=None)


def _place(theirs: Claim, ours: Claim, lexicon: Lexicon) -> Iterator[Fault]:
    if theirs.misplaced != ours.misplaced:
        yield Fault(WRONG_LOCATION, "location", "position of the tip", WHOLE)
    elif not one_side(theirs.laterality, ours.laterality):
        share = HALF if "bilateral" in (theirs.laterality, ours.laterality) else WHOLE
        yield Fault(WRONG_LOCATION, "location", f"{ours.laterality} for {theirs.laterality}", share)
    elif not same_place(theirs, ours, lexicon):
        near = any(frozenset((x, y)) in neighbors() for x in theirs.anatomy for y in ours.anatomy)
        share = NEAR_MISS if near else HALF
        yield Fault(WRONG_LOCATION, "location", f"{_places(ours)} for {_places(theirs)}", share)
    elif (there := _fine(theirs)) and (here := _fine(ours)) and apart(there, here):
        yield Fault(WRONG_LOCATION, "location", f"{_spaced(here)} for {_spaced(there)}", HALF)
    elif theirs.levels and ours.levels and not theirs.levels & ours.levels:
        yield Fault(WRONG_LOCATION, "location", f"{_listed(ours.levels)} for {_listed(theirs.levels)}", HALF)
    elif theirs.significance in ACTED_ON and _vaguer_place(theirs, ours, lexicon):
        yield Fault(WRONG_LOCATION, "unspecific", "place is vaguer", LEFT_OUT, error=False)


def _fine(claim: Claim) -> tuple[str, ...]:
    """Return the words for the places of a claim, where a region has several."""
    return tuple(sorted({place for mention in claim.mentions for place in mention.places}))


def _vaguer_place(theirs: Claim, ours: Claim, lexicon: Lexicon) -> bool:
    """Return whether the candidate leaves out the side, the level, or the part of the organ."""
    if (theirs.laterality in ("left", "right") and not ours.laterality) or (theirs.levels and not ours.levels):
        return True
    if theirs.finding in listed("place_known"):
        return False
    return theirs.place_said and (not ours.place_said or depth(ours.anatomy, lexicon) < depth(theirs.anatomy, lexicon))


def _degree(theirs: Claim, ours: Claim) -> Iterator[Fault]:
    if theirs.severity and ours.severity and not theirs.grades & ours.grades:
        steps = abs(_GRADES[theirs.severity] - _GRADES[ours.severity])
        words = f"{ours.severity} for {theirs.severity}"
        yield Fault(WRONG_SEVERITY, "severity", words, HALF if steps == 1 else WHOLE)
    elif theirs.measurements and ours.measurements:
        if (ratio := size_ratio(theirs, ours)) > SAME_RATIO:
            sizes = f"{max(ours.measurements):g} mm for {max(theirs.measurements):g} mm"
            share = (
                min(HALF + 0.25 * math.log2(ratio / _LARGE_RATIO), _WORST_SIZE) if ratio >= _LARGE_RATIO else NEAR_MISS
            )
            yield Fault(WRONG_SEVERITY, "measurement", sizes, share)
    elif theirs.significance in ACTED_ON and (
        (theirs.severity and not ours.severity) or (theirs.measurements and not ours.measurements)
    ):
        yield Fault(WRONG_SEVERITY, "unspecific", "degree is left out", LEFT_OUT, error=False)


def _number(theirs: Claim, ours: Claim, lexicon: Lexicon) -> Iterator[Fault]:
    """Yield a wrong number of lesions: an error of degree, because both reports state the finding.

    One for several matters in actionable findings: it changes stage and treatment. Two for three matters only where the
    number itself decides, see `staged` in numbers.yaml.
    """
    if same_number(theirs.numbers, ours.numbers):
        return
    share = NEAR_MISS
    if theirs.significance in ACTED_ON:
        if is_single(theirs.numbers) or is_single(ours.numbers):
            share = ONE_FOR_MANY
        elif is_staged(theirs.finding, lexicon):
            share = HALF
    yield Fault(WRONG_SEVERITY, "severity", f"{_listed(ours.numbers)} for {_listed(theirs.numbers)}", share)


def _age(theirs: Claim, ours: Claim) -> Iterator[Fault]:
    """Yield an old finding that is called acute, or the reverse; one that only one report dates misleads less."""
    if theirs.age != ours.age and "old" in (theirs.age, ours.age):
        told = theirs.age and ours.age
        words = f"{ours.age or 'undated'} for {theirs.age or 'undated'}"
        yield Fault(WRONG_SEVERITY, "descriptor", words, HALF if told else LEFT_OUT, error=bool(told))


def _change(theirs: Claim, ours: Claim) -> Iterator[Fault]:
    """Yield a wrong course; leaving out that something is unchanged costs least, because nothing has to be done."""
    if theirs.change == ours.change:
        return
    if theirs.change is None:
        yield Fault(FALSE_COMPARISON, "temporal", f"{ours.change}", NEAR_MISS)
    elif ours.change is None:
        share = LEFT_OUT if theirs.change == "unchanged" else NEAR_MISS
        yield Fault(OMITTED_COMPARISON, "temporal", theirs.change, share)
    elif DIRECTION[theirs.change] != DIRECTION[ours.change]:
        reversed_course = {DIRECTION[theirs.change], DIRECTION[ours.change]} == {"better", "worse"}
        share = REVERSED if reversed_course else HALF
        yield Fault(FALSE_COMPARISON, "temporal", f"{ours.change} for {theirs.change}", share)


def _doubt(theirs: Claim, ours: Claim) -> Iterator[Fault]:
    """Yield a certainty that the reference does not have (`pneumonia` for `possible pneumonia`), or the reverse.

    If the reference is certain of an observation and doubts only what it is (`opacity, possibly pneumonia`), naming it
    is no error, but worth a little less.
    """
    if theirs.kind == "device":
        return
    if not theirs.certain and ours.certain and ours.finding not in ours.doubted:
        yield Fault(WRONG_SEVERITY, "certainty", "certain for possible", NEAR_MISS)
    elif theirs.certain and not ours.certain:
        yield Fault(WRONG_SEVERITY, "certainty", "possible for certain", NEAR_MISS)
    elif ours.certain and _asserted(ours) in theirs.doubted:
        yield Fault(WRONG_SEVERITY, "certainty", "certain for possible", LEFT_OUT, error=False)


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))


def _places(claim: Claim) -> str:
    return _spaced(claim.anatomy)


def _spaced(places: tuple[str, ...]) -> str:
    return ", ".join(place.replace("_", " ") for place in places)
