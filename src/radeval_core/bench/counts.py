"""Compare a metric's error counts with the experts'. Tables 1, 2 and 4 of the GREEN paper.

This is for metrics that count errors per category. The paper gives no formula for the accuracy of a category. We use
the share of pairs where the metric's count of significant errors equals the experts' mean, rounded half up. Precision
and recall (FineRadScore, appendix D) are those of "has an error of this category".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from radeval_core.bench.expert_data import SIGNIFICANCE, ExpertData
from radeval_core.bench.plain import number, plain
from radeval_core.bench.values import ScoredValue, Values
from radeval_core.corrections.types import CATEGORY_TITLES
from radeval_core.error_categories import CATEGORIES
from radeval_core.stats.agreement import Array, rater_mean, weighted_mean

Detail = Mapping[str, Any]


@dataclass(frozen=True)
class Counts:
    """The counts of a metric, one row per pair; NaN if the metric gives none.

    Attributes:
        categories: errors per category and significance.
        totals: errors per significance; an error of several categories counts once.
        matched: matched findings, if the metric counts them.
    """

    categories: dict[str, dict[str, Array]]
    totals: dict[str, Array]
    matched: Array | None


def _green(detail: Detail) -> tuple[dict[str, list[float]], dict[str, float], float] | None:
    if "matched" not in detail:
        return None
    by = {kind: [float(detail[kind].get(key, {"count": 0})["count"]) for key in CATEGORIES] for kind in SIGNIFICANCE}
    return by, {kind: sum(counts) for kind, counts in by.items()}, float(detail["matched"]["count"])


def _fineradscore(detail: Detail) -> tuple[dict[str, list[float]], dict[str, float], float] | None:
    """Count corrections; a correction is significant if it is actionable (severity above 1)."""
    if detail["corrections"] is None:
        return None
    split = {
        "significant": [c for c in detail["corrections"] if c["severity"] > 1],
        "insignificant": [c for c in detail["corrections"] if c["severity"] <= 1],
    }
    by = {k: [float(sum(t in c["category"] for c in cs)) for t in CATEGORY_TITLES] for k, cs in split.items()}
    return by, {kind: float(len(corrections)) for kind, corrections in split.items()}, math.nan


#: metrics that count errors, and the functions that read their details
COUNTING: dict[str, Callable[[Detail], tuple[dict[str, list[float]], dict[str, float], float] | None]] = {
    "green": _green,
    "fineradscore": _fineradscore,
}


def predicted_counts(metric: str, details: Sequence[Detail]) -> Counts:
    """Return the counts behind a metric's scores.

    Args:
        metric: one of `COUNTING`.
        details: one structure per pair, from `detailed=True`.
    """
    n = len(details)
    by = {kind: np.full((n, len(CATEGORIES)), np.nan) for kind in SIGNIFICANCE}
    totals = {kind: np.full(n, np.nan) for kind in SIGNIFICANCE}
    matched = np.full(n, np.nan)
    for i, detail in enumerate(details):
        read = COUNTING[metric](detail)
        if read is not None:
            for kind in SIGNIFICANCE:
                by[kind][i], totals[kind][i] = read[0][kind], read[1][kind]
            matched[i] = read[2]
    categories = {c: {kind: by[kind][:, j] for kind in SIGNIFICANCE} for j, c in enumerate(CATEGORIES)}
    return Counts(categories, totals, None if np.isnan(matched).all() else matched)


def count_rows(results: Values, data: ExpertData, resamples: Array) -> dict[str, dict[str, Any]]:
    """Return mean absolute errors, and accuracy, precision and recall per category, for metrics that count errors."""
    expert = _expert_counts(data)
    out: dict[str, dict[str, Any]] = {}
    for name, result in results.items():
        if name in COUNTING and result.details is not None and expert:
            out[name] = _row(result, predicted_counts(name, result.details), data, expert, resamples)
    return out


def rater_gaps(data: ExpertData) -> list[list[float | None]] | None:
    """Return the mean absolute difference in significant errors between raters (table 1); None with fewer than two."""
    raters = data.raters.get("significant_errors")
    if raters is None or raters.shape[1] < 2:
        return None
    return [[_mean_gap(one, other) for other in raters.T] for one in raters.T]


def _expert_counts(data: ExpertData) -> dict[str, Array]:
    """Return the errors of all raters by significance, as far as the data has them."""
    raters = data.raters
    if "significant_errors" not in raters:
        return {}
    found = {"significant": raters["significant_errors"]}
    if "errors" in raters and raters["errors"].shape == raters["significant_errors"].shape:
        found["insignificant"] = raters["errors"] - raters["significant_errors"]
    return found


def _row(
    result: ScoredValue, counts: Counts, data: ExpertData, expert: Mapping[str, Array], resamples: Array
) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for kind, raters in expert.items():
        row[f"mae_{kind}"] = _gap(counts.totals[kind], rater_mean(raters), resamples)
    if expert["significant"].shape[1] > 1:
        row["mae_raters"] = [_mean_gap(counts.totals["significant"], column) for column in expert["significant"].T]
    if counts.matched is not None and "matched_findings" in data.raters:
        matched, significant = data.expert("matched_findings"), rater_mean(expert["significant"])
        with np.errstate(invalid="ignore"):  # equation 1
            by_experts = np.where(matched == 0, 0.0, matched / (matched + significant))
        row["mae_matched_findings"] = _gap(counts.matched, matched, resamples)
        row["mae_score"] = _gap(result.scores, by_experts, resamples)
    if data.categories:
        row["categories"] = {
            c: _category(counts.categories[c]["significant"], data.category(c, "significant"), resamples)
            for c in CATEGORIES
        }
    return row


def _gap(predicted: Array, expert: Array, resamples: Array) -> dict[str, Any]:
    """Return the mean absolute error with its interval, and the standard deviation of the absolute errors."""
    gaps = np.abs(predicted - expert)
    known = gaps[~np.isnan(gaps)]
    return {**plain(weighted_mean(gaps, resamples)), "std": float(known.std()) if len(known) else None}


def _mean_gap(one: Array, other: Array) -> float | None:
    gaps = np.abs(one - other)
    return number(float(np.nanmean(gaps))) if (~np.isnan(gaps)).any() else None


def _category(predicted: Array, raters: Array, resamples: Array) -> dict[str, Any]:
    expert = np.floor(rater_mean(raters) + 0.5)
    known = ~np.isnan(predicted + expert)
    equal = np.where(known, predicted == expert, np.nan)
    by_metric, by_experts = predicted[known] > 0, expert[known] > 0
    both = int((by_metric & by_experts).sum())
    return {
        "accuracy": plain(weighted_mean(equal, resamples)),
        "precision": both / int(by_metric.sum()) if by_metric.any() else None,
        "recall": both / int(by_experts.sum()) if by_experts.any() else None,
    }
