"""Measure how often a metric prefers the candidate that experts prefer. GREEN, section 4.3.2, table 6 and figure 6."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.agreement import Array, Estimate, weighted_mean

#: number of groups of studies, by the experts' confidence
GROUPS = 3


@dataclass(frozen=True)
class Preferences:
    """The studies whose two candidates can be compared.

    Attributes:
        rows: the first pair of each study.
        other: the second pair of each study.
        right: 1 if the metric prefers the experts' candidate, else 0.
        margin: difference between the experts' ratings of the two candidates.
    """

    rows: NDArray[np.int64]
    other: NDArray[np.int64]
    right: Array
    margin: Array


@dataclass(frozen=True)
class ConfidenceGroup:
    """Studies with an expert confidence from `low` to `high`, and the accuracy on them."""

    low: float
    high: float
    accuracy: Estimate


def preferences(scores: Array, rating: Array, studies: Sequence[Hashable], same_direction: bool = True) -> Preferences:
    """Compare preferences in the studies with exactly two candidates.

    Studies with equal ratings or an unscored candidate are skipped. Equal scores count as wrong.
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


def confidence_groups(confidence: Array) -> list[tuple[float, float]]:
    """Return the lowest and highest confidence of up to three groups of similar size, in ascending order.

    Args:
        confidence: one number per study, such as the margin; NaN is skipped, and equal numbers stay in one group.
    """
    known = confidence[~np.isnan(confidence)]
    if not len(known):
        return []
    group = np.searchsorted(np.quantile(known, np.arange(1, GROUPS) / GROUPS), known, side="left")
    return [(float(known[group == g].min()), float(known[group == g].max())) for g in np.unique(group)]


def accuracy_by_confidence(
    found: Preferences, confidence: Array, groups: Sequence[tuple[float, float]], resamples: Array
) -> list[ConfidenceGroup]:
    """Return the accuracy per group of expert confidence.

    Args:
        found: the result of `preferences`.
        confidence: one number for each of its studies.
        groups: the result of `confidence_groups` for all studies, so that every metric has the same groups.
        resamples: the result of `study_resamples`.
    """
    chosen = [(low, high, (confidence >= low) & (confidence <= high)) for low, high in groups]
    return [
        ConfidenceGroup(low, high, weighted_mean(found.right[mine], resamples[:, found.rows[mine]]))
        for low, high, mine in chosen
    ]
