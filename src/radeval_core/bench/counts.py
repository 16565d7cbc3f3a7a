"""Compare a metric's error counts with the experts'. Tables 1, 2 and 4 of the GREEN paper.

This is for metrics that count errors per category. Like GREEN's authors, we measure

- table 1: the absolute difference of the *total* counts of two counters (`mae_significant`, `mae_raters`);
- tables 2 and 4: the sum over the categories of the absolute difference *per category* (`mae_…_by_category`), and how
  often the count of a category equals the experts' mean, *not rounded* (`accuracy`). With several experts the mean is
  often no whole number, so `accuracy_rounded` takes equality with the mean rounded half up.

The two differences are not the same: 1.54 against the mean expert in table 4 is larger than 1.02 against single
experts in table 1, which no single definition allows.

Precision and recall (FineRadScore, appendix D) are those of "at least one error of this category", significant or not.
The paper does not say how it joins several radiologists; here each pair and radiologist is one point.
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
        if data.categories:
            row[f"mae_{kind}_by_category"] = _category_gap(counts, data, kind, resamples)
    if expert["significant"].shape[1] > 1:
        each = [_mean_gap(counts.totals["significant"], column) for column in expert["significant"].T]
        row["mae_raters"] = each
        known = [gap for gap in each if gap is not None]
        row["mae_raters_mean"] = {"value": sum(known) / len(known) if known else None, "ci95": None, "n": len(known)}
    if counts.matched is not None and "matched_findings" in data.raters:
        matched, significant = data.expert("matched_findings"), rater_mean(expert["significant"])
        with np.errstate(invalid="ignore"):  # equation 1
            by_experts = np.where(matched == 0, 0.0, matched / (matched + significant))
        row["mae_matched_findings"] = _gap(counts.matched, matched, resamples)
        row["mae_score"] = _gap(result.scores, by_experts, resamples)
    if data.categories:
        row["categories"] = {
            c: {
                **_accuracies(counts.categories[c]["significant"], data.category(c, "significant"), resamples),
                **_detection(sum(counts.categories[c].values(), np.zeros(len(data.pairs))), data.category(c)),
            }
            for c in CATEGORIES
        }
    return row


def _gap(predicted: Array, expert: Array, resamples: Array) -> dict[str, Any]:
    """Return the mean absolute error with its interval, and the standard deviation of the absolute errors."""
    gaps = np.abs(predicted - expert)
    known = gaps[~np.isnan(gaps)]
    return {**plain(weighted_mean(gaps, resamples)), "std": float(known.std()) if len(known) else None}


def _category_gap(counts: Counts, data: ExpertData, kind: str, resamples: Array) -> dict[str, Any]:
    """Return the mean over pairs of the summed absolute differences of the categories that the experts counted."""
    gaps = [np.abs(counts.categories[c][kind] - rater_mean(data.category(c, kind))) for c in CATEGORIES]
    stated = [gap for c, gap in zip(CATEGORIES, gaps, strict=True) if not np.isnan(data.category(c, kind)).all()]
    total = np.sum(stated, axis=0) if stated else np.full(len(data.pairs), np.nan)
    return _gap(total, np.zeros(len(total)), resamples)


def _mean_gap(one: Array, other: Array) -> float | None:
    gaps = np.abs(one - other)
    return number(float(np.nanmean(gaps))) if (~np.isnan(gaps)).any() else None


def _accuracies(predicted: Array, raters: Array, resamples: Array) -> dict[str, Any]:
    """Return how often a count equals the experts' mean, as it is and rounded half up."""
    mean = rater_mean(raters)
    known = ~np.isnan(predicted + mean)
    return {
        key: plain(weighted_mean(np.where(known, predicted == wanted, np.nan), resamples))
        for key, wanted in (("accuracy", mean), ("accuracy_rounded", np.floor(mean + 0.5)))
    }


def _detection(predicted: Array, raters: Array) -> dict[str, float | None]:
    """Return precision and recall of having at least one error; each pair and radiologist is one point."""
    counted = np.broadcast_to(predicted[:, None], raters.shape)
    known = ~np.isnan(counted + raters)
    by_metric, by_experts = counted[known] > 0, raters[known] > 0
    both = int((by_metric & by_experts).sum())
    return {
        "precision": both / int(by_metric.sum()) if by_metric.any() else None,
        "recall": both / int(by_experts.sum()) if by_experts.any() else None,
    }
