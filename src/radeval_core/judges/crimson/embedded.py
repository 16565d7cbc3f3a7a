"""CRIMSON without a model: our comparison of two parsed reports, as an evaluation in the authors' form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from radeval_core.error_categories import FALSE_FINDING, MISSING_FINDING
from radeval_core.findings.claims import Claim
from radeval_core.findings.compare import Comparison, compare
from radeval_core.findings.differences import WEIGHT, Difference
from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.functional.crimson import ATTRIBUTE, FALSE, MISSING, crimson
from radeval_core.judges.crimson.analysis import CrimsonAnalysis
from radeval_core.judges.crimson.context_rules import context_table
from radeval_core.judges.crimson.significance import significance
from radeval_core.patient_context import PatientContext

#: the most that one attribute error weighs
_WORST = 1.25


def analyse(reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None) -> CrimsonAnalysis:
    """Return the evaluation of a candidate, with the weight of each attribute error graded by how far it is off."""
    comparison = compare(reference, candidate)
    silent = not candidate.states, not reference.states
    evaluation = evaluate(comparison, reference, candidate, context)
    return CrimsonAnalysis(evaluation, crimson(evaluation, graded_weight), silent)


def graded_weight(error: Mapping[str, Any]) -> float:
    """Return the weight of an attribute error of this judge."""
    return float(error["weight"])


def evaluate(
    comparison: Comparison, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None
) -> dict[str, Any]:
    """Return a comparison as an evaluation: findings with their levels, matches and errors, named by ids."""
    lone = {kind: [d for d in comparison.differences if _is_lone(d, kind)] for kind in (FALSE_FINDING, MISSING_FINDING)}
    missed = [d.reference for d in lone[MISSING_FINDING] if d.reference]
    invented = [d.candidate for d in lone[FALSE_FINDING] if d.candidate]
    references = _numbered("R", [*(theirs for theirs, _ in comparison.matched), *missed])
    predictions = _numbered("P", [*(ours for _, ours in comparison.matched), *invented])
    every = (*comparison.differences, *comparison.shortfalls)
    wrong = [d for d in every if d.reference is not None and d.candidate is not None]
    return {
        "reference_findings": [_finding(*numbered, reference, context) for numbered in references.values()],
        "predicted_findings": [_finding(*numbered, candidate, context) for numbered in predictions.values()],
        "matched_findings": [
            {"ref_id": references[id(theirs)][0], "pred_id": predictions[id(ours)][0]}
            for theirs, ours in comparison.matched
        ],
        "errors": {
            FALSE: [predictions[id(claim)][0] for claim in invented],
            MISSING: [references[id(claim)][0] for claim in missed],
            ATTRIBUTE: [
                _attribute_error(d, references[id(d.reference)][0], predictions[id(d.candidate)][0]) for d in wrong
            ],
        },
    }


def _is_lone(difference: Difference, category: str) -> bool:
    """Return whether an error is a finding that only one report states."""
    return difference.category == category and (difference.reference is None) != (difference.candidate is None)


def _numbered(letter: str, claims: Sequence[Claim]) -> dict[int, tuple[str, Claim]]:
    """Return claims with their ids, by identity, in the order of the report."""
    ordered = sorted(claims, key=lambda claim: claim.start)
    return {id(claim): (f"{letter}{number}", claim) for number, claim in enumerate(ordered, 1)}


def _finding(name: str, claim: Claim, report: ParsedReport, context: PatientContext | None) -> dict[str, Any]:
    level, changes = context_table().adjust(significance(claim, report.text), claim, context, report.lexicon)
    return {
        "id": name,
        "finding": say(claim),
        "clinical_significance": level,
        "span": _sentence(claim.mentions),
        "rules": [change.as_dict() for change in changes],
    }


def _attribute_error(difference: Difference, theirs: str, ours: str) -> dict[str, Any]:
    return {
        "ref_id": theirs,
        "pred_id": ours,
        "severity": "significant" if difference.significant else "negligible",
        "error_types": [difference.aspect],
        "explanation": difference.about,
        "weight": min(difference.weight / WEIGHT[difference.significance], _WORST),
    }


def say(claim: Claim) -> str:
    """Return a claim in words: `possible mild left pleural effusion, 12 mm`."""
    doubt = "" if claim.certain else "possible"
    words = (doubt, claim.change, claim.severity, claim.laterality, claim.finding.replace("_", " "))
    size = f", {max(claim.measurements):g} mm" if claim.measurements else ""
    return " ".join(word for word in words if word) + size


def _sentence(mentions: Iterable[Finding]) -> list[int]:
    """Return start and end of the sentence of the first mention."""
    return next([mention.sentence_start, mention.sentence_end] for mention in mentions)
