"""The errors of a candidate report about a claim: category, description and weight."""

from __future__ import annotations

from dataclasses import dataclass

from radeval_core.error_categories import (
    FALSE_COMPARISON,
    FALSE_FINDING,
    MISSING_FINDING,
    OMITTED_COMPARISON,
    WRONG_LOCATION,
)
from radeval_core.findings.claims import Claim
from radeval_core.findings.faults import DIRECTION, HALF, NEAR_MISS, Fault, find_faults
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.relations import one_side
from radeval_core.findings.significance import ACTED_ON
from radeval_core.findings.types import Finding, ParsedReport

#: weight of a claim, by its clinical significance
WEIGHT = {"urgent": 3.0, "actionable": 1.0, "minor": 0.3, "benign": 0.1}
#: a device in its usual place is minor; a misplaced one has at least this weight
_DEVICE_ASTRAY = 1.0
#: fraction of its weight that a possible finding has
_IN_DOUBT = 0.4
#: factor for a finding that is acted on, by its degree: a large effusion is worse to miss than a small one
_EXTENT = {"mild": 0.8, "moderate": 1.0, "severe": 1.2, None: 1.0}


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
        aspect: what is wrong with a finding that both reports state, in CRIMSON's words (`Fault.aspect`), else "".
        error: False if it is no error, but costs credit: a vaguer name, a place or a degree left out.
    """

    category: str
    about: str
    weight: float
    significant: bool
    significance: str
    candidate: Claim | None = None
    reference: Claim | None = None
    denial: Finding | None = None
    aspect: str = ""
    error: bool = True


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


def denials_like(denial: Finding, claim: Claim, report: ParsedReport) -> list[Finding]:
    """Return every mention that denies a claim in the words of its denial, as a finding and its impression do.

    What a normal statement implies is no such mention: if the denial is implied, it is the only one.
    """
    said = [f for f in report.every if f.finding == denial.finding and f.polarity == "absent" and not f.implied]
    return [f for f in said if one_side(f.laterality, claim.laterality)] or [denial]


def between(theirs: Claim, ours: Claim, lexicon: Lexicon) -> list[Difference]:
    """Return the candidate's errors about a claim it shares with the reference, and what else costs it credit."""
    return [_weighed(fault, theirs, ours) for fault in find_faults(theirs, ours, lexicon)]


def alone(category: str, claim: Claim, denials: Denials) -> Difference:
    """Return the error of a claim that only one report makes, with the other report's denial if there is one."""
    weight, matters = WEIGHT[claim.significance], claim.significance != "benign"
    if category == MISSING_FINDING and claim.significance == "minor" and claim.kind in ("device", "procedure"):
        matters = False  # a device in its place is documented, not acted on; an invented one misleads
    share = 1.0 if claim.certain else _IN_DOUBT
    if claim.significance in ACTED_ON:
        share *= _EXTENT[claim.severity]
    denial = denials.of(claim)
    if claim.change == "resolved":
        # it is not there any more: what the other report leaves out, or adds, is a comparison
        category = OMITTED_COMPARISON if category == MISSING_FINDING else FALSE_COMPARISON
        share, matters = NEAR_MISS, False
    missing = category in (MISSING_FINDING, OMITTED_COMPARISON)
    return Difference(
        category,
        _say(claim) if denial else _say_with_doubt(claim),
        share * weight,
        matters,
        claim.significance,
        None if missing else claim,
        claim if missing else None,
        denial,
    )


def _weighed(fault: Fault, theirs: Claim, ours: Claim) -> Difference:
    weight, matters = WEIGHT[theirs.significance], theirs.significance != "benign"
    if fault.category == WRONG_LOCATION and theirs.kind == "device" and fault.error:
        astray = WEIGHT["urgent"] if theirs.misplaced != ours.misplaced else _DEVICE_ASTRAY
        weight, matters = max(weight, astray), True
    about = fault.about if fault.category == FALSE_FINDING else f"{_say(theirs)}: {fault.about}"
    significant = matters and fault.error and (fault.share >= HALF or _misleads(fault.category, theirs, ours))
    return Difference(
        fault.category,
        about,
        fault.share * weight,
        significant,
        theirs.significance,
        ours,
        theirs,
        aspect=fault.aspect,
        error=fault.error,
    )


def _misleads(category: str, theirs: Claim, ours: Claim) -> bool:
    """Return whether a course that only one report gives matters: worse or better, of a finding that is acted on."""
    if category not in (FALSE_COMPARISON, OMITTED_COMPARISON) or theirs.significance not in ACTED_ON:
        return False
    return DIRECTION[theirs.change or ours.change or "unchanged"] != "same"


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
