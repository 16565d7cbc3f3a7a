"""What a CRIMSON judge says about a pair of reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.functional.crimson import CrimsonScore


@dataclass(frozen=True)
class CrimsonAnalysis:
    """An evaluation and its score.

    Attributes:
        evaluation: the lists `reference_findings`, `predicted_findings`, `matched_findings` and `errors`, in the form
            of the authors' prompt. Of a model it is whatever the model wrote, as far as it can be scored.
        score: the score, and the sums behind it.
        silent: whether candidate and reference say nothing that could be compared.
    """

    evaluation: Mapping[str, Any]
    score: CrimsonScore
    silent: tuple[bool, bool] = (False, False)
