"""Does a metric prefer the candidate that experts prefer? GREEN, section 4.3.2, table 6 and figure 6."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.agreement import Array, Estimate, weighted_mean

#: into how many groups of about the same size studies are put by how sure experts are
GROUPS = 3


@dataclass(frozen=True)
class Preferences:
    """The studies in which both sides prefer one of two candidates.

    Attributes:
        rows: the first pair of each of these studies.
        other: the second.
        right: 1 where the metric prefers the experts' candidate, else 0.
        margin: how far apart the experts hold the candidates.
    """

    rows: NDArray[np.int64]
    other: NDArray[np.int64]
    right: Array
    margin: Array


@dataclass(frozen=True)
class Group:
    """Studies in which experts are about equally sure, from `low` to `high`, and the accuracy there."""

    low: float
    high: float
    accuracy: Estimate


def preferences(scores: Array, rating: Array, studies: Sequence[Hashable], same_direction: bool = True) -> Preferences:
    """Compare preferences in the studies with exactly two candidates.

    Studies that experts rate equal, or with an unscored candidate, are left out; equal scores count as wrong.
    """
    members: dict[Hashable, list[int]] = {}
    for row, study in enumerate(studies):
        members.setdefault(study, []).append(row)
    pairs = np.array([rows for rows in members.values() if len(rows) == 2], dtype=np.int64).reshape(-1, 2)
    by_experts = rating[pairs[:, 0]] - rating[pairs[:, 1]]
    by_metric = (scores[pairs[:, 0]] - scores[pairs[:, 1]]) * (1 if same_direction else -1)
    counts = (by_experts != 0) & ~np.isnan(by_experts + by_metric)
    right = (by_experts * by_metric > 0).astype(np.float64)
    return Preferences(pairs[counts, 0], pairs[counts, 1], right[counts], np.abs(by_experts[counts]))


def preference_accuracy(
    scores: Array, rating: Array, studies: Sequence[Hashable], resamples: Array, same_direction: bool = True
) -> Estimate:
    """How often a metric prefers the candidate that experts prefer."""
    found = preferences(scores, rating, studies, same_direction)
    return weighted_mean(found.right, resamples[:, found.rows])


def confidence_groups(confidence: Array) -> list[tuple[float, float]]:
    """Lowest and highest confidence of up to three groups of about the same size, the least sure first.

    Args:
        confidence: a number a study, such as the margin; NaN is left out, and equal numbers stay in one group.
    """
    known = confidence[~np.isnan(confidence)]
    if not len(known):
        return []
    group = np.searchsorted(np.quantile(known, np.arange(1, GROUPS) / GROUPS), known, side="left")
    return [(float(known[group == g].min()), float(known[group == g].max())) for g in np.unique(group)]


def accuracy_by_confidence(
    found: Preferences, confidence: Array, groups: Sequence[tuple[float, float]], resamples: Array
) -> list[Group]:
    """The accuracy where experts are less and more sure.

    Args:
        found: what `preferences` gives.
        confidence: a number for each of its studies.
        groups: what `confidence_groups` gives for all studies: the same groups for every metric.
        resamples: what `study_resamples` drew.
    """
    chosen = [(low, high, (confidence >= low) & (confidence <= high)) for low, high in groups]
    return [
        Group(low, high, weighted_mean(found.right[mine], resamples[:, found.rows[mine]])) for low, high, mine in chosen
    ]
