"""The errors of a candidate report about a claim: category, description and weight."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from radeval_core.error_categories import (
    FALSE_COMPARISON,
    FALSE_FINDING,
    MISSING_FINDING,
    OMITTED_COMPARISON,
    WRONG_LOCATION,
    WRONG_SEVERITY,
)
from radeval_core.findings.claim_match import SAME_RATIO, SIBLINGS, same_concept, same_place, size_ratio
from radeval_core.findings.claims import Claim
from radeval_core.findings.fine_places import apart
from radeval_core.findings.kindred import one_side
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.numbers import is_single, is_staged, same_number
from radeval_core.findings.types import Finding, ParsedReport

#: weight of a claim, by its clinical significance
WEIGHT = {"urgent": 1.25, "actionable": 1.0, "minor": 0.45, "benign": 0.3}
#: a device in its usual place is benign; an invented or misplaced one has at least this weight
_DEVICE_ASTRAY = 1.0
#: fractions of a claim's weight that an error costs
_NEAR_MISS = 0.25
_HALF = 0.5
_IN_DOUBT = 0.4
_ONE_FOR_MANY = 0.6
_REVERSED = 0.75
#: significances of findings that are acted on
_ACTED_ON = ("urgent", "actionable")
_GRADES = {"mild": 1, "moderate": 2, "severe": 3}
#: a size off by at least this ratio is wrong; the cost grows with the ratio up to `_WORST_SIZE`
_LARGE_RATIO = 1.9
_WORST_SIZE = 1.25
_DIRECTION = {"new": "worse", "increased": "worse", "decreased": "better", "resolved": "better", "unchanged": "same"}

#: category, description, fraction of the claim's weight
_Fault = tuple[str, str, float]


@dataclass(frozen=True, slots=True)
class Difference:
    """One error of a candidate report.

    Attributes:
        category: one of `error_categories.CATEGORIES`.
        about: a short description, as a reader would say it.
        weight: how much it matters; a missing actionable finding has weight 1.
        significant: True if it is clinically significant.
        significance: the significance of the finding: urgent, actionable, minor or benign.
        candidate: the claim in the candidate, or None.
        reference: the claim in the reference, or None.
        denial: the mention in the other report that denies the claim, or None.
    """

    category: str
    about: str
    weight: float
    significant: bool
    significance: str
    candidate: Claim | None = None
    reference: Claim | None = None
    denial: Finding | None = None


class Denials:
    """The findings that a report denies, by name and side."""

    def __init__(self, report: ParsedReport) -> None:
        self._lexicon = report.lexicon
        #: the first denial of each name and side, with its number in the report
        self._first: dict[str, dict[str | None, tuple[int, Finding]]] = {}
        for number, finding in enumerate((*report.findings, *report.open)):
            if finding.polarity == "absent":
                self._first.setdefault(finding.finding, {}).setdefault(finding.laterality, (number, finding))

    def of(self, claim: Claim) -> Finding | None:
        """Return the first mention that denies a claim, by its name or a more general one, or None."""
        names = {name for n in claim.names for name in (n, *self._lexicon.more_general(n))}
        found = [
            numbered
            for name in names
            for side, numbered in self._first.get(name, {}).items()
            if one_side(side, claim.laterality)
        ]
        return min(found, key=lambda numbered: numbered[0])[1] if found else None


def between(theirs: Claim, ours: Claim, lexicon: Lexicon) -> list[Difference]:
    """Return the candidate's errors about a claim it shares with the reference."""
    return [_weighed(fault, theirs, ours) for fault in _faults(theirs, ours, lexicon)]


def alone(category: str, claim: Claim, denials: Denials) -> Difference:
    """Return the error of a claim that only one report makes, with the other report's denial if there is one."""
    weight, matters = WEIGHT[claim.significance], claim.significance != "benign"
    if category == FALSE_FINDING and claim.kind == "device":
        weight, matters = max(weight, _DEVICE_ASTRAY), True
    share = 1.0 if claim.certain else _IN_DOUBT
    denial = denials.of(claim)
    return Difference(
        category,
        _say(claim) if denial else _say_with_doubt(claim),
        share * weight,
        matters,
        claim.significance,
        claim if category == FALSE_FINDING else None,
        claim if category == MISSING_FINDING else None,
        denial,
    )


def _weighed(fault: _Fault, theirs: Claim, ours: Claim) -> Difference:
    category, about, share = fault
    weight, matters = WEIGHT[theirs.significance], theirs.significance != "benign"
    if category == WRONG_LOCATION and theirs.kind == "device":
        weight, matters = max(weight, _DEVICE_ASTRAY), True
    about = f"{_say(theirs)}: {about}" if category != FALSE_FINDING else about
    significant = matters and (share >= _HALF or _misleads(category, theirs, ours))
    return Difference(category, about, share * weight, significant, theirs.significance, ours, theirs)


def _misleads(category: str, theirs: Claim, ours: Claim) -> bool:
    """Return whether a course that only one report gives matters: worse or better, of a finding that is acted on."""
    if category not in (FALSE_COMPARISON, OMITTED_COMPARISON) or theirs.significance not in _ACTED_ON:
        return False
    return _DIRECTION[theirs.change or ours.change or "unchanged"] != "same"


