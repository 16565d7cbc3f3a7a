"""What an injected change makes wrong: the claims of the report before and after it, as errors of known category."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from radeval_core.error_categories import (
    FALSE_COMPARISON,
    FALSE_FINDING,
    MISSING_FINDING,
    OMITTED_COMPARISON,
    WRONG_LOCATION,
    WRONG_SEVERITY,
)
from radeval_core.findings.claims import Claim, read_claims
from radeval_core.findings.significance import ACTED_ON
from radeval_core.findings.types import ParsedReport

#: kinds of change that can make an error of each category
KINDS_OF = {
    FALSE_FINDING: ("insertion", "negation", "finding"),
    MISSING_FINDING: ("omission", "negation", "finding"),
    WRONG_LOCATION: ("side", "region"),
    WRONG_SEVERITY: ("severity",),
    FALSE_COMPARISON: ("added_comparison",),
    OMITTED_COMPARISON: ("dropped_comparison",),
}
#: a verb or a size among the words of a finding
_CLAUSE = re.compile(r"\d|\b(?:is|are|was|were|has|have|shows?|demonstrates?|appears?|remains?|with)\b")


@dataclass(frozen=True)
class GoldError:
    """One error that was put into a candidate.

    Attributes:
        category: one of `error_categories.CATEGORIES`.
        kind: how it was made.
        reference: the claim of the reference, None for a false finding.
        candidate: the claim of the candidate, None for a missing finding.
        denied: True if the other report denies the finding instead of not mentioning it.
    """

    category: str
    kind: str
    reference: Claim | None
    candidate: Claim | None
    denied: bool = False

    @property
    def significant(self) -> bool:
        """Return whether the error matters clinically.

        An error about a benign finding does not, nor does a device in its place that is not mentioned. A wrong severity
        matters if mild becomes severe or severe mild, a comparison if it states a change of a finding that is acted on.
        """
        claim = self.reference or self.candidate
        assert claim is not None
        if claim.significance == "benign":
            return False
        if self.category == MISSING_FINDING:
            return not (claim.significance == "minor" and claim.kind in ("device", "procedure"))
        if self.category == WRONG_SEVERITY:
            return {self.reference.severity, self.candidate.severity} == {"mild", "severe"}  # type: ignore[union-attr]
        if self.category in (FALSE_COMPARISON, OMITTED_COMPARISON):
            changes = {side.change for side in (self.reference, self.candidate) if side and side.change}
            return claim.significance in ACTED_ON and "unchanged" not in changes
        return True

    @property
    def text(self) -> str:
        """Return the error in words, always in the same form."""
        theirs, ours = self.reference, self.candidate
        if theirs is None or ours is None:
            claim = theirs or ours
            assert claim is not None
            what = {
                (MISSING_FINDING, False): "is not mentioned",
                (MISSING_FINDING, True): "is denied",
                (FALSE_FINDING, False): "is not in the reference",
                (FALSE_FINDING, True): "is denied by the reference",
            }[self.category, self.denied]
            return f"{name_of(claim)} {what}"
        finding = finding_of(theirs)
        if self.category == WRONG_LOCATION:
            right, wrong = _places(theirs, ours)
            return f"{finding} is {right}, not {wrong}"
        if self.category == WRONG_SEVERITY:
            return f"{finding} is {theirs.severity}, not {ours.severity}"
        if self.category == FALSE_COMPARISON:
            return f"{finding} is called {ours.change}"
        return f"{finding} is {theirs.change}, which is left out"


def name_of(claim: Claim) -> str:
    """Return a claim in few words: `mild left pleural effusion`."""
    return " ".join(word for word in (claim.severity, claim.laterality, finding_of(claim)) if word)


def finding_of(claim: Claim) -> str:
    """Return a finding as its report writes it, or its name if the report uses a clause: `the heart is enlarged`."""
    written = " ".join(claim.stated.text.lower().split())
    return claim.finding.replace("_", " ") if _CLAUSE.search(written) else written


def errors_made(kind: str, before: ParsedReport, after: ParsedReport) -> tuple[GoldError, ...]:
    """Return the errors that one change made; none if the claims did not change as its kind intends.

    Args:
        kind: a kind of `findings.perturb`.
        before: the report.
        after: the report after the change.
    """
    lost, won = claims_lost(before, after), claims_lost(after, before)
    if any(claim.change == "resolved" for claim in (*lost, *won)):
        return ()
    if kind in ("insertion", "omission", "negation", "finding"):
        if (kind == "insertion" and lost) or (kind == "omission" and won) or (kind == "finding" and not (lost and won)):
            return ()
        if kind == "negation" and lost and won:
            return ()
        if _still_named(lost, after) or _still_named(won, before):
            return ()
        denied = kind == "negation"
        missing = [GoldError(MISSING_FINDING, kind, claim, None, denied) for claim in lost]
        return (*(GoldError(FALSE_FINDING, kind, None, claim, denied) for claim in won), *missing)
    category = next(category for category, kinds in KINDS_OF.items() if kind in kinds)
    by_finding = {claim.finding: claim for claim in won}
    if len(by_finding) != len(won) or sorted(by_finding) != sorted(claim.finding for claim in lost):
        return ()
    errors = [GoldError(category, kind, claim, by_finding[claim.finding]) for claim in lost]
    return tuple(errors) if all(_CONTRADICTS[kind](e.reference, e.candidate) for e in errors) else ()  # type: ignore[arg-type]


def claims_lost(report: ParsedReport, other: ParsedReport) -> list[Claim]:
    """Return the claims of a report that another report does not make in exactly the same way."""
    kept = Counter(map(content_of, read_claims(other)))
    lost = []
    for claim in sorted(read_claims(report), key=lambda claim: claim.start):
        if kept[content_of(claim)] > 0:
            kept[content_of(claim)] -= 1
        else:
            lost.append(claim)
    return lost


def content_of(claim: Claim) -> tuple[object, ...]:
    """Return everything that a claim says, without where it says it."""
    said = (claim.finding, claim.certain, claim.anatomy, claim.laterality, claim.severity, claim.change)
    return (*said, claim.measurements, claim.grades)


def _still_named(claims: Sequence[Claim], other: ParsedReport) -> bool:
    """Return whether the other report still claims one of the findings, in another way."""
    named = {name for claim in read_claims(other) for name in claim.names}
    return any(named & set(claim.names) for claim in claims)


#: whether a changed claim contradicts the old one; naming a side or degree that was not given adds to it
_CONTRADICTS: dict[str, Callable[[Claim, Claim], bool]] = {
    "side": lambda old, new: bool(old.laterality and new.laterality) and old.laterality != new.laterality,
    "region": lambda old, new: bool(old.anatomy and new.anatomy) and not set(old.anatomy) >= set(new.anatomy),
    "severity": lambda old, new: bool(old.severity and new.severity) and not old.grades & new.grades,
    "added_comparison": lambda old, new: old.change is None and new.change is not None,
    "dropped_comparison": lambda old, new: old.change is not None and new.change is None,
}


def _places(theirs: Claim, ours: Claim) -> tuple[str, str]:
    """Return the two places of a claim, in words."""
    if set(theirs.anatomy) == set(ours.anatomy):
        return theirs.laterality or "", ours.laterality or ""
    right = [place for place in theirs.anatomy if place not in ours.anatomy] or list(theirs.anatomy)
    wrong = [place for place in ours.anatomy if place not in theirs.anatomy] or list(ours.anatomy)
    first, second = (" and ".join(places).replace("_", " ") for places in (right, wrong))
    return f"in the {first}", f"in the {second}"
