"""Which metric agrees with experts? Scores the pairs once with every metric, then works on numbers only."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import combinations
from typing import Any

import numpy as np

from radeval_core import __version__, api
from radeval_core.bench.expert_data import MEASURES, ExpertData
from radeval_core.errors import InputError
from radeval_core.scoring import MetricResult
from radeval_core.stats.agreement import (
    COEFFICIENTS,
    Array,
    Difference,
    Estimate,
    agreement,
    difference,
    expert_agreement,
    mean_estimate,
    preference_accuracy,
    study_resamples,
)
from radeval_core.stats.bootstrap import SEED


def bench(
    data: ExpertData, metrics: Sequence[str], configs: Mapping[str, str] | None = None, **options: Any
) -> dict[str, Any]:
    """Agreement of metrics with experts, ready for JSON; every coefficient is positive if they agree.

    Args:
        data: pairs with expert numbers.
        metrics: names of metrics.
        configs: config by metric, where not the default.
        options: further arguments of `api.score`, such as `device` or `cache`.

    Returns:
        By metric `{"kendall_errors": {"value", "ci95", "n"}, …, "preference_accuracy", "n", "unscored", "signature"}`
        for the measures the data has; `"experts"`, each rater against the others, the ceiling; `"differences"` of
        Kendall's tau between metrics, on the pairs that all of them scored; `"seed"`, `"resamples"`, `"versions"`.
    """
    if not data.raters:
        raise InputError(f"no expert number in the data: give some of {', '.join(MEASURES)}")
    results = api.score(data.pairs, metrics, configs, **options).results
    resamples = study_resamples(data.studies)
    estimates = {name: _estimates(result, data, resamples) for name, result in results.items()}
    return {
        **{name: _metric_row(result, estimates[name]) for name, result in results.items()},
        "experts": _experts(data, resamples),
        "differences": _differences(results, estimates, data, resamples),
        "seed": SEED,
        "resamples": len(resamples),
        "versions": {
            "radeval_core": __version__,
            "python": platform.python_version(),
            **{package: version(package) for package in ("numpy", "scipy")},
        },
    }


def _estimates(result: MetricResult, data: ExpertData, resamples: Array) -> dict[str, Estimate]:
    up = result.spec.higher_is_better
    found = {
        f"{kind}_{measure}": agreement(kind, result.scores, data.expert(measure), resamples, up == MEASURES[measure])
        for kind in COEFFICIENTS
        for measure in data.raters
    }
    if "rating" in data.raters:
        preference = preference_accuracy(result.scores, data.expert("rating"), data.studies, resamples, up)
        if preference.n:
            found["preference_accuracy"] = preference
    return found


def _metric_row(result: MetricResult, estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    numbers = {key: _plain(estimate) for key, estimate in estimates.items()}
    return {**numbers, "n": result.n, "unscored": result.unscored, "signature": result.signature}


def _experts(data: ExpertData, resamples: Array) -> dict[str, Any]:
    """The mean over raters of each one's agreement with the others, and that of each rater."""
    out: dict[str, Any] = {}
    for measure, raters in data.raters.items():
        for kind in COEFFICIENTS:
            each = expert_agreement(kind, raters, resamples)
            if each:
                row = _plain(mean_estimate(each))
                out[f"{kind}_{measure}"] = {**row, "raters": [_number(e.value) for e in each]}
    return out


def _differences(
    results: Mapping[str, MetricResult],
    estimates: Mapping[str, Mapping[str, Estimate]],
    data: ExpertData,
    resamples: Array,
) -> list[dict[str, Any]]:
    """Each two metrics compared on the pairs that all metrics scored."""
    unscored = np.isnan(np.column_stack([r.scores for r in results.values()])).any(axis=1)
    rows: list[dict[str, Any]] = [{"metrics": list(names)} for names in combinations(results, 2)]
    for measure in data.raters if rows else ():
        key, expert = f"kendall_{measure}", data.expert(measure)
        expert[unscored] = np.nan
        taus = {
            name: agreement("kendall", r.scores, expert, resamples, r.spec.higher_is_better == MEASURES[measure])
            if unscored.any()
            else estimates[name][key]
            for name, r in results.items()
        }
        for row in rows:
            first, second = row["metrics"]
            row[key] = _plain_difference(difference(taus[first], taus[second]))
    return rows


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": _number(estimate.value),
        "ci95": list(estimate.ci95) if estimate.ci95 else None,
        "n": estimate.n,
    }


def _plain_difference(gap: Difference) -> dict[str, Any]:
    return {
        "value": _number(gap.value),
        "ci95": list(gap.ci95) if gap.ci95 else None,
        "p_first_higher": _number(gap.p_first_higher),
        "p_second_higher": _number(gap.p_second_higher),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
