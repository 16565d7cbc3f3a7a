"""A thread that scores what waits, as much at once as there is: the models' batches fill up from several requests.

Nothing waits for a batch to fill. While one batch is scored the next requests gather, so batches grow with the load.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from radeval_core.errors import InputError, says_what_to_install
from radeval_core.joint_run import run_jointly
from radeval_core.metrics.base import Resources
from radeval_core.pairs import Pair
from radeval_core.runner import MetricResult
from radeval_core.serve.counters import Counters
from radeval_core.serve.limits import BusyError, Limits
from radeval_core.serve.offer import Offer, Task
from radeval_core.serve.problems import trace_of, without_quotes

log = logging.getLogger(__name__)
#: longest time a client is told to wait, in seconds
_LONGEST_WAIT = 60.0
#: weight of the last batch in the mean speed
_NEWEST = 0.3


@dataclass(eq=False)
class ScoreJob:
    """Pairs of one request, for one or more metrics.

    Attributes:
        pairs: the pairs.
        tasks: what to score them with.
        detailed: keep the structures behind each score.
        finish: makes the answer from the result of each metric, in the worker's thread: to hand small work from thread
            to thread costs more than the work. None to give the results themselves.
        done: gets the answer, or an error.
    """

    pairs: Sequence[Pair]
    tasks: tuple[Task, ...]
    detailed: bool
    finish: Callable[[dict[str, MetricResult]], Any] | None = None
    done: Future[Any] = field(default_factory=Future)

    @property
    def size(self) -> int:
        return len(self.pairs)


@dataclass(eq=False)
class CallJob:
    """Work that is not scoring, such as parsing reports.

    Attributes:
        work: what to do, with the resources of the worker.
        size: number of reports.
        done: gets the result, or an error.
    """

    work: Callable[[Resources], Any]
    size: int
    done: Future[Any] = field(default_factory=Future)


Job = ScoreJob | CallJob


class Worker:
    """Scores jobs in one thread. All its metrics share their models and the annotations of texts."""

    def __init__(self, name: str, offer: Offer, resources: Resources, limits: Limits, counters: Counters) -> None:
        self.name = name
        self._offer, self._resources, self._limits, self._counters = offer, resources, limits, counters
        self._jobs: deque[Job] = deque()
        self._waiting = 0
        self._closing = False
        self._changed = threading.Condition()
        self._pairs_per_second = 0.0
        self._thread = threading.Thread(target=self._work, name=f"radeval-{name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def submit(self, job: Job) -> None:
        """Take a job; raise `BusyError` if too many pairs wait."""
        with self._changed:
            if self._waiting and self._waiting + job.size > self._limits.waiting_pairs:
                raise BusyError(f"{self._waiting} pairs are waiting: try again later", self._wait())
            self._jobs.append(job)
            self._add(job.size)
            self._changed.notify()

    def close(self) -> None:
        """Finish the jobs that were taken, then end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _wait(self) -> float:
        """Return how long the waiting pairs will take, in seconds."""
        wait = self._waiting / self._pairs_per_second if self._pairs_per_second else 1.0
        return min(max(1.0, wait), _LONGEST_WAIT)

    def _add(self, pairs: int) -> None:
        self._waiting += pairs
        self._counters.waiting.labels(self.name).set(self._waiting)

    def _work(self) -> None:
        while jobs := self._next():
            started = time.perf_counter()
            try:
                self._do(jobs)
            except BaseException as error:  # whatever happens, nobody waits for ever
                log.error("worker %s: %s", self.name, trace_of(error))
                for job in jobs:
                    _fail(job, error)
            seconds = time.perf_counter() - started
            self._counters.busy_seconds.labels(self.name).inc(seconds)
            speed = sum(job.size for job in jobs) / max(seconds, 1e-6)
            self._pairs_per_second += (_NEWEST if self._pairs_per_second else 1.0) * (speed - self._pairs_per_second)

    def _next(self) -> list[Job]:
        """Wait for jobs and return as many as make a batch; none if the worker is closed and nothing waits."""
        with self._changed:
            while True:
                jobs = self._batch()
                if jobs or (self._closing and not self._jobs):
                    return jobs
                self._changed.wait()

    def _batch(self) -> list[Job]:
        jobs: list[Job] = []
        size = 0
        while self._jobs and (not jobs or size + self._jobs[0].size <= self._limits.batch_pairs):
            job = self._jobs.popleft()
            self._add(-job.size)
            if job.done.set_running_or_notify_cancel():  # the client may be gone
                jobs.append(job)
                size += job.size
        return jobs

    def _do(self, jobs: Sequence[Job]) -> None:
        scored = [job for job in jobs if isinstance(job, ScoreJob)]
        if scored:
            self._counters.batch_pairs.labels(self.name).observe(sum(job.size for job in scored))
            self._counters.batch_requests.labels(self.name).observe(len(scored))
            self._score(scored)
        for job in jobs:
            if isinstance(job, CallJob):
                try:
                    job.done.set_result(job.work(self._resources))
                except Exception as error:
                    _fail(job, error)

    def _score(self, jobs: Sequence[ScoreJob]) -> None:
        """Score jobs task by task, all pairs of a task at once."""
        found: dict[ScoreJob, dict[str, MetricResult]] = {job: {} for job in jobs}
        groups: dict[tuple[Task, bool], list[ScoreJob]] = {}
        for job in jobs:
            for task in job.tasks:
                groups.setdefault((task, job.detailed), []).append(job)
        for (task, detailed), members in groups.items():
            for job, result in zip(members, self._results(task, members, detailed), strict=True):
                if isinstance(result, Exception):
                    _fail(job, result)
                    continue
                found[job][task.metric] = result
                self._counters.pairs.labels(task.metric).inc(job.size)
                self._counters.unscored.labels(task.metric).inc(result.unscored)
        answers = [(job, _finished(job, results)) for job, results in found.items() if not job.done.done()]
        for job, answer in answers:  # all at once: each one wakes the server's thread, which takes time from this one
            if isinstance(answer, Exception):
                _fail(job, answer)
            else:
                job.done.set_result(answer)

    def _results(self, task: Task, jobs: Sequence[ScoreJob], detailed: bool) -> list[MetricResult | Exception]:
        """Return the result of each job. If they fail together, each is tried alone: one cannot spoil the others."""

        def score(some: Sequence[ScoreJob]) -> list[MetricResult]:
            with says_what_to_install(task.metric):
                return run_jointly(
                    [job.pairs for job in some], lambda: self._offer.scorer(task, self._resources), detailed
                )

        try:
            return [*score(jobs)]
        except Exception as error:
            if len(jobs) == 1:
                return [error]
        results: list[MetricResult | Exception] = []
        for job in jobs:
            try:
                results += score([job])
            except Exception as error:
                results.append(error)
        return results


def _finished(job: ScoreJob, results: dict[str, MetricResult]) -> Any:
    """Return the answer of a job, or the error that was raised while it was made."""
    ordered = {task.metric: results[task.metric] for task in job.tasks}
    try:
        return job.finish(ordered) if job.finish else ordered
    except Exception as error:
        return error


def _fail(job: Job, error: BaseException) -> None:
    """Give a job its error; what the message of a wrong input quotes may be a part of a report."""
    if isinstance(error, InputError):
        error = InputError(without_quotes(error)).with_traceback(error.__traceback__)
    if not job.done.done():
        job.done.set_exception(error)
