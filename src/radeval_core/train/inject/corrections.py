"""The corrections that undo injected errors, as FineRadScore's analysis: each line as the reference has it."""

from __future__ import annotations

from collections.abc import Iterator

from radeval_core.corrections.apply import apply_corrections, sentence
from radeval_core.corrections.lines import ReportLine, line_at, split_lines
from radeval_core.corrections.types import (
    CATEGORY_TITLES,
    DELETE,
    INSERT,
    INVALID_COMPARISON,
    RATING,
    REWRITE,
    SEVERITY,
    Analysis,
    Correction,
)
from radeval_core.error_categories import CATEGORIES, FALSE_COMPARISON, FALSE_FINDING, MISSING_FINDING
from radeval_core.findings.claims import Claim
from radeval_core.findings.parser import parse
from radeval_core.findings.types import ParsedReport
from radeval_core.judges.fineradscore.rating import severity_lists
from radeval_core.train.inject.gold import GoldError, claims_lost
from radeval_core.train.inject.pairs import GoldPair

#: a place in both reports: a line of the candidate, None to insert one, and of the reference, None to delete it
Place = tuple[int | None, int | None]


def fineradscore_analysis(pair: GoldPair) -> Analysis | None:
    """Return the corrections; None if they would not make the candidate state what the reference states."""
    theirs, ours = split_lines(pair.reference.text), split_lines(pair.candidate.text)
    by_place: dict[Place, list[GoldError]] = {}
    for error, place in zip(pair.errors, _places(pair, theirs, ours), strict=True):
        by_place.setdefault(place, []).append(error)
    lines = [line for line, _ in by_place if line is not None]
    if len(set(lines)) < len(lines) or (None, None) in by_place:
        return None  # one line would have to become two
    found = [_correction(place, errors, theirs, ours) for place, errors in by_place.items()]
    found.sort(key=lambda c: (c.line is None, c.line or 0))
    corrected = parse(apply_corrections(pair.candidate.text, found))
    if claims_lost(corrected, pair.reference) or claims_lost(pair.reference, corrected):
        return None
    return Analysis(tuple(found))


def _places(pair: GoldPair, theirs: tuple[ReportLine, ...], ours: tuple[ReportLine, ...]) -> Iterator[Place]:
    """Yield where each error is."""
    replaced = {kind: [e for e in pair.errors if e.kind == "finding" and e.category == kind] for kind in CATEGORIES[:2]}
    for error in pair.errors:
        wrong, right = error.candidate, error.reference
        if error.kind == "finding":  # a finding and the one that replaces it, in the same sentence
            wrong, right = _partners(error, replaced[FALSE_FINDING], replaced[MISSING_FINDING])
        yield (
            _line(wrong, pair.candidate, ours, error if right else None),
            _line(right, pair.reference, theirs, error if wrong else None),
        )


def _partners(error: GoldError, false: list[GoldError], missing: list[GoldError]) -> tuple[Claim | None, Claim | None]:
    if len(false) != len(missing):
        return error.candidate, error.reference
    at = (false if error in false else missing).index(error)
    return false[at].candidate, missing[at].reference


def _line(
    claim: Claim | None, report: ParsedReport, lines: tuple[ReportLine, ...], error: GoldError | None
) -> int | None:
    """Return the line of a report that states a claim or, if it does not, denies what the error is about."""
    if claim is not None:
        return line_at(lines, claim.start).number
    if error is None or not error.denied:
        return None
    about = error.reference or error.candidate
    assert about is not None
    denials = (f for f in report.findings if f.polarity == "absent" and f.finding in about.names and not f.implied)
    return next((line_at(lines, denial.start).number for denial in denials), None)


def _correction(
    place: Place, errors: list[GoldError], theirs: tuple[ReportLine, ...], ours: tuple[ReportLine, ...]
) -> Correction:
    line, right = place
    after = "" if right is None else sentence(theirs[right].text)
    categories = {error.category for error in errors}
    return Correction(
        line=line,
        action=INSERT if line is None else REWRITE if after else DELETE,
        before="" if line is None else ours[line].text,
        after=after,
        rating=max(map(_rating, errors), key=lambda rating: SEVERITY[rating]),
        category=tuple(t for t, category in zip(CATEGORY_TITLES, CATEGORIES, strict=True) if category in categories),
        comment=sentence("; ".join(error.text for error in errors)),
    )


def _rating(error: GoldError) -> str:
    """Return how severe an error is: emergent or urgent as the finding is, actionable, or not actionable."""
    claim = error.reference or error.candidate
    assert claim is not None
    if not error.significant or claim.significance not in ("urgent", "actionable"):
        return INVALID_COMPARISON if error.category == FALSE_COMPARISON else RATING[1]
    if error.category in (FALSE_FINDING, MISSING_FINDING) and set(claim.names) & severity_lists()["emergent"]:
        return RATING[4]
    return RATING[3 if claim.significance == "urgent" else 2]
