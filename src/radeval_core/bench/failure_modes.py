"""Compare the errors of candidates by what chose them. Tables S3 and S4 of the RadCliQ paper.

In ReXVal, each study has one candidate per metric: the report of a corpus that this metric scores best. The column
`candidate` names the metric, and `candidate_failure_modes` compares the errors of these four groups, as the paper does.

Other data has no such column. There, `chosen_failure_modes` lets each of our metrics choose the candidate of a study
that it scores best. That is a choice among a few candidates, not among a corpus, so it cannot be compared with S3.

Both use one data point per study and radiologist: one-sided two-sample t-tests with equal variances, and Benjamini and
Hochberg's procedure at 1 % over all ordered pairs within a category and significance. Like the paper, the t-tests
assume that the points are independent.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from radeval_core.bench.expert_data import ExpertData
from radeval_core.bench.plain import number
from radeval_core.bench.published import published_values
from radeval_core.bench.values import Values
from radeval_core.error_categories import CATEGORIES
from radeval_core.stats.agreement import Array
from radeval_core.stats.multiplicity import benjamini_hochberg

FALSE_DISCOVERY_RATE = 0.01
TOTAL = "total"
#: scores this close count as equal, because sums in another order differ in their last digits
_SAME = 1e-9
#: kinds of errors, and their key in `ExpertData.category`
KINDS = {"errors": None, "significant_errors": "significant"}
#: rows of the candidates of one group, one list per study
Chosen = list[list[int]]


def failure_modes(results: Values, data: ExpertData) -> dict[str, Any] | None:
    """Return the section: by the data's candidates if it names them, else by the choice of our metrics.

    Returns:
        None without error categories or without studies with several candidates. Otherwise `by`, `candidate` or
        `metric`; `studies`, the number of such studies; `means`, the mean errors per candidate by kind, group and
        category; `tests`, rows `{"errors", "category", "more", "fewer", "p", "p_bh", "significant"}` that test if the
        candidates of `more` have more errors than those of `fewer`; `false_discovery_rate`; and for candidates
        `published`, the means of table S3.
    """
    if not data.categories:
        return None
    return candidate_failure_modes(data) if data.candidates else chosen_failure_modes(results, data)


def candidate_failure_modes(data: ExpertData) -> dict[str, Any] | None:
    """Compare the candidates that the data names, in the studies that have one of each."""
    names = sorted(set(data.candidates))
    members: dict[Hashable, dict[str, int]] = {}
    for row, (study, candidate) in enumerate(zip(data.studies, data.candidates, strict=True)):
        members.setdefault(study, {})[candidate] = row
    whole = [rows for rows in members.values() if len(rows) == len(names)]
    if len(names) < 2 or not whole:
        return None
    section = _section({name: [[rows[name]] for rows in whole] for name in names}, data)
    published = published_values(data.provenance, "candidates")
    return {"by": "candidate", "studies": len(whole), **section, "published": published}


def chosen_failure_modes(results: Values, data: ExpertData) -> dict[str, Any] | None:
    """Compare the candidates that our metrics score best in each study."""
    groups = _choices(data, np.column_stack([r.scores for r in results.values()]))
    if not groups:
        return None
    section = _section({name: _chosen(r.quality, groups) for name, r in results.items()}, data)
    return {"by": "metric", "studies": len(groups), **section}


def _section(chosen: Mapping[str, Chosen], data: ExpertData) -> dict[str, Any]:
    means: dict[str, Any] = {}
    tests: list[dict[str, Any]] = []
    for kind, significance in KINDS.items():
        means[kind] = {name: {} for name in chosen}
        for category in CATEGORIES:
            raters = data.category(category, significance)
            points = {name: _points(raters, rows) for name, rows in chosen.items()}
            for name, values in points.items():
                means[kind][name][category] = number(float(values.mean())) if len(values) else None
            tests += _tests(kind, category, points)
        for by in means[kind].values():
            known = [value for value in by.values() if value is not None]
            by[TOTAL] = sum(known) if known else None
    return {"means": means, "tests": tests, "false_discovery_rate": FALSE_DISCOVERY_RATE}


def _choices(data: ExpertData, scores: Array) -> list[list[int]]:
    """Return the rows of each study with two or more candidates, all scored by all metrics."""
    members: dict[Hashable, list[int]] = {}
    for row, study in enumerate(data.studies):
        members.setdefault(study, []).append(row)
    return [rows for rows in members.values() if len(rows) > 1 and not np.isnan(scores[rows]).any()]


def _chosen(quality: Array, groups: list[list[int]]) -> Chosen:
    """Return the best candidate of each study, or all candidates with the best score."""
    return [[row for row in rows if quality[row] >= quality[rows].max() - _SAME] for rows in groups]


def _points(raters: Array, chosen: Chosen) -> Array:
    """Return one number per study and radiologist: the errors of the chosen candidate, or the mean over ties."""
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
    """Return the p-value of the one-sided t-test that the first has the higher mean; NaN if it is undefined."""
    if min(len(one), len(other)) < 2:
        return math.nan
    if np.ptp(one) == 0 and np.ptp(other) == 0:  # no variance to test against
        return float(one[0] <= other[0])
    from scipy import stats  # slow to import

    numbers = [n for x in (one, other) for n in (x.mean(), x.std(ddof=1), len(x))]
    return float(stats.ttest_ind_from_stats(*numbers, equal_var=True, alternative="greater").pvalue)
