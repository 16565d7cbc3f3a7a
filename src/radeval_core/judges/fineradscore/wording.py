"""Write the text of a correction: a finding as a sentence, and an error as a comment."""

from __future__ import annotations

from radeval_core.corrections.apply import sentence
from radeval_core.error_categories import (
    FALSE_COMPARISON,
    FALSE_FINDING,
    MISSING_FINDING,
    OMITTED_COMPARISON,
    WRONG_LOCATION,
    WRONG_SEVERITY,
)
from radeval_core.findings.claims import Claim
from radeval_core.findings.differences import Difference
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.sentence_reader import read_sentence
from radeval_core.findings.types import Finding

#: sizes that a description lists; a claim of a real report has a few
_MOST_SIZES = 16
_CLAUSE = frozenset({"is", "are", "was", "were", "of", "in", "the"})


def describe(claim: Claim, lexicon: Lexicon) -> str:
    """Return one claim as a short sentence; used if the reference's sentence makes several claims."""
    name, places = _name(claim.stated, lexicon), _places(claim, lexicon)
    side = claim.laterality or ""
    said = f"{name} in the {side} {places}" if places and side != "bilateral" else f"{side} {name}"
    if places and side == "bilateral":
        said += f" in the {places}"
    said = f"{_number(claim)} {_grade(claim)} {said}"
    if claim.measurements:
        said += f" measuring {' x '.join(f'{size:g}' for size in claim.measurements[:_MOST_SIZES])} mm"
    if claim.change == "resolved":
        said += " has resolved"
    elif claim.change:
        said = f"{claim.change} {said}"
    if not claim.certain:
        said = f"possible {said}"
    elif claim.finding in claim.doubted:
        said += f", possibly {_name(_named(claim), lexicon)}"
    said = " ".join(said.split())
    return sentence(said[:1].upper() + said[1:])


def deny(finding: Finding) -> str:
    """Return a denial as a sentence."""
    return sentence(f"No {finding.text.lower()}")


def comment(difference: Difference) -> str:
    """Return an error as a radiologist would note it."""
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
        WRONG_LOCATION: "Wrong place",
        WRONG_SEVERITY: "Wrong size, number or severity",
        FALSE_COMPARISON: "Change that the reference does not state",
        OMITTED_COMPARISON: "Change left out",
    }[difference.category]
    return f"{kind}: {about}"


def _name(mention: Finding, lexicon: Lexicon) -> str:
    """Return the finding as the report writes it, unless it is a clause (`the heart is enlarged`) or needs context."""
    written = " ".join(mention.text.lower().split())
    if mention.open:
        return written
    if _CLAUSE.isdisjoint(written.split()) and _reads_as(written, mention.finding, lexicon):
        return written
    return mention.finding.replace("_", " ")


def _named(claim: Claim) -> Finding:
    """Return the mention that gives a claim its name."""
    return next(mention for mention in claim.mentions if mention.finding == claim.finding)


def _number(claim: Claim) -> str:
    """Return the number of lesions, if it is more than one and the finding is described in the plural."""
    number = claim.stated.number or ""
    return number if number != "one" and claim.stated.text.endswith("s") else ""


def _grade(claim: Claim) -> str:
    """Return the severity; findings in the pleural space are small or large, not mild or severe."""
    grade = claim.severity or ""
    return {"mild": "small", "severe": "large"}.get(grade, grade) if "pleura" in claim.anatomy else grade


def _places(claim: Claim, lexicon: Lexicon) -> str:
    """Return the places of a claim; empty if it is only in its usual place."""
    entry = lexicon.entries.get(claim.stated.finding)
    usual = entry.regions if entry is not None else ()  # an open finding implies no place
    return "" if claim.anatomy == usual else " and ".join(place.replace("_", " ") for place in claim.anatomy)


def _reads_as(words: str, finding: str, lexicon: Lexicon) -> bool:
    return [f.finding for f in read_sentence(words, lexicon).findings if not f.implied] == [finding]
