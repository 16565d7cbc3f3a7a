"""The words of a correction: a finding as a sentence, and what is wrong as a comment."""

from __future__ import annotations

from functools import lru_cache

from radeval_core.findings.parser import default_parser
from radeval_core.findings.structures import Finding
from radeval_core.judges.claims import Claim
from radeval_core.judges.compare import (
    FALSE_COMPARISON,
    FALSE_FINDING,
    LOCATION,
    MISSING_FINDING,
    OMITTED_COMPARISON,
    SEVERITY,
    Difference,
)
from radeval_core.judges.fineradscore.apply import sentence

_CLAUSE = frozenset({"is", "are", "was", "were", "of", "in", "the"})


def describe(claim: Claim) -> str:
    """A claim as a short sentence of its own, for a sentence of the reference that makes several."""
    mention = claim.mentions[0]
    name, places = _name(mention), _places(claim)
    side = claim.laterality or ""
    said = f"{name} in the {side} {places}" if places and side != "bilateral" else f"{side} {name}"
    if places and side == "bilateral":
        said += f" in the {places}"
    said = f"{_grade(claim)} {said}"
    if claim.measurements:
        said += f" measuring {' x '.join(f'{size:g}' for size in claim.measurements)} mm"
    if claim.change == "resolved":
        said += " has resolved"
    elif claim.change:
        said = f"{claim.change} {said}"
    if not claim.certain:
        said = f"possible {said}"
    said = " ".join(said.split())
    return sentence(said[:1].upper() + said[1:])


def deny(finding: Finding) -> str:
    """A denial as a sentence of its own."""
    return sentence(f"No {finding.text.lower()}")


def comment(difference: Difference) -> str:
    """What is wrong, as a radiologist would note it."""
    about, denial = difference.about, difference.denial
    if difference.category == MISSING_FINDING or difference.reference is None:
        side = "candidate" if difference.category == MISSING_FINDING else "reference"
        if denial is None:
            return f"The {side} does not mention {about}"
        if denial.implied:
            return f"The {side} says “{denial.text}”, which excludes {about}"
        return f"The {side} says there is no {about}"
    kind = {
        FALSE_FINDING: "Another finding",
        LOCATION: "Wrong place",
        SEVERITY: "Wrong size or severity",
        FALSE_COMPARISON: "Change that the reference does not state",
        OMITTED_COMPARISON: "Change left out",
    }[difference.category]
    return f"{kind}: {about}"


def _name(mention: Finding) -> str:
    """The finding as the report writes it, unless that is a clause (`the heart is enlarged`) or needs its context."""
    written = " ".join(mention.text.lower().split())
    if _CLAUSE.isdisjoint(written.split()) and _reads_as(written, mention.finding):
        return written
    return mention.finding.replace("_", " ")


def _grade(claim: Claim) -> str:
    """How much of it there is; what lies in the pleural space is small or large rather than mild or severe."""
    grade = claim.severity or ""
    return {"mild": "small", "severe": "large"}.get(grade, grade) if "pleura" in claim.anatomy else grade


def _places(claim: Claim) -> str:
    """Where it is, if that is not where it always is."""
    usual = default_parser().lexicon.entries[claim.mentions[0].finding].regions
    return "" if claim.anatomy == usual else " and ".join(place.replace("_", " ") for place in claim.anatomy)


@lru_cache(maxsize=4096)
def _reads_as(words: str, finding: str) -> bool:
    return [f.finding for f in default_parser().parse(words).stated] == [finding]
