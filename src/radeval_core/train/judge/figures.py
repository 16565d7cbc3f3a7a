"""Compare the errors that a judge counts with those of its teacher: shares, count accuracy, gaps and order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from radeval_core.train.answer_forms import ErrorCounts

KINDS = ("significant", "insignificant")
#: names of the measures of a run's log, and their labels in plots and tables
MEASURES = {
    "readable": "share of readable answers",
    "count_accuracy": "share of exact counts",
    "count_error": "mean count error",
    "tau": "tau of the number of errors",
}


@dataclass(frozen=True)
class Judged:
    """The counts of one pair.

    Attributes:
        teacher: from the training file.
        judge: from the judge; None if its answer is unreadable.
    """

    teacher: ErrorCounts
    judge: ErrorCounts | None


def figures(judged: Sequence[Judged], categories: Sequence[str]) -> dict[str, Any]:
    """Return how a judge's counts compare with the teacher's.

    A category of a pair has two counts, of significant and of insignificant errors. Pairs without a readable answer
    count in `readable` only, because they have no counts.

    Returns:
        `pairs`, `readable` (a share), `count_accuracy` (share of the counts of errors that are equal), `count_error`
        (mean absolute gap of a count), `errors_error` (mean absolute gap of the number of all errors of a pair),
        `matched_error` (of the matched findings, if the metric states them), `tau` (Kendall's tau-b of the number of
        errors; None if either is constant), and `categories` with the accuracy, the mean gap and the confusion table
        of each category: `confusion[teacher][judge]` is the number of pairs, for all errors of the category.
    """
    read = [(pair.teacher, pair.judge) for pair in judged if pair.judge is not None]
    gaps = np.array([[_gap(pair, kind, name) for kind in KINDS for name in categories] for pair in read], dtype=float)
    totals = np.array([[teacher.errors, judge.errors] for teacher, judge in read], dtype=float)
    matched = [abs(t.matched - j.matched) for t, j in read if t.matched is not None and j.matched is not None]
    return {
        "pairs": len(judged),
        "readable": _mean([pair.judge is not None for pair in judged]),
        "count_accuracy": _mean((gaps == 0).ravel()),
        "count_error": _mean(gaps.ravel()),
        "errors_error": _mean(np.abs(totals[:, 0] - totals[:, 1])) if read else None,
        "matched_error": _mean(matched),
        "tau": _tau(totals),
        "categories": {name: _category(read, name) for name in categories},
    }


def measures(found: dict[str, Any]) -> dict[str, float]:
    """Return the figures that a run's log gets: those of `MEASURES` that are numbers."""
    return {name: found[name] for name in MEASURES if found.get(name) is not None}


def _category(read: Sequence[tuple[ErrorCounts, ErrorCounts]], name: str) -> dict[str, Any]:
    gaps = [_gap(pair, kind, name) for pair in read for kind in KINDS]
    seen = [(_total(teacher, name), _total(judge, name)) for teacher, judge in read]
    most = max((count for pair in seen for count in pair), default=0)
    confusion = [[0] * (most + 1) for _ in range(most + 1)]
    for teacher, judge in seen:
        confusion[teacher][judge] += 1
    return {"accuracy": _mean([gap == 0 for gap in gaps]), "error": _mean(gaps), "confusion": confusion}


def _gap(pair: tuple[ErrorCounts, ErrorCounts], kind: str, name: str) -> int:
    teacher, judge = (getattr(counts, kind).get(name, 0) for counts in pair)
    return abs(int(teacher) - int(judge))


def _total(counts: ErrorCounts, name: str) -> int:
    return sum(getattr(counts, kind).get(name, 0) for kind in KINDS)


def _tau(totals: np.ndarray[Any, Any]) -> float | None:
    if len(totals) < 2:
        return None
    value = float(kendalltau(totals[:, 0], totals[:, 1]).statistic)
    return None if math.isnan(value) else value


def _mean(values: Any) -> float | None:
    return float(np.mean(values)) if len(values) else None
