"""Rank systems. Systems that do not differ significantly in a paired test share a rank.

A system's rank is 1 + the number of systems that are significantly better. A system is significantly better if the mean
of the per-study differences is in its favour and approximate randomisation gives p < 0.05 after Holm's correction over
all comparisons of the ranked system (one with each other system).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from radeval_core.leaderboard.benchmark import Kind
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import metric_value
from radeval_core.stats.all_pairs import significantly_better

ALPHA = 0.05


@dataclass(frozen=True)
class Ranked:
    """A system in a ranking.

    Attributes:
        rank: 1 + number of systems significantly better; None if the metric could not score it, or if it is a baseline
            or an oracle.
        outcome: its scores.
        kind: system, baseline or oracle.
    """

    rank: int | None
    outcome: SubmissionResult
    kind: Kind = "system"


@dataclass(frozen=True)
class VersionGroup:
    """Results with the same signatures on the same studies. Only such results are compared."""

    version: str
    revision: str
    core: str
    signatures: Mapping[str, str]
    outcomes: tuple[SubmissionResult, ...]


def group_by_version(outcomes: Sequence[SubmissionResult]) -> list[VersionGroup]:
    """Group the scored results by version, the most recently scored version first."""
    versions: dict[str, list[SubmissionResult]] = {}
    for outcome in outcomes:
        found = versions.setdefault(outcome.version, []) if not outcome.failed else []
        # a version is a hash of the signatures: a file that states another one does not belong to it
        if not outcome.failed and (not found or found[0].signatures == outcome.signatures):
            found.append(outcome)
    groups = [
        VersionGroup(version, found[0].revision, found[0].core, found[0].signatures, tuple(found))
        for version, found in versions.items()
    ]
    return sorted(groups, key=lambda g: (max(o.date for o in g.outcomes), g.version), reverse=True)


def rank(outcomes: Sequence[SubmissionResult], metric: str) -> list[Ranked]:
    """Rank the systems of one version by one metric, sorted by rank, then by score."""
    if len({o.version for o in outcomes}) > 1:
        raise ValueError("results with different signatures cannot be ranked together")
    if not outcomes:
        return []
    sign = 1.0 if metric_value(metric).higher_is_better else -1.0
    scores = sign * np.array([_column(o, metric) for o in outcomes])
    better = _better(scores.tobytes(), len(outcomes))
    rows = []
    for i, outcome in enumerate(outcomes):
        scored = outcome.metrics[metric]["score"] is not None
        rows.append(Ranked(1 + int(better[i].sum()) if scored else None, outcome))

    return in_order(rows, metric)


def in_order(rows: Sequence[Ranked], metric: str) -> list[Ranked]:
    """Sort rows by rank, then by score, the best first."""
    sign = 1.0 if metric_value(metric).higher_is_better else -1.0

    def order(row: Ranked) -> tuple[float, float, str]:
        score = row.outcome.metrics[metric]["score"]
        return (row.rank or np.inf, -sign * score if score is not None else np.inf, row.outcome.submission)

    return sorted(rows, key=order)


@lru_cache(maxsize=64)
def _better(data: bytes, count: int) -> NDArray[np.bool_]:
    """Return a matrix that is True where system j (column) is significantly better than system i (row).

    Higher scores are better. The scores are passed as bytes, so that the cache runs the tests once per state of the
    table and not once per visitor.
    """
    return significantly_better(np.frombuffer(data).reshape(count, -1), ALPHA)


def _column(outcome: SubmissionResult, metric: str) -> list[float]:
    return [float("nan") if value is None else value for value in outcome.scores[metric]]
