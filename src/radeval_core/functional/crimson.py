"""CRIMSON: score an evaluation of a pair, the lists of findings, matches and errors that a judge gives.

The arithmetic is that of the authors' package (rajpurkarlab/CRIMSON, `_calculate_crimson`), for every input that it
accepts; what it fails on is a `ValueError` here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

#: levels of clinical significance of a finding, the highest first, and their weights
LEVELS = {"urgent": 1.0, "actionable_not_urgent": 0.5, "not_actionable_not_urgent": 0.25, "benign_expected": 0.0}
#: severities of an attribute error, and their weights
SEVERITIES = {"significant": 0.5, "negligible": 0.0}
#: weight of any other level or severity, and of a missing one
OTHER_WEIGHT = 0.25
#: kinds of attribute errors
ERROR_TYPES = (
    *("location", "severity", "descriptor", "measurement", "certainty", "unspecific", "overinterpretation"),
    "temporal",
)
#: the lists of an evaluation's `errors`
FALSE, MISSING, ATTRIBUTE = "false_findings", "missing_findings", "attribute_errors"
#: digits of a score
_DIGITS = 4


@dataclass(frozen=True)
class CrimsonScore:
    """The score of one evaluation, and the sums that give it.

    Attributes:
        counts: number of errors: false, missing, attribute errors, and those of each type.
        false: summed weight of the false findings.
        missing: summed weight of the missing findings; it lowers the score only through `total`.
        attribute: summed weight of the attribute errors.
        total: summed weight of all reference findings: N_G in the paper.
        credits: the credit for each matched reference finding, by its id.
        quotient: (correct - false) / total: S in the paper; below 0 the score is -x / (1 + x), see `surplus`.
        score: the score, from above -1 to 1, with four digits.
    """

    counts: Mapping[str, int]
    false: float
    missing: float
    attribute: float
    total: float
    credits: Mapping[Hashable, float]
    quotient: float
    score: float

    @property
    def correct(self) -> float:
        """Return the summed credit for matched reference findings."""
        return sum(self.credits.values())

    @property
    def surplus(self) -> float:
        """Return how much the false findings outweigh the correct ones: x, below 0 if they do not."""
        return self.false - self.correct


def severity_weight(error: Mapping[str, Any]) -> float:
    """Return the paper's weight of an attribute error."""
    return SEVERITIES.get(error.get("severity", ""), OTHER_WEIGHT)


def level_weight(finding: Mapping[str, Any]) -> float:
    """Return the paper's weight of a finding."""
    return LEVELS.get(finding.get("clinical_significance", ""), OTHER_WEIGHT)


def credit(weight: float, errors: float) -> float:
    """Return the credit for a matched reference finding: its weight, less for attribute errors.

    Args:
        weight: the weight of the finding.
        errors: the summed weight of its attribute errors.
    """
    return weight * weight / (weight + errors) if weight + errors else 0.0


def crimson(evaluation: Any, error_weight: Callable[[Mapping[str, Any]], float] = severity_weight) -> CrimsonScore:
    """Return the score of an evaluation: `reference_findings`, `predicted_findings`, `matched_findings`, `errors`.

    A missing list counts as an empty one. An id that is in no list of findings weighs 0.

    Args:
        evaluation: a judge's answer, as read from JSON.
        error_weight: returns the weight of an attribute error; the paper's weights by default.

    Raises:
        ValueError: the evaluation does not have the form that the paper asks for.
    """
    try:
        return _score(evaluation, error_weight)
    except KeyError as error:
        raise ValueError(f"an entry of the evaluation has no {error.args[0]!r}") from None
    except (TypeError, AttributeError):
        raise ValueError("a part of the evaluation is not the list or object that it should be") from None


def _score(evaluation: Any, error_weight: Callable[[Mapping[str, Any]], float]) -> CrimsonScore:
    errors = evaluation.get("errors", {})
    false, missing = errors.get(FALSE, []), errors.get(MISSING, [])
    attribute, matched = errors.get(ATTRIBUTE, []), evaluation.get("matched_findings", [])
    references = evaluation.get("reference_findings", [])
    weights = {finding["id"]: level_weight(finding) for finding in references}
    predicted = {finding["id"]: level_weight(finding) for finding in evaluation.get("predicted_findings", [])}
    false_weight = sum(predicted.get(name, 0.0) for name in false)
    missing_weight = sum(weights.get(name, 0.0) for name in missing)
    faults: dict[Hashable, float] = {}
    for error in attribute:
        weight = error_weight(error)
        faults[error["ref_id"]] = faults.get(error["ref_id"], 0) + weight
    # the authors count matches if no reference finding is listed
    total = sum(level_weight(f) for f in references) if references else len(matched) + missing_weight
    credits: dict[Hashable, float] = {}
    for name in dict.fromkeys(match["ref_id"] for match in matched):
        weight = weights.get(name, 0.0)
        credits[name] = credit(weight, faults[name]) if name in faults else weight
    correct = sum(credits.values())
    quotient = _quotient(total, correct, false_weight, missing_weight)
    surplus = false_weight - correct
    score = quotient if quotient >= 0 else -surplus / (1 + surplus) if surplus > 0 else 0.0
    return CrimsonScore(
        counts=_counts(false, missing, attribute),
        false=false_weight,
        missing=missing_weight,
        attribute=sum(map(error_weight, attribute)),
        total=total,
        credits=credits,
        quotient=quotient,
        score=round(score, _DIGITS),
    )


def _quotient(total: float, correct: float, false: float, missing: float) -> float:
    if total:
        return (correct - false) / total
    return 1.0 if not false and not missing else -(false + missing + 1)


def _counts(false: Any, missing: Any, attribute: Any) -> dict[str, int]:
    by_type = {
        f"{kind}_errors": sum(kind in error.get("error_types", []) for error in attribute) for kind in ERROR_TYPES
    }
    return {FALSE: len(false), MISSING: len(missing), ATTRIBUTE: len(attribute), **by_type}
