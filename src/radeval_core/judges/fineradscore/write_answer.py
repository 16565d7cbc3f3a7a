"""Write corrections as a judge answers them: JSON with one entry per line, and a list of insertions."""

from __future__ import annotations

import json
from typing import Any

from radeval_core.corrections.types import DELETE, Analysis, Correction
from radeval_core.judges.fineradscore.schema import DELETE_MARK, NEW_LINE


def write_answer(analysis: Analysis) -> str:
    """Return the answer: the reader finds the same corrections in it."""
    answer: dict[str, Any] = {str(c.line): _entry(c) for c in analysis.corrections if c.line is not None}
    if inserted := [_entry(c) for c in analysis.corrections if c.line is None]:
        answer[NEW_LINE] = inserted
    return json.dumps(answer, ensure_ascii=False)


def _entry(correction: Correction) -> dict[str, Any]:
    return {
        "corrections": DELETE_MARK if correction.action == DELETE else correction.after,
        "clinical severity": correction.rating,
        "comments": correction.comment,
        "error category": list(correction.category),
    }
