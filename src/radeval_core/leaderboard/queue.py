"""Score the waiting submissions of a store. Several scorers can run at once, and each can stop at any time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from radeval_core import __version__
from radeval_core.errors import RadevalError, is_out_of_memory
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.score_submission import Progress, current_version, score_submission
from radeval_core.leaderboard.store import Lease, Store
from radeval_core.leaderboard.submission import System, from_record
from radeval_core.leaderboard.submission_result import SubmissionResult

log = logging.getLogger(__name__)

#: a submission whose scorer stopped this many times counts as failed
MAX_ATTEMPTS = 3
#: seconds between heartbeats of a scorer
HEARTBEAT = 300.0
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC; the default clock."""
    return datetime.now(UTC)


def waiting(store: Store, benchmark: Benchmark, version: str, retry_failed: bool = False) -> list[str]:
    """Return the submissions without a result for this version of the metrics."""
    done = set(store.finished(benchmark.name, version))
    withdrawn = store.withdrawn(benchmark.name)
    if retry_failed:
        done -= {submission for submission in done if _failed(store, benchmark.name, version, submission)}
    return [submission for submission in store.submissions(benchmark.name) if submission not in done | withdrawn]


def score_waiting(
    store: Store,
    benchmark: Benchmark,
    *,
    clock: Clock = utc_now,
    retry_failed: bool = False,
    only: str | None = None,
    on_progress: Progress | None = None,
    **options: Any,
) -> list[SubmissionResult]:
    """Score every waiting submission that no other scorer has claimed.

    Args:
        store: the store of the submissions.
        benchmark: their benchmark.
        clock: gives the date of the results.
        retry_failed: also score failed submissions again.
        only: score only this submission.
        on_progress: called with the number of pairs scored so far and the number in all waiting submissions.
        options: further arguments of `api.score`.

    Returns:
        The results of this scorer; those of other scorers are in the store.
    """
    version = current_version(benchmark, **options)
    store.files.tidy()
    done = []
    todo = [s for s in waiting(store, benchmark, version, retry_failed) if only in (None, s)]
    for place, submission in enumerate(todo):
        with store.claim(benchmark.name, version, submission) as claim:
            if claim is None:
                continue  # another scorer is working on it
            exists = submission in store.finished(benchmark.name, version)
            if exists and not (retry_failed and _failed(store, benchmark.name, version, submission)):
                continue  # another scorer has finished it in the meantime
            report = _part_of(on_progress, place, len(todo), len(benchmark.studies))
            outcome = _attempt(store, benchmark, version, submission, claim, clock, report, options, exists)
            if not claim.still_held():
                continue
            if exists:
                store.set_aside(benchmark.name, version, submission)
            if store.keep(outcome, replace=exists):
                done.append(outcome)
    return done


def _part_of(on_progress: Progress | None, place: int, submissions: int, studies: int) -> Progress | None:
    """Return the progress of one submission, as a part of that of all."""
    if on_progress is None:
        return None
    return lambda done, total: on_progress(place * studies + done * studies // total, submissions * studies)


def _failed(store: Store, benchmark: str, version: str, submission: str) -> bool:
    """Return True if a result has no scores or cannot be read."""
    try:
        outcome = store.outcome(benchmark, version, submission)
    except RadevalError:
        return True
    return outcome is not None and outcome.failed


def _attempt(
    store: Store,
    benchmark: Benchmark,
    version: str,
    submission: str,
    claim: Lease,
    clock: Clock,
    on_progress: Progress | None,
    options: dict[str, Any],
    again: bool,
) -> SubmissionResult:
    """Score one submission and return its result, or a failed result if scoring raises an error."""
    date = clock().isoformat(timespec="seconds")
    system = System("(unreadable)", "", "")
    try:
        record = store.request(benchmark.name, submission)
        system = System(**record["system"])
        if claim.attempt > MAX_ATTEMPTS and not again:
            raise RadevalError(f"the scorer stopped {MAX_ATTEMPTS} times while scoring this submission")
        with _heartbeat(claim):
            return score_submission(benchmark, from_record(record, benchmark), date, on_progress, **options)
    except RadevalError as error:
        reason = str(error)
    except Exception as error:  # its message may quote a reference, so only its type is recorded
        log.error("%s: scoring failed with %s", submission, type(error).__name__)
        reason = f"scoring failed with {type(error).__name__}"
        if is_out_of_memory(error):
            reason = "the scorer ran out of memory; a machine with more may score it with --retry-failed"
    return SubmissionResult(submission, benchmark.name, benchmark.revision, version, __version__, date, system, reason)


@contextmanager
def _heartbeat(claim: Lease) -> Iterator[None]:
    """Renew a claim regularly during the work."""
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
