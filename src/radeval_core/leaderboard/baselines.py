"""Fill a new leaderboard with the baselines of its benchmark."""

from __future__ import annotations

from typing import Any

from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.queue import Clock, score_waiting, utc_now
from radeval_core.leaderboard.store import Store
from radeval_core.leaderboard.submission import read_submission
from radeval_core.leaderboard.submission_result import SubmissionResult


def seed(store: Store, benchmark: Benchmark, *, clock: Clock = utc_now, **options: Any) -> list[SubmissionResult]:
    """Submit the baselines of a benchmark and score all waiting submissions. A second call does nothing."""
    date = clock().isoformat(timespec="seconds")
    for path in benchmark.baselines:
        store.submit(read_submission(path, benchmark), benchmark, date)
    return score_waiting(store, benchmark, clock=clock, **options)
