"""Measure how much a score falls when a report gets one error of a known kind. Table 3 of the FFL paper.

`radeval_core.findings.perturb` changes the reports, and each changed report is scored against its original. An error
should cost much; a change that keeps the meaning should cost nothing. Our own findings parser makes and checks the
changes. This favours `ffl_rq`, `green` and other metrics that use the same parser.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from radeval_core.bench.plain import number, plain
from radeval_core.bench.values import ScoredValue, run_metrics, values_of
from radeval_core.findings.perturb import KINDS, MEANING_KEPT, perturb
from radeval_core.pairs import Pair
from radeval_core.stats.agreement import Array, study_resamples, weighted_mean

#: maximum number of distinct reports to change; the first ones of the data are used
REPORTS = 200
ERRORS = tuple(kind for kind in KINDS if kind not in MEANING_KEPT)


def changed_reports(references: Sequence[str], kind: str, seeds: int) -> list[tuple[str, str]]:
    """Return (changed, unchanged) for every report and seed that allow this kind of change, without duplicates."""
    found: dict[tuple[str, str], None] = {}
    for text in dict.fromkeys(references):
        for seed in range(seeds):
            changed = perturb(text, kind, seed)
            if changed is not None:
                found[changed.text, text] = None
    return list(found)


def sensitivity(
    references: Sequence[str],
    metrics: Sequence[str],
    configs: Mapping[str, str] | None = None,
    seeds: int = 1,
    **options: Any,
) -> dict[str, Any]:
    """Return how much each metric falls for each kind of change, in the metric's unit; positive is worse.

    Args:
        references: reports; the first 200 distinct ones are changed.
        metrics: names of metrics, or of their parts.
        configs: config per metric, if not the default.
        seeds: number of changes per report and kind.
        options: further arguments of `api.score`.

    Returns:
        `reports`, `changes` per kind, and `falls`: per metric and kind, the mean fall with its interval over reports.
        Each metric also has `ratio`: the mean fall for errors divided by the mean fall for changes that keep the
        meaning; None if the latter cost nothing.
    """
    reports = list(dict.fromkeys(references))[:REPORTS]
    pairs: list[tuple[str, str, str]] = [  # kind, changed, unchanged
        (kind, *pair) for kind in KINDS for pair in changed_reports(reports, kind, seeds)
    ]
    rows = [(text, text) for text in reports] + [(changed, text) for _, changed, text in pairs]
    scored = run_metrics([Pair(p, (r,), i) for i, (p, r) in enumerate(rows)], metrics, configs, options)
    return {
        "reports": len(reports),
        "changes": {kind: sum(k == kind for k, _, _ in pairs) for kind in KINDS},
        "falls": {name: _falls(result, reports, pairs) for name, result in values_of(scored, metrics).items()},
    }


def _falls(result: ScoredValue, reports: list[str], pairs: list[tuple[str, str, str]]) -> dict[str, Any]:
    quality = result.quality
    unchanged = dict(zip(reports, quality[: len(reports)], strict=True))
    fall: Array = np.array([unchanged[text] for _, _, text in pairs]) - quality[len(reports) :]
    found: dict[str, Any] = {}
    means: dict[str, float] = {}
    for kind in KINDS:
        mine = [i for i, pair in enumerate(pairs) if pair[0] == kind]
        estimate = weighted_mean(fall[mine], study_resamples([pairs[i][2] for i in mine]))
        found[kind], means[kind] = plain(estimate), estimate.value
    cost, noise = (_mean([means[kind] for kind in kinds]) for kinds in (ERRORS, sorted(MEANING_KEPT)))
    return {**found, "ratio": number(cost / noise) if noise > 1e-9 else None}


def _mean(values: Sequence[float]) -> float:
    """Return the mean of the values without NaN. Some kinds of change are impossible in some reports."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
