"""Say on the command line why pairs have no score: a judge model failed, or nothing was understood."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from radeval_core.errors import RadevalError

if TYPE_CHECKING:
    from radeval_core.runner import MetricResult


def failure_notes(results: Iterable[MetricResult]) -> list[str]:
    """Return one sentence per metric of which a judge model, or a failure, left some pairs unscored."""
    return [
        f"{result.spec.name}: {sum(result.failures.values())} of {len(result.scores)} pairs are unscored"
        f"{f' by {result.asked}' if result.asked else ''}: {_reasons(result)}"
        for result in results
        if result.failures and (result.judged or not result.asked)
    ]


def check_judges(results: Iterable[MetricResult]) -> None:
    """Raise an error if a judge model gave no usable answer at all: the run has failed, and its exit code says so."""
    _fail(f"{result.spec.name}: {result.failed_judge}" for result in results if result.failed_judge)


def check_scored(results: Iterable[MetricResult]) -> None:
    """Raise an error if a judge model gave no usable answer, or a metric scored no pair: nothing was measured."""
    reasons = {result.spec.name: result.failed_judge or _unscored(result) for result in results}
    _fail(f"{name}: {reason}" for name, reason in reasons.items() if reason)


def _unscored(result: MetricResult) -> str:
    if result.n or not len(result.scores):
        return ""
    unread = result.coverage is not None and not result.coverage.any()
    why = ": the embedded parser understands nothing in a report of any of them" if unread else ""
    return f"none of {len(result.scores)} pairs could be scored{why}"


def _fail(reasons: Iterable[str]) -> None:
    if text := ". ".join(reasons):
        raise RadevalError(text)


def _reasons(result: MetricResult) -> str:
    from radeval_core.judges.engine import failures_text

    return failures_text(result.failures)
