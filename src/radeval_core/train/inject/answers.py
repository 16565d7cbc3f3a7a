"""The right answer about a pair with injected errors, as the analysis of each metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from radeval_core.error_categories import (
    CATEGORIES,
    FALSE_COMPARISON,
    FALSE_FINDING,
    MISSING_FINDING,
    OMITTED_COMPARISON,
    WRONG_LOCATION,
    WRONG_SEVERITY,
    in_words,
)
from radeval_core.findings.claims import Claim, read_claims
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.crimson import ATTRIBUTE, FALSE, MISSING, crimson
from radeval_core.judges.crimson.analysis import CrimsonAnalysis
from radeval_core.judges.crimson.significance import significance
from radeval_core.judges.green.analysis import Counted, GreenAnalysis, GreenItem
from radeval_core.train.inject.corrections import fineradscore_analysis
from radeval_core.train.inject.gold import GoldError, name_of
from radeval_core.train.inject.pairs import GoldPair

#: everything that both reports call normal counts as one matched finding, as the embedded judge counts it
_NORMAL = "normal findings"
#: CRIMSON's names of what is wrong with a finding
_ASPECTS = {
    WRONG_LOCATION: "location",
    WRONG_SEVERITY: "severity",
    FALSE_COMPARISON: "temporal",
    OMITTED_COMPARISON: "temporal",
}


def green_analysis(pair: GoldPair) -> GreenAnalysis:
    """Return the errors by category, and the matched findings."""
    matched = [name_of(theirs) for theirs, _ in pair.matched] + [_NORMAL] * bool(pair.normal)
    return GreenAnalysis(
        explanation=_summary(pair.errors),
        significant=_by_category([e for e in pair.errors if e.significant]),
        insignificant=_by_category([e for e in pair.errors if not e.significant]),
        matched=Counted(len(matched), tuple(map(GreenItem, matched))),
    )


def crimson_analysis(pair: GoldPair) -> CrimsonAnalysis:
    """Return findings with their levels, matches and errors, named by ids."""
    references, predictions = _numbered("R", pair.reference), _numbered("P", pair.candidate)
    described = [(e, e.reference, e.candidate) for e in pair.errors if e.reference and e.candidate]
    evaluation = {
        "reference_findings": [_finding(name, claim, pair.reference) for name, claim in references.values()],
        "predicted_findings": [_finding(name, claim, pair.candidate) for name, claim in predictions.values()],
        "matched_findings": [
            {"ref_id": references[id(theirs)][0], "pred_id": predictions[id(ours)][0]} for theirs, ours in pair.matched
        ],
        "errors": {
            FALSE: [predictions[id(e.candidate)][0] for e in pair.errors if e.category == FALSE_FINDING],
            MISSING: [references[id(e.reference)][0] for e in pair.errors if e.category == MISSING_FINDING],
            ATTRIBUTE: [
                {
                    "ref_id": references[id(theirs)][0],
                    "pred_id": predictions[id(ours)][0],
                    "severity": "significant" if error.significant else "negligible",
                    "error_types": [_ASPECTS[error.category]],
                    "explanation": error.text,
                }
                for error, theirs, ours in described
            ],
        },
    }
    return CrimsonAnalysis(evaluation, crimson(evaluation))


def _summary(errors: Sequence[GoldError]) -> str:
    """Return the errors in one short sentence, such as `1 error: missing finding.`."""
    if not errors:
        return "No errors."
    names = [in_words(category) for category in CATEGORIES for error in errors if error.category == category]
    return f"{len(errors)} error{'s' * (len(errors) != 1)}: {', '.join(names)}."


def _by_category(errors: Sequence[GoldError]) -> tuple[Counted, ...]:
    texts = {category: [e.text for e in errors if e.category == category] for category in CATEGORIES}
    return tuple(Counted(len(found), tuple(map(GreenItem, found))) for found in texts.values())


def _numbered(letter: str, report: ParsedReport) -> dict[int, tuple[str, Claim]]:
    """Return the claims of a report with their ids, by identity."""
    claims = sorted(read_claims(report), key=lambda claim: claim.start)
    return {id(claim): (f"{letter}{number}", claim) for number, claim in enumerate(claims, 1)}


def _finding(name: str, claim: Claim, report: ParsedReport) -> dict[str, Any]:
    return {"id": name, "finding": name_of(claim), "clinical_significance": significance(claim, report.text)}


#: the analysis of each metric; None if its form cannot state the errors
ANALYSES: dict[str, Callable[[GoldPair], Any]] = {
    "green": green_analysis,
    "crimson": crimson_analysis,
    "fineradscore": fineradscore_analysis,
}
