"""How far a score falls when one error of a known kind is put into a report: table 3 of the FFL paper.

Reports are changed by `radeval_core.findings.perturb` and scored against themselves. An error should cost much, a
change that keeps the meaning nothing. The changes are made and checked by our own findings parser, which `ffl_rq`,
`green` and others read with too: this favours them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from radeval_core import api
from radeval_core.bench.plain import number, plain
from radeval_core.findings.perturb import KINDS, MEANING_KEPT, perturb
from radeval_core.pairs import Pair
from radeval_core.scoring import MetricResult
from radeval_core.stats.agreement import Array, study_resamples, weighted_mean

#: distinct reports that are changed at most; the first ones of the data
REPORTS = 200
ERRORS = tuple(kind for kind in KINDS if kind not in MEANING_KEPT)


def changed_reports(references: Sequence[str], kind: str, seeds: int) -> list[tuple[str, str]]:
    """(changed, unchanged) for every report and seed that can be changed in that way; each change once."""
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
    """How far each metric falls for each kind of change, positive for worse, in the metric's own unit.

    Args:
        references: reports to change; the first 200 distinct ones are.
        metrics: names of metrics.
        configs: config by metric, where not the default.
        seeds: changes a report and kind.
        options: further arguments of `api.score`.

    Returns:
        `reports`, `changes` by kind, and `falls`: by metric and kind the mean fall with its interval by report, and
        `ratio`: the mean fall over kinds of error by that over kinds that keep the meaning; None if these cost nothing.
    """
    reports = list(dict.fromkeys(references))[:REPORTS]
    pairs: list[tuple[str, str, str]] = [  # kind, changed, unchanged
        (kind, *pair) for kind in KINDS for pair in changed_reports(reports, kind, seeds)
    ]
    rows = [(text, text) for text in reports] + [(changed, text) for _, changed, text in pairs]
    results = api.score([Pair(p, (r,), i) for i, (p, r) in enumerate(rows)], metrics, configs, **options).results
    return {
        "reports": len(reports),
        "changes": {kind: sum(k == kind for k, _, _ in pairs) for kind in KINDS},
        "falls": {name: _falls(result, reports, pairs) for name, result in results.items()},
    }


def _falls(result: MetricResult, reports: list[str], pairs: list[tuple[str, str, str]]) -> dict[str, Any]:
    quality = result.scores * (1 if result.spec.higher_is_better else -1)
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
    """The mean of what is defined; some reports cannot be changed in some way."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
