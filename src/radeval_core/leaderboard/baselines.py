"""The systems a new leaderboard begins with."""

from __future__ import annotations

from typing import Any

from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.outcome import Outcome
from radeval_core.leaderboard.queue import Clock, score_waiting, utc_now
from radeval_core.leaderboard.store import Store
from radeval_core.leaderboard.submission import read_submission


def seed(store: Store, benchmark: Benchmark, *, clock: Clock = utc_now, **options: Any) -> list[Outcome]:
    """Submit the baselines of a benchmark as anyone would, and score what waits; again it does nothing."""
    date = clock().isoformat(timespec="seconds")
    for path in benchmark.baselines:
        store.submit(read_submission(path, benchmark), benchmark, date)
    return score_waiting(store, benchmark, clock=clock, **options)
