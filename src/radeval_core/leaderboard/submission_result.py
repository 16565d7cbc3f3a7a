"""The result of a submission: its scores with everything needed to compare them, or the reason why it has none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from radeval_core.errors import RadevalError
from radeval_core.leaderboard.submission import System

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
        return _RESULT.validate_json(data)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise RadevalError(f"a result in the store cannot be read: {place}: {first['msg']}") from None


def version_of(benchmark: str, revision: str, signatures: Mapping[str, str]) -> str:
    """Return a hash of benchmark, revision and signatures, in twelve characters."""
    text = json.dumps([benchmark, revision, sorted(signatures.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:12]
