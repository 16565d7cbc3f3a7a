"""Write a CRIMSON evaluation as a judge answers it: JSON with the keys of the authors' prompt and no others."""

from __future__ import annotations

import json
from typing import Any

from radeval_core.functional.crimson import ATTRIBUTE, FALSE, MISSING
from radeval_core.judges.crimson.analysis import CrimsonAnalysis

_FINDING = ("id", "finding", "clinical_significance")
_MATCH = ("ref_id", "pred_id")
_ATTRIBUTE = ("ref_id", "pred_id", "severity", "error_types", "explanation")


def write_answer(analysis: CrimsonAnalysis) -> str:
    """Return the answer. What only our comparison knows is left out: offsets, rules of a context, graded weights."""
    said, errors = analysis.evaluation, analysis.evaluation["errors"]
    answer = {
        "reference_findings": [_only(_FINDING, entry) for entry in said["reference_findings"]],
        "predicted_findings": [_only(_FINDING, entry) for entry in said["predicted_findings"]],
        "matched_findings": [_only(_MATCH, entry) for entry in said["matched_findings"]],
        "errors": {
            FALSE: list(errors.get(FALSE, [])),
            MISSING: list(errors.get(MISSING, [])),
            ATTRIBUTE: [_only(_ATTRIBUTE, error) for error in errors.get(ATTRIBUTE, [])],
        },
    }
    return json.dumps(answer, ensure_ascii=False)


def _only(keys: tuple[str, ...], entry: Any) -> dict[str, Any]:
    return {key: entry[key] for key in keys if key in entry}
