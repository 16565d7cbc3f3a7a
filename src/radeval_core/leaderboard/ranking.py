"""Ranks that say no more than the data do: systems that a paired test cannot tell apart share a rank.

A system's rank is 1 + the number of systems that are significantly better than it. "Significantly better": the mean of
the per-study differences is in its favour, and approximate randomisation gives p < 0.05 after Holm's correction over
all comparisons of the ranked system (one with each other system).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from radeval_core.leaderboard.outcome import Outcome
from radeval_core.registry import get_spec
from radeval_core.stats.multiplicity import holm
from radeval_core.stats.paired import randomisation_p_values

ALPHA = 0.05


@dataclass(frozen=True)
class Ranked:
    """A system in a table.

    Attributes:
        rank: 1 + number of systems significantly better; None if the metric could not score it.
        outcome: its scores.
        better: ids of the submissions that are significantly better.
    """

    rank: int | None
    outcome: Outcome
    better: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Outcomes with the same signatures on the same studies: the only ones that are compared."""

    version: str
    revision: str
    core: str
    signatures: Mapping[str, str]
    outcomes: tuple[Outcome, ...]


def group_by_version(outcomes: Sequence[Outcome]) -> list[Group]:
    """Scored outcomes by version, the one scored last first."""
    versions: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if not outcome.failed:
            versions.setdefault(outcome.version, []).append(outcome)
    groups = [
        Group(version, found[0].revision, found[0].core, found[0].signatures, tuple(found))
        for version, found in versions.items()
    ]
    return sorted(groups, key=lambda g: (max(o.date for o in g.outcomes), g.version), reverse=True)


def rank(outcomes: Sequence[Outcome], metric: str) -> list[Ranked]:
    """Rank the systems of one group by one metric: best rank first, then best score."""
    if len({o.version for o in outcomes}) > 1:
        raise ValueError("results with different signatures cannot be ranked together")
    if not outcomes:
        return []
    sign = 1.0 if get_spec(metric).higher_is_better else -1.0
    scores = sign * np.array([_column(o, metric) for o in outcomes])
    better = _better(scores.tobytes(), len(outcomes))
    rows = []
    for i, outcome in enumerate(outcomes):
        above = tuple(outcomes[j].submission for j in np.flatnonzero(better[i]).tolist())
        scored = outcome.metrics[metric]["score"] is not None
        rows.append(Ranked(1 + len(above) if scored else None, outcome, above))

    def order(row: Ranked) -> tuple[float, float, str]:
        score = row.outcome.metrics[metric]["score"]
        return (row.rank or np.inf, -sign * score if score is not None else np.inf, row.outcome.submission)

    return sorted(rows, key=order)


@lru_cache(maxsize=64)
def _better(data: bytes, count: int) -> NDArray[np.bool_]:
    """Whether system j (column) is significantly better than system i (row); higher scores are better.

    The scores come as bytes, so that the tests run once for each state of a table and not for each visitor.
    """
    scores = np.frombuffer(data).reshape(count, -1)
    better = np.zeros((count, count), dtype=bool)
    if count < 2:
        return better
    first, second = np.triu_indices(count, 1)
    differences = (scores[second] - scores[first]).T
    p_values, gain = np.ones((count, count)), np.zeros((count, count))
    p_values[first, second] = p_values[second, first] = randomisation_p_values(differences)
    gain[first, second] = np.nansum(differences, axis=0)
    gain[second, first] = -gain[first, second]
    for i in range(count):
        others = [j for j in range(count) if j != i]
        better[i, others] = (np.array(holm(list(p_values[i, others]))) < ALPHA) & (gain[i, others] > 0)
    return better


def _column(outcome: Outcome, metric: str) -> list[float]:
    return [float("nan") if value is None else value for value in outcome.scores[metric]]
