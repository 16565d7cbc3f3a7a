"""Scores what waits in a store. Any number of scorers may run at once, and each may stop at any moment."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

from radeval_core import __version__
from radeval_core.errors import RadevalError
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.outcome import Outcome
from radeval_core.leaderboard.scoring import current_version, score_submission
from radeval_core.leaderboard.store import Claim, Store
from radeval_core.leaderboard.submission import System, from_record

log = logging.getLogger(__name__)

#: a submission that stops its scorer so often has failed
MAX_ATTEMPTS = 3
#: seconds between signs of life of a scorer
HEARTBEAT = 300.0
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The clock used where no other is given."""
    return datetime.now(timezone.utc)


def waiting(store: Store, benchmark: Benchmark, version: str, retry_failed: bool = False) -> list[str]:
    """Submissions without an outcome under the current version of the metrics."""
    done = set(store.finished(benchmark.name, version))
    if retry_failed:
        outcomes = (store.outcome(benchmark.name, version, submission) for submission in done)
        done -= {outcome.submission for outcome in outcomes if outcome is not None and outcome.failed}
    return [submission for submission in store.submissions(benchmark.name) if submission not in done]


def score_waiting(
    store: Store,
    benchmark: Benchmark,
    *,
    clock: Clock = utc_now,
    retry_failed: bool = False,
    only: str | None = None,
    **options: Any,
) -> list[Outcome]:
    """Score every waiting submission that no other scorer holds.

    Args:
        store: where they are.
        benchmark: what they are for.
        clock: gives the date of the outcomes.
        retry_failed: also score again what failed.
        only: score this submission and no other.
        options: further arguments of `api.score`.

    Returns:
        The outcomes of this scorer; those of others are in the store.
    """
    version = current_version(benchmark, **options)
    done = []
    for submission in waiting(store, benchmark, version, retry_failed):
        if only not in (None, submission):
            continue
        with store.claim(benchmark.name, version, submission) as claim:
            if claim is None:
                continue  # another scorer is at it
            before = store.outcome(benchmark.name, version, submission)
            if before is not None and not (retry_failed and before.failed):
                continue  # another scorer finished it since we looked
            outcome = _attempt(store, benchmark, version, submission, claim, clock, options, bool(before))
            if claim.still_held() and store.keep(outcome, replace=before is not None):
                done.append(outcome)
    return done


def _attempt(
    store: Store,
    benchmark: Benchmark,
    version: str,
    submission: str,
    claim: Claim,
    clock: Clock,
    options: dict[str, Any],
    again: bool,
) -> Outcome:
    """The outcome of one submission, whatever happens."""
    date = clock().isoformat(timespec="seconds")
    system = System("(unreadable)", "", "")
    try:
        record = store.request(benchmark.name, submission)
        system = System(**record["system"])
        if claim.attempt > MAX_ATTEMPTS and not again:
            raise RadevalError(f"the scorer stopped {MAX_ATTEMPTS} times while it scored this submission")
        with _signs_of_life(claim):
            return score_submission(benchmark, from_record(record, benchmark), date, **options)
    except RadevalError as error:
        reason = str(error)
    except Exception as error:  # its text may quote a reference, so only its kind is kept
        log.error("%s: scoring failed with %s", submission, type(error).__name__)
        reason = f"scoring failed with {type(error).__name__}"
    return Outcome(submission, benchmark.name, benchmark.revision, version, __version__, date, system, reason)


@contextmanager
def _signs_of_life(claim: Claim) -> Iterator[None]:
    """Renew a claim while the work goes on."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(HEARTBEAT):
            claim.renew()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
