"""Fill a new leaderboard with the baselines of its benchmark."""

from __future__ import annotations

from typing import Any

from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.queue import Clock, score_waiting, utc_now
from radeval_core.leaderboard.score_submission import Progress
from radeval_core.leaderboard.store import Store
from radeval_core.leaderboard.submission import read_submission
from radeval_core.leaderboard.submission_result import SubmissionResult


def seed(
    store: Store,
    benchmark: Benchmark,
    *,
    clock: Clock = utc_now,
    on_progress: Progress | None = None,
    **options: Any,
) -> list[SubmissionResult]:
    """Submit the baselines of a benchmark and score all waiting submissions. A second call does nothing.

    Args:
        store: the store to fill.
        benchmark: the benchmark.
        clock: gives the date of the submissions.
        on_progress: called with the number of pairs scored so far and the number in all waiting submissions.
        options: further arguments of `api.score`.
    """
    date = clock().isoformat(timespec="seconds")
    for path in benchmark.baselines:
        store.submit(read_submission(path, benchmark), benchmark, date)
    return score_waiting(store, benchmark, clock=clock, on_progress=on_progress, **options)
