"""Measure two things at once: does a metric notice an error, and does it forgive another way to say the same?

The idea is ReEvalMed's (arXiv 2606.18797). The reports come from radcheck's grammar, which shares nothing with our
parser, so that anyone can rebuild them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from radeval_core.bench.plain import plain
from radeval_core.bench.values import ScoredValue, run_metrics, values_of
from radeval_core.data.radcheck.discrimination import REWORDINGS, ErrorCase, RewordingCase, generate
from radeval_core.error_categories import CATEGORIES
from radeval_core.pairs import Pair
from radeval_core.stats.agreement import Array, study_resamples, weighted_mean

#: reports to generate
REPORTS = 200
#: scores this close count as equal: the error was not noticed
_SAME = 1e-9
_SEVERITIES = {"significant": True, "insignificant": False}


def discrimination(
    metrics: Sequence[str],
    configs: Mapping[str, str] | None = None,
    count: int = REPORTS,
    **options: Any,
) -> dict[str, Any]:
    """Return how often each metric notices one error, and how much it takes off for a harmless rewording.

    Args:
        metrics: names of metrics, or of their parts.
        configs: config per metric, if not the default.
        count: number of reports to generate.
        options: further arguments of `api.score`.

    Returns:
        `reports`, `cases` by category and severity, `rewordings` by kind, and `metrics`: per metric `noticed`, the
        share of errors that make the score worse than that of the same report without the error, and `taken_off`, the
        fall for each rewording as a share of the fall for a report of another study; intervals are over studies.
    """
    errors, rewordings = generate(count)
    texts = dict.fromkeys((c.right, c.reference) for c in errors) | dict.fromkeys(
        (c.wrong, c.reference) for c in errors
    )
    for case in rewordings:
        texts |= dict.fromkeys(
            (text, case.reference) for text in (case.reference, case.unrelated, *case.changed.values())
        )
    place = {pair: i for i, pair in enumerate(texts)}
    scored = run_metrics([Pair(p, (r,), i) for i, (p, r) in enumerate(texts)], metrics, configs, options)
    return {
        "reports": count,
        "cases": {
            severity: {c: sum(e.category == c and e.significant == grave for e in errors) for c in CATEGORIES}
            for severity, grave in _SEVERITIES.items()
        },
        "rewordings": {kind: sum(kind in case.changed for case in rewordings) for kind in REWORDINGS},
        "metrics": {
            name: {
                "noticed": _noticed(value, errors, place),
                "taken_off": _taken_off(value, rewordings, place),
                "signature": value.signature,
            }
            for name, value in values_of(scored, metrics).items()
        },
    }


def _noticed(value: ScoredValue, cases: Sequence[ErrorCase], place: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    right = value.quality[[place[c.right, c.reference] for c in cases]]
    wrong = value.quality[[place[c.wrong, c.reference] for c in cases]]
    better = np.where(np.isnan(right + wrong), np.nan, right - wrong > _SAME)
    found: dict[str, Any] = {}
    for severity, grave in _SEVERITIES.items():
        mine = [i for i, c in enumerate(cases) if c.significant == grave]
        by_category = {name: [i for i in mine if cases[i].category == name] for name in CATEGORIES}
        found[severity] = {
            "all": _mean(better, mine, cases),
            **{name: _mean(better, of, cases) for name, of in by_category.items()},
        }
    return found


def _taken_off(
    value: ScoredValue, cases: Sequence[RewordingCase], place: Mapping[tuple[str, str], int]
) -> dict[str, Any]:
    quality = value.quality
    same = quality[[place[c.reference, c.reference] for c in cases]]
    unrelated = quality[[place[c.unrelated, c.reference] for c in cases]]
    whole = float(np.nanmean(same - unrelated))
    found: dict[str, Any] = {}
    for kind in REWORDINGS:
        mine = [i for i, c in enumerate(cases) if kind in c.changed]
        changed = quality[[place[cases[i].changed[kind], cases[i].reference] for i in mine]]
        fall = np.full(len(cases), np.nan)
        fall[mine] = (same[mine] - changed) / whole if whole > _SAME else np.nan
        found[kind] = _mean(fall, mine, cases)
    known = [row["value"] for row in found.values() if row["value"] is not None]
    return {"all": {"value": float(np.mean(known)) if known else None, "ci95": None}, **found}


def _mean(
    values: Array, indices: Sequence[int], cases: Sequence[ErrorCase] | Sequence[RewordingCase]
) -> dict[str, Any]:
    picked = np.asarray(values, dtype=np.float64)[list(indices)]
    return plain(weighted_mean(picked, study_resamples([cases[i].study for i in indices])))
