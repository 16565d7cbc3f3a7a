"""The result of a submission: its scores with everything needed to compare them, or the reason why it has none."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from radeval_core.errors import RadevalError
from radeval_core.leaderboard.submission import System

#: what is kept of a metric's summary
SUMMARY_KEYS = ("score", "ci95", "n", "unscored", "higher_is_better", "signature")
#: layout of the JSON; older layouts stay loadable
FORMAT = 1


@dataclass(frozen=True)
class SubmissionResult:
    """A scored or failed submission.

    Attributes:
        submission: its id.
        benchmark: name of the benchmark.
        revision: revision of the benchmark's studies.
        version: hash of revision and signatures; only results of one version are ranked together.
        core: version of radeval_core.
        date: date of scoring, ISO 8601, UTC.
        system: the submitted system.
        reason: why it has no scores; empty if it has scores.
        metrics: per metric: score, ci95, n, unscored, higher_is_better, signature.
        ids: the study of each pair.
        scores: per metric, one number per pair; None if the pair is unscored.
        errors: number of errors per category for each pair, if a metric counts them. Only counts, because the text of
            an error would quote the reference.
        format: layout of the JSON.
    """

    submission: str
    benchmark: str
    revision: str
    version: str
    core: str
    date: str
    system: System
    reason: str = ""
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    scores: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    errors: tuple[Mapping[str, int], ...] = ()
    format: int = FORMAT

    @property
    def failed(self) -> bool:
        return bool(self.reason)

    @property
    def signatures(self) -> dict[str, str]:
        return {name: str(row["signature"]) for name, row in self.metrics.items()}

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, indent=1).encode()


_RESULT = TypeAdapter(SubmissionResult)


def from_json(data: bytes) -> SubmissionResult:
    """Read and check an outcome; fields that a later version added are left out."""
    try:
        return _whole(_RESULT.validate_json(data))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise RadevalError(f"a result in the store cannot be read: {place}: {first['msg']}") from None


def _whole(outcome: SubmissionResult) -> SubmissionResult:
    """Return a result whose parts fit together, so that no page or ranking fails on it."""
    lengths = {len(values) for values in outcome.scores.values()}
    numbers = [v for values in outcome.scores.values() for v in values if v is not None]
    if not outcome.failed and (not outcome.metrics or set(outcome.metrics) != set(outcome.scores)):
        problem = "metrics and scores do not match"
    elif lengths - {len(outcome.ids)} or (outcome.errors and len(outcome.errors) != len(outcome.ids)):
        problem = "the number of scores differs from the number of studies"
    elif not all(map(math.isfinite, numbers)) or not all(map(_complete, outcome.metrics.values())):
        problem = "a score is not a number"
    else:
        return outcome
    raise RadevalError(f"a result in the store cannot be read: {problem}")


def _complete(row: Mapping[str, Any]) -> bool:
    """Return True if a metric's row has all fields, and numbers where numbers are shown."""
    score, interval = row.get("score"), row.get("ci95")
    shown = [*([] if score is None else [score]), *(interval if isinstance(interval, list) else [])]
    return (
        set(SUMMARY_KEYS) <= set(row)
        and (interval is None or (isinstance(interval, list) and len(interval) == 2))
        and all(isinstance(v, (int, float)) and not isinstance(v, bool) and abs(v) <= sys.float_info.max for v in shown)
    )


def version_of(benchmark: str, revision: str, signatures: Mapping[str, str]) -> str:
    """Return a hash of benchmark, revision and signatures, in twelve characters."""
    text = json.dumps([benchmark, revision, sorted(signatures.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:12]
