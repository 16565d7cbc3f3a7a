"""What is wrong with the candidates a metric likes best? Tables S3 and S4 of the RadCliQ paper.

In each study with several candidates a metric chooses the one it scores best. The errors of the chosen candidates, as
each radiologist counts them, are compared between metrics: one-sided two-sample t-tests with equal variances, a data
point a study and radiologist, and Benjamini and Hochberg's procedure at 1 % over all ordered pairs of metrics within a
category and significance. The t-tests take the points as independent, as the paper does.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from radeval_core.bench.expert_data import CATEGORIES, ExpertData
from radeval_core.bench.plain import number
from radeval_core.scoring import MetricResult
from radeval_core.stats.agreement import Array
from radeval_core.stats.multiplicity import benjamini_hochberg

FALSE_DISCOVERY_RATE = 0.01
#: scores this near are equal: sums in another order differ in their last digits
_SAME = 1e-9
#: which errors, and what the key of `ExpertData.category` is
KINDS = {"errors": None, "significant_errors": "significant"}


def failure_modes(results: Mapping[str, MetricResult], data: ExpertData) -> dict[str, Any] | None:
    """Errors of the candidates that metrics choose, or None without categories or studies to choose in.

    Returns:
        `studies`: how many had a choice; `means`: by kind, metric and category the mean errors a candidate;
        `tests`: rows `{"errors", "category", "more", "fewer", "p", "p_bh", "significant"}`: the candidates chosen by
        `more` have more errors than those chosen by `fewer`; `false_discovery_rate`.
    """
    if not data.categories:
        return None
    groups = _choices(data, np.column_stack([r.scores for r in results.values()]))
    if not groups:
        return None
    chosen = {name: _chosen(r.scores * (1 if r.spec.higher_is_better else -1), groups) for name, r in results.items()}
    means: dict[str, Any] = {}
    tests: list[dict[str, Any]] = []
    for kind, significance in KINDS.items():
        means[kind] = {name: {} for name in results}
        for category in CATEGORIES:
            raters = data.category(category, significance)
            points = {name: _points(raters, rows) for name, rows in chosen.items()}
            for name, values in points.items():
                means[kind][name][category] = number(float(values.mean())) if len(values) else None
            tests += _tests(kind, category, points)
    return {"studies": len(groups), "means": means, "tests": tests, "false_discovery_rate": FALSE_DISCOVERY_RATE}


def _choices(data: ExpertData, scores: Array) -> list[list[int]]:
    """The rows of each study with two or more candidates, all scored by all metrics."""
    members: dict[Hashable, list[int]] = {}
    for row, study in enumerate(data.studies):
        members.setdefault(study, []).append(row)
    return [rows for rows in members.values() if len(rows) > 1 and not np.isnan(scores[rows]).any()]


def _chosen(quality: Array, groups: list[list[int]]) -> list[list[int]]:
    """The best candidate of each study, or all that share the best score."""
    return [[row for row in rows if quality[row] >= quality[rows].max() - _SAME] for rows in groups]


def _points(raters: Array, chosen: list[list[int]]) -> Array:
    """A number a study and radiologist: the errors of the chosen candidate, the mean over those that tie."""
    values = np.array([raters[rows].mean(axis=0) for rows in chosen]).ravel()
    return values[~np.isnan(values)]


def _tests(kind: str, category: str, points: Mapping[str, Array]) -> list[dict[str, Any]]:
    pairs = list(permutations(points, 2))
    p_values = [_more(points[more], points[fewer]) for more, fewer in pairs]
    return [
        {
            "errors": kind,
            "category": category,
            "more": more,
            "fewer": fewer,
            "p": number(p),
            "p_bh": number(adjusted),
            "significant": adjusted <= FALSE_DISCOVERY_RATE,
        }
        for (more, fewer), p, adjusted in zip(pairs, p_values, benjamini_hochberg(p_values), strict=True)
    ]


def _more(one: Array, other: Array) -> float:
    """p-value of the one-sided t-test that the first has the higher mean; NaN where it is not defined."""
    if min(len(one), len(other)) < 2:
        return math.nan
    if np.ptp(one) == 0 and np.ptp(other) == 0:  # no spread to test against: all equal, or always apart
        return float(one[0] <= other[0])
    from scipy import stats  # slow to import

    numbers = [n for x in (one, other) for n in (x.mean(), x.std(ddof=1), len(x))]
    return float(stats.ttest_ind_from_stats(*numbers, equal_var=True, alternative="greater").pvalue)
