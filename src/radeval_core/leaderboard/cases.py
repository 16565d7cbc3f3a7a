"""Find the studies where a system made the most errors of a category, without revealing the references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import metric_value


@dataclass(frozen=True)
class Case:
    """One study with a system's report.

    Attributes:
        study: id of the study.
        given: the input of the system.
        errors: number of errors per category.
        scores: score per metric; None if unscored.
        prediction: the system's report.
    """

    study: str
    given: Mapping[str, Any]
    errors: Mapping[str, int]
    scores: Mapping[str, float | None]
    prediction: str


def error_totals(outcome: SubmissionResult) -> dict[str, int]:
    """Return the number of errors a system made per category, the most frequent first."""
    totals: dict[str, int] = {}
    for counts in outcome.errors:
        for category, count in counts.items():
            totals[category] = totals.get(category, 0) + count
    return dict(sorted(totals.items(), key=lambda item: (-item[1], item[0])))


def worst_cases(
    outcome: SubmissionResult, benchmark: Benchmark, predictions: Mapping[str, str], category: str = "", count: int = 5
) -> list[Case]:
    """Return the worst studies: most errors of the category first, then the worst score of the first metric.

    Args:
        outcome: the system's scores.
        benchmark: their benchmark.
        predictions: the system's reports by study.
        category: an error category; if empty, only the score counts.
        count: maximum number of studies.
    """
    main = benchmark.main_metric
    sign = 1.0 if metric_value(main).higher_is_better else -1.0

    def badness(i: int) -> tuple[float, float, int]:
        score = outcome.scores[main][i]
        errors = outcome.errors[i].get(category, 0) if outcome.errors else 0
        return (-errors, float("inf") if score is None else sign * score, i)

    places = [
        i
        for i in sorted(range(len(outcome.ids)), key=badness)
        if not category or (outcome.errors and outcome.errors[i].get(category))
    ]
    return [
        Case(
            outcome.ids[i],
            benchmark.studies[outcome.ids[i]].given,
            outcome.errors[i] if outcome.errors else {},
            {name: values[i] for name, values in outcome.scores.items()},
            predictions[outcome.ids[i]],
        )
        for i in places[:count]
    ]
