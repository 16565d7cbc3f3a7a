"""Measure how often a metric scores a synonym better than an opposite. RaTE-Eval, table 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from radeval_core.bench.plain import plain
from radeval_core.bench.published import published_values, with_measured
from radeval_core.bench.sources import TriadData
from radeval_core.bench.values import ScoredValue, Values, run_metrics
from radeval_core.pairs import Pair
from radeval_core.runner import MetricResult
from radeval_core.stats.agreement import Array, study_resamples, weighted_mean

#: scores this close count as equal, because sums in another order differ in their last digits
_SAME = 1e-9


def score_triads(
    data: TriadData, metrics: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> dict[str, MetricResult]:
    """Score the synonyms, then the opposites, each against its original."""
    rows = zip((*data.synonyms, *data.opposites), (*data.originals, *data.originals), strict=True)
    pairs = [Pair(prediction, (reference,), i) for i, (prediction, reference) in enumerate(rows)]
    return run_metrics(pairs, metrics, configs, options)


def triad_rows(results: Values, data: TriadData) -> dict[str, dict[str, Any]]:
    """Return how often the synonym scores better than the opposite, per metric, with an interval.

    `accuracy` counts a tie as wrong, as in the paper; `ties` is the share of ties; `decided` is the accuracy without
    ties.
    """
    resamples = study_resamples(range(len(data.ids)))
    return {name: {**_outcome(result, resamples), "signature": result.signature} for name, result in results.items()}


def beside_measured(results: Mapping[str, MetricResult], data: TriadData) -> list[dict[str, Any]]:
    """Return the published accuracies, each with our measurement if its metric was run."""
    resamples = study_resamples(range(len(data.ids)))

    def measure(value: ScoredValue, row: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = _outcome(value, resamples)["accuracy"]
        return found

    return with_measured(published_values(data.provenance, "accuracy"), results, measure)


def _outcome(result: ScoredValue, resamples: Array) -> dict[str, Any]:
    synonym, opposite = result.quality.reshape(2, -1)
    scored = ~np.isnan(synonym + opposite)
    tie = np.abs(synonym - opposite) <= _SAME
    better = np.where(scored, (synonym > opposite) & ~tie, np.nan)
    tied = np.where(scored, tie, np.nan)
    return {
        "accuracy": plain(weighted_mean(better, resamples)),
        "ties": plain(weighted_mean(tied, resamples)),
        "decided": plain(weighted_mean(np.where(tied == 0, better, np.nan), resamples)),
        "n": int(scored.sum()),
        "unscored": int((~scored).sum()),
    }
