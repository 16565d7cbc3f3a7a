"""What became of a submission: its scores with everything needed to compare them, or the reason it has none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from radeval_core.errors import RadevalError
from radeval_core.leaderboard.submission import System

#: layout of the JSON; older layouts stay loadable
FORMAT = 1


@dataclass(frozen=True)
class Outcome:
    """A scored or failed submission.

    Attributes:
        submission: its id.
        benchmark: name of the benchmark.
        revision: of the benchmark's studies.
        version: hash of revision and signatures: only outcomes of one version are ranked together.
        core: version of radeval_core.
        date: when it was scored, ISO 8601, UTC.
        system: who submitted.
        reason: why it has no scores; empty if it has.
        metrics: by metric: score, ci95, n, unscored, higher_is_better, signature.
        ids: study of each pair.
        scores: by metric, one number a pair; None for an unscored one.
        errors: for each pair the number of errors by category, where a metric counts them. Counts only: the words of
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


def from_json(data: bytes) -> Outcome:
    """Read an outcome; fields that a later version added are left out."""
    try:
        raw = json.loads(data)
        known = {f.name for f in fields(Outcome)}
        raw = {key: value for key, value in raw.items() if key in known}
        raw["system"] = System(**raw["system"])
        raw["ids"], raw["errors"] = tuple(raw["ids"]), tuple(raw["errors"])
        raw["scores"] = {name: tuple(values) for name, values in raw["scores"].items()}
        return Outcome(**raw)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RadevalError(f"a result in the store cannot be read: {type(error).__name__}: {error}") from error


def version_of(benchmark: str, revision: str, signatures: Mapping[str, str]) -> str:
    """What a set of results was made with, in twelve letters."""
    text = json.dumps([benchmark, revision, sorted(signatures.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:12]
