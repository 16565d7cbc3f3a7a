"""The service without HTTP: workers, limits, counts, and whether it is stopping."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from radeval_core.metrics.base import Resources
from radeval_core.serve.answers import Results, ScorePlan, plan_compare, plan_parse, plan_score
from radeval_core.serve.counters import Counters
from radeval_core.serve.limits import Limits, OpenBytes
from radeval_core.serve.offer import LOCAL, Offer, Task
from radeval_core.serve.worker import CallJob, Job, ScoreJob, Worker

P = TypeVar("P")
#: bytes of a request that is checked at once; a larger one would keep the others waiting
_SMALL = 64_000


@dataclass
class Service:
    """Scores requests. `start` loads the models.

    Attributes:
        offer: what clients may choose.
        make_resources: returns new resources; each worker has its own.
        limits: how much is taken.
        counters: what is counted.
        stopping: True once no new request is taken.
        open: number of requests that are being answered.
    """

    offer: Offer
    make_resources: Callable[[], Resources]
    limits: Limits = field(default_factory=Limits)
    counters: Counters = field(default_factory=Counters)
    stopping: bool = False
    open: int = 0

    def __post_init__(self) -> None:
        self.open_bytes = OpenBytes(self.limits)
        self._workers: dict[str, Worker] = {}

    def start(self) -> None:
        """Load every model and start the workers; raise an error if something cannot be loaded."""
        resources: dict[str, Resources] = {LOCAL: self.make_resources()}
        for task in self.offer.tasks():
            own = resources.setdefault(self.offer.worker_of(task), self.make_resources())
            self.offer.warm_up(task, own)
        resources[LOCAL].reports(["No pneumothorax."])  # loads the findings parser
        for name, own in resources.items():
            self._workers[name] = Worker(name, self.offer, own, self.limits, self.counters)
            self._workers[name].start()

    def close(self) -> None:
        """Finish what was taken and end the workers."""
        self.stopping = True
        for worker in self._workers.values():
            worker.close()

    @property
    def healthy(self) -> bool:
        """True if every worker is there."""
        return bool(self._workers) and all(worker.alive for worker in self._workers.values())

    async def score(self, body: bytes) -> bytes:
        """Answer a request to score."""
        return await self._scored(await _planned(body, plan_score, self.offer, self.limits))

    async def compare(self, body: bytes) -> bytes:
        """Answer a request to compare systems."""
        return await self._scored(await _planned(body, plan_compare, self.offer, self.limits))

    async def parse(self, body: bytes) -> bytes:
        """Answer a request to parse reports."""
        size, work = await _planned(body, plan_parse, self.limits)
        (answer,) = await self._done([(LOCAL, CallJob(work, size))])
        return bytes(answer)

    async def _scored(self, plan: ScorePlan) -> bytes:
        """Let the workers score what a request asks for, and return the answer."""
        by_worker: dict[str, list[Task]] = {}
        for task in plan.tasks:
            by_worker.setdefault(self.offer.worker_of(task), []).append(task)
        if len(by_worker) == len(plan.sets) == 1:
            (worker,) = by_worker
            whole = ScoreJob(plan.sets[0], plan.tasks, plan.detailed, lambda results: plan.answer([results]))
            (answer,) = await self._done([(worker, whole)])
            return bytes(answer)
        jobs = [
            (worker, ScoreJob(pairs, tuple(tasks), plan.detailed))
            for pairs in plan.sets
            for worker, tasks in by_worker.items()
        ]
        found = await self._done(jobs)
        parts = len(by_worker)
        sets: list[Results] = []
        for i in range(0, len(found), parts):
            results = {name: result for part in found[i : i + parts] for name, result in part.items()}
            sets.append({task.metric: results[task.metric] for task in plan.tasks})
        return await asyncio.to_thread(plan.answer, sets)

    async def _done(self, jobs: Sequence[tuple[str, Job]]) -> list[Any]:
        """Give jobs to workers and return their results, in order. If one fails or the client leaves, drop the rest."""
        taken: list[Future[Any]] = []
        try:
            for worker, job in jobs:
                self._workers[worker].submit(job)
                taken.append(job.done)
            return list(await asyncio.gather(*map(asyncio.wrap_future, taken)))
        except BaseException:
            for future in taken:
                future.cancel()
            raise


async def _planned(body: bytes, plan: Callable[..., P], *arguments: Any) -> P:
    """Check a request: a small one here, which takes about a millisecond, a large one in another thread."""
    if len(body) <= _SMALL:
        return plan(body, *arguments)
    return await asyncio.to_thread(plan, body, *arguments)
