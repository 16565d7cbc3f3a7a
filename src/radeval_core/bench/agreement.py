"""Measure how well metrics agree with experts, from per-pair scores and expert ratings. Nothing is scored here."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from radeval_core.bench.expert_data import MEASURES, ExpertData
from radeval_core.bench.plain import number, plain, plain_difference
from radeval_core.bench.values import ScoredValue, Values
from radeval_core.error_categories import CATEGORIES
from radeval_core.stats.agreement import (
    COEFFICIENTS,
    Array,
    Estimate,
    agreement,
    difference,
    expert_agreement,
    mean_estimate,
    rater_mean,
    study_resamples,
    weighted_mean,
)
from radeval_core.stats.bootstrap import RADCLIQ_RESAMPLES, RESAMPLES
from radeval_core.stats.multiplicity import benjamini_hochberg
from radeval_core.stats.preference import Preferences, accuracy_by_confidence, confidence_groups, preferences


def agreement_rows(results: Values, data: ExpertData, resamples: Array) -> dict[str, dict[str, Any]]:
    """Return each metric's agreement with the experts' mean, with each rater, and with each error category."""
    return {name: _row(result, data, resamples) for name, result in results.items()}


def _row(result: ScoredValue, data: ExpertData, resamples: Array) -> dict[str, Any]:
    scores, up = result.scores, result.higher_is_better
    row: dict[str, Any] = {}
    for kind in COEFFICIENTS:
        for measure, raters in data.raters.items():
            same = up == MEASURES[measure]
            row[f"{kind}_{measure}"] = plain(agreement(kind, scores, data.expert(measure), resamples, same))
            if kind == "kendall" and raters.shape[1] > 1:  # table S2 of the RadCliQ paper
                each = [plain(agreement(kind, scores, column, resamples, same)) for column in raters.T]
                row[f"{kind}_{measure}"]["raters"] = each
    if data.categories:
        row["kendall_categories"] = {
            c: plain(agreement("kendall", scores, rater_mean(data.category(c)), resamples, not up)) for c in CATEGORIES
        }
    return {**row, **_preference(scores, up, data, resamples)}


def _preference(scores: Array, up: bool, data: ExpertData, resamples: Array) -> dict[str, Any]:
    """Return the preference accuracy over the studies with two candidates, overall and by expert confidence."""
    if "rating" in data.raters:
        basis = data.expert("rating")
    elif "preferred" in data.preference:
        basis = rater_mean(data.preference["preferred"])
    else:
        return {}
    found = preferences(scores, basis, data.studies, up)
    if not len(found.rows):
        return {}
    row: dict[str, Any] = {"preference_accuracy": plain(weighted_mean(found.right, resamples[:, found.rows]))}
    everywhere = preferences(basis, basis, data.studies)  # includes studies that this metric could not score
    for key in ("margin", "confidence"):
        if key == "margin" or key in data.preference:
            groups = confidence_groups(_confidence(key, everywhere, data))
            by = accuracy_by_confidence(found, _confidence(key, found, data), groups, resamples)
            row[f"preference_by_{key}"] = [{"from": g.low, "to": g.high, **plain(g.accuracy)} for g in by]
    return row


def _confidence(key: str, found: Preferences, data: ExpertData) -> Array:
    """Return the experts' confidence in each study: the difference of their ratings, or the stated confidence."""
    if key == "margin":
        return found.margin
    stated = rater_mean(data.preference[key])
    return rater_mean(np.column_stack([stated[found.rows], stated[found.other]]))


def experts(data: ExpertData, resamples: Array) -> dict[str, Any]:
    """Return each rater's agreement with the other raters, and the mean over raters: the ceiling for a metric."""
    out: dict[str, Any] = {}
    for measure, raters in data.raters.items():
        for kind in COEFFICIENTS:
            each = expert_agreement(kind, raters, resamples)
            if each:
                row = plain(mean_estimate(each))
                out[f"{kind}_{measure}"] = {**row, "raters": [number(e.value) for e in each]}
    return out


def differences(results: Values, data: ExpertData) -> list[dict[str, Any]]:
    """Compare every two metrics on the pairs that all metrics scored.

    `p` is two-sided; `p_bh` is corrected over all pairs of metrics by Benjamini and Hochberg. Holm's correction would
    need far more resamples: with 55 pairs and 1,000 resamples its smallest p-value is 0.11. Yu et al. take 1,000
    resamples to compare metrics, and 5,000 to compare RadCliQ with the others; so do we.
    """
    with_radcliq = any(name.partition(".")[0] == "radcliq" for name in results)
    resamples = study_resamples(data.studies, RADCLIQ_RESAMPLES if with_radcliq else RESAMPLES)
    unscored = np.isnan(np.column_stack([r.scores for r in results.values()])).any(axis=1)
    rows: list[dict[str, Any]] = [{"metrics": list(names)} for names in combinations(results, 2)]
    for measure in data.raters if rows else ():
        key, expert = f"kendall_{measure}", data.expert(measure)
        expert[unscored] = np.nan
        taus: dict[str, Estimate] = {
            name: agreement("kendall", r.scores, expert, resamples, r.higher_is_better == MEASURES[measure])
            for name, r in results.items()
        }
        gaps = [difference(taus[row["metrics"][0]], taus[row["metrics"][1]]) for row in rows]
        for row, gap, adjusted in zip(rows, gaps, benjamini_hochberg([g.p for g in gaps]), strict=True):
            row[key] = {**plain_difference(gap), "p_bh": number(adjusted), "resamples": len(resamples)}
    return rows
