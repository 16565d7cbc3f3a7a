"""Score pairs once, and give each metric, or part of a metric, that the user named its scores and direction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from radeval_core import api
from radeval_core.pairs import Pair
from radeval_core.registry import metric_value, metrics_behind
from radeval_core.runner import MetricResult
from radeval_core.stats.agreement import Array


@dataclass(frozen=True)
class ScoredValue:
    """One number per pair: a metric's score, or one of its parts.

    Attributes:
        name: what the user named: `green`, `green.error_count`.
        scores: one number per pair; NaN if unscored.
        higher_is_better: its direction.
        signature: the signature of its metric.
        details: the structures behind the scores; only for a metric's score, and only if requested.
    """

    name: str
    scores: Array
    higher_is_better: bool
    signature: str
    details: Sequence[Mapping[str, Any]] | None = None

    @property
    def unscored(self) -> int:
        return int(np.isnan(self.scores).sum())

    @property
    def n(self) -> int:
        """Return the number of scored pairs."""
        return len(self.scores) - self.unscored

    @property
    def quality(self) -> Array:
        """Return the scores with a sign that makes higher better."""
        return self.scores if self.higher_is_better else -self.scores


Values = Mapping[str, ScoredValue]


def run_metrics(
    pairs: Iterable[Pair], names: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> dict[str, MetricResult]:
    """Score pairs with the metrics behind these metrics and parts; returns the results by metric."""
    return api.score(pairs, metrics_behind(names), configs, **options).results


def values_of(results: Mapping[str, MetricResult], names: Iterable[str]) -> dict[str, ScoredValue]:
    """Return the named metrics and parts from the results of their metrics, in the order of the names."""
    found = {}
    for value in map(metric_value, dict.fromkeys(names)):
        r = results[value.metric]
        details = None if value.is_part else r.details
        found[value.name] = ScoredValue(value.name, r.values[value.key], value.higher_is_better, r.signature, details)
    return found
