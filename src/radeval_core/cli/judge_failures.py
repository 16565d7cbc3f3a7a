"""Say on the command line why a judge model left pairs without a score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from radeval_core.errors import RadevalError

if TYPE_CHECKING:
    from radeval_core.runner import MetricResult


def failure_notes(results: Iterable[MetricResult]) -> list[str]:
    """Return one sentence per metric of which a judge model left some pairs unscored."""
    return [
        f"{result.spec.name}: {sum(result.failures.values())} of {len(result.scores)} pairs are unscored by "
        f"{result.asked}: {_reasons(result)}"
        for result in results
        if result.failures and result.judged
    ]


def check_judges(results: Iterable[MetricResult]) -> None:
    """Raise an error if a judge model gave no usable answer at all: the run has failed, and its exit code says so."""
    failed = [
        f"{result.spec.name}: {result.asked} gave no usable answer for any of {sum(result.failures.values())} pairs: "
        f"{_reasons(result)}"
        for result in results
        if result.failures and not result.judged
    ]
    if failed:
        raise RadevalError(". ".join(failed))


def _reasons(result: MetricResult) -> str:
    from radeval_core.judges.engine import failures_text

    return failures_text(result.failures)
