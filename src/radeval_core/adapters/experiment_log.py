"""Scores in an experiment tracker: trackio, Weights & Biases, or another with the same `log`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from radeval_core.api import Scores


class Run(Protocol):
    """What is needed of a run: trackio's and wandb's have it."""

    def log(self, data: dict[str, Any], step: int | None = None) -> Any:
        """Log numbers and texts by name."""


def log_scores(scores: Scores, run: Run, step: int | None = None, prefix: str = "") -> dict[str, Any]:
    """Log what `radeval_core.score` returned: score, interval, counts and signature of each name, and no report.

    The keys are `NAME` for the score, and `NAME/ci95_low`, `NAME/ci95_high`, `NAME/n`, `NAME/unscored` and
    `NAME/signature`. A number that does not exist is left out: a metric without a scored pair has no score, and a
    single pair has no interval. `ComputeMetrics.scores` of a Trainer works, too.

    Args:
        scores: the result.
        run: what `trackio.init(…)` or `wandb.init(…)` returned.
        step: the step of the training.
        prefix: comes before every key, such as `test/`.

    Returns:
        What was logged.
    """
    data: dict[str, Any] = {}
    for name, row in scores.table().items():
        data |= {f"{prefix}{name}{key}": value for key, value in _entries(row).items() if value is not None}
    run.log(data, step=step)
    return data


def _entries(row: Mapping[str, Any]) -> dict[str, Any]:
    low, high = row["ci95"] or (None, None)
    return {
        "": row["score"], "/ci95_low": low, "/ci95_high": high,
        "/n": row["n"], "/unscored": row["unscored"], "/signature": row["signature"],
    }  # fmt: skip