def _faults(theirs: Claim, ours: Claim, lexicon: Lexicon) -> Iterator[_Fault]:
    """Yield what is wrong: a similar but different finding, the place, the degree or the change."""
    if same_concept(theirs, ours, lexicon) == SIBLINGS:
        share = _NEAR_MISS if theirs.significance == ours.significance else _HALF
        yield FALSE_FINDING, f"{_say(ours)} for {_say(theirs)}", share
    yield from _place_fault(theirs, ours, lexicon)
    yield from _degree_fault(theirs, ours)
    yield from _number_fault(theirs, ours, lexicon)
    yield from _change_fault(theirs, ours)
    yield from _doubt_fault(theirs, ours)


def _place_fault(theirs: Claim, ours: Claim, lexicon: Lexicon) -> Iterator[_Fault]:
    if not one_side(theirs.laterality, ours.laterality):
        share = _HALF if "bilateral" in (theirs.laterality, ours.laterality) else 1.0
        yield WRONG_LOCATION, f"{ours.laterality} for {theirs.laterality}", share
    elif not same_place(theirs, ours, lexicon):
        yield WRONG_LOCATION, f"{_places(ours)} for {_places(theirs)}", _HALF
    elif (there := _fine(theirs)) and (here := _fine(ours)) and apart(there, here):
        yield WRONG_LOCATION, f"{_spaced(here)} for {_spaced(there)}", _HALF
    elif theirs.levels and ours.levels and not theirs.levels & ours.levels:
        yield WRONG_LOCATION, f"{_listed(ours.levels)} for {_listed(theirs.levels)}", _HALF


def _fine(claim: Claim) -> tuple[str, ...]:
    """Return the words for the places of a claim, where a region has several."""
    return tuple(sorted({place for mention in claim.mentions for place in mention.places}))


def _spaced(places: tuple[str, ...]) -> str:
    return ", ".join(place.replace("_", " ") for place in places)


def _degree_fault(theirs: Claim, ours: Claim) -> Iterator[_Fault]:
    if theirs.severity and ours.severity and not theirs.grades & ours.grades:
        steps = abs(_GRADES[theirs.severity] - _GRADES[ours.severity])
        yield WRONG_SEVERITY, f"{ours.severity} for {theirs.severity}", _HALF if steps == 1 else 1.0
    elif theirs.measurements and ours.measurements and (ratio := size_ratio(theirs, ours)) > SAME_RATIO:
        sizes = f"{max(ours.measurements):g} mm for {max(theirs.measurements):g} mm"
        far = min(_HALF + 0.25 * math.log2(ratio / _LARGE_RATIO), _WORST_SIZE) if ratio >= _LARGE_RATIO else _NEAR_MISS
        yield WRONG_SEVERITY, sizes, far


def _number_fault(theirs: Claim, ours: Claim, lexicon: Lexicon) -> Iterator[_Fault]:
    """Yield a wrong number of lesions: an error of degree, because both reports state the finding.

    One for several matters in actionable findings: it changes stage and treatment. Two for three matters only where the
    number itself decides, see `staged` in numbers.yaml.
    """
    if same_number(theirs.numbers, ours.numbers):
        return
    share = _NEAR_MISS
    if theirs.significance in _ACTED_ON:
        if is_single(theirs.numbers) or is_single(ours.numbers):
            share = _ONE_FOR_MANY
        elif is_staged(theirs.finding, lexicon):
            share = _HALF
    yield WRONG_SEVERITY, f"{_listed(ours.numbers)} for {_listed(theirs.numbers)}", share


def _change_fault(theirs: Claim, ours: Claim) -> Iterator[_Fault]:
    if theirs.change == ours.change:
        return
    if theirs.change is None:
        yield FALSE_COMPARISON, f"{ours.change}", _NEAR_MISS
    elif ours.change is None:
        yield OMITTED_COMPARISON, theirs.change, _NEAR_MISS
    elif _DIRECTION[theirs.change] != _DIRECTION[ours.change]:
        reversed_course = {_DIRECTION[theirs.change], _DIRECTION[ours.change]} == {"better", "worse"}
        yield FALSE_COMPARISON, f"{ours.change} for {theirs.change}", _REVERSED if reversed_course else _HALF


def _doubt_fault(theirs: Claim, ours: Claim) -> Iterator[_Fault]:
    """Yield a certainty that the reference does not have: `pneumonia` for `possible pneumonia`.

    If the reference is certain of an observation and doubts only what it is (`opacity, possibly pneumonia`), naming it
    is no error. Neither is the reverse: a hedged finding is still reported.
    """
    if not theirs.certain and ours.certain and theirs.kind != "device":
        yield WRONG_SEVERITY, "certain for possible", _NEAR_MISS


def _say_with_doubt(claim: Claim) -> str:
    """Return a claim in words, with what is only possible: `left opacity, possibly atelectasis`."""
    if claim.finding not in claim.doubted:
        return _say(claim)
    if not claim.certain:
        return f"possible {_say(claim)}"
    known = " ".join(word for word in (claim.laterality or "", claim.stated.finding.replace("_", " ")) if word)
    return f"{known}, possibly {claim.finding.replace('_', ' ')}"


def _say(claim: Claim) -> str:
    words = [claim.laterality or "", claim.finding.replace("_", " ")]
    return " ".join(word for word in words if word)


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))


def _places(claim: Claim) -> str:
    return ", ".join(place.replace("_", " ") for place in claim.anatomy)
