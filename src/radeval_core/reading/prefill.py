"""Fill in first answers with judges, for readers who correct instead of starting from nothing. Off by default.

What a judge proposes pulls readers towards it, so a study with proposals says so: in `study.json`, in every entry of
the journals, and in every row of the export.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from radeval_core import api
from radeval_core.corrections.types import SEVERITY
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError
from radeval_core.reading.answers import CandidateReading, ErrorCounts, LineCorrection, check_reading, empty_reading
from radeval_core.reading.cases import CORRECTIONS, ERRORS, Case

#: the metric whose judge answers each question
JUDGES = {ERRORS: "green", CORRECTIONS: "fineradscore"}


def propose(cases: Collection[Case], asked: Iterable[str], progress: bool = True) -> tuple[str, dict[str, Any]]:
    """Return the signatures of the judges, and the proposed reading of each case.

    Args:
        cases: the cases.
        asked: what the readers are asked for; errors and corrections can be proposed.
        progress: show a progress bar.
    """
    judges = {question: JUDGES[question] for question in asked if question in JUDGES}
    if not judges:
        raise InputError(f"nothing to pre-fill: a judge can propose {' and '.join(JUDGES)}, and neither is asked for")
    pairs = [pair for case in cases for pair in case.pairs]
    for pair in pairs:
        if len(pair.references) > 1:
            raise InputError(f"pair {pair.id!r} has several references: a judge compares with one; leave out --prefill")
    scores = api.score(pairs, list(judges.values()), detailed=True, progress=progress)
    details = {name: iter(scores.results[name].details or ()) for name in judges.values()}
    proposals = {}
    for case in cases:
        found = [{question: next(details[name]) for question, name in judges.items()} for _ in case.candidates]
        readings = [_proposed(of_candidate) for of_candidate in found]
        # no proposal for a case that a judge could not read: empty counts would say that there are no errors
        if None not in readings:
            proposal = empty_reading(case).model_copy(update={"candidates": readings})
            proposals[case.key] = check_reading(proposal.as_dict(), case).as_dict()
    return "; ".join(scores.results[name].signature for name in judges.values()), proposals


def _proposed(details: Mapping[str, Any]) -> CandidateReading | None:
    """Return what the judges propose for one candidate, or None if one of them could not read it."""
    errors, corrections = details.get(ERRORS), details.get(CORRECTIONS)
    if (errors is not None and "significant" not in errors) or (
        corrections is not None and corrections.get("corrections") is None
    ):
        return None
    return CandidateReading(
        errors=_counts(errors) if errors else {}, corrections=_corrections(corrections) if corrections else []
    )


def _counts(detail: Mapping[str, Any]) -> dict[str, ErrorCounts]:
    counts = {
        category: {
            kind: (detail[kind].get(category) or {}).get("count", 0) for kind in ("significant", "insignificant")
        }
        for category in CATEGORIES
    }
    return {category: ErrorCounts(**of) for category, of in counts.items() if any(of.values())}


def _corrections(detail: Mapping[str, Any]) -> list[LineCorrection]:
    return [
        LineCorrection(
            line=one["line"],
            action=one["action"],
            corrected=one["after"],
            rating=one["rating"] if one["rating"] in SEVERITY else None,
            comment=one["comment"],
        )
        for one in detail["corrections"]
    ]
