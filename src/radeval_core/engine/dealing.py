"""Deals planned batches out to the copies of a model: one thread per copy, each takes the next batch when it is free.

A batch gives the same result on every copy, so who takes which does not matter.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from radeval_core.errors import is_out_of_memory

T = TypeVar("T")
Batch = list[int]
Work = Callable[[Batch], Sequence[T]]


class Dealer(Generic[T]):
    """Runs batches, and those that do not fit into memory in smaller parts.

    Args:
        batches: indices of the items of each batch, in the order in which they are taken.
        fitted: splits a batch into parts that are believed to fit; returns it whole if it fits.
        too_large: called with a batch that did not fit; must make `fitted` split it, or raise.
        on_done: called with the number of items of each batch that is done.

    Attributes:
        done: the batches that were run.
        results: the result of each of them.
    """

    def __init__(
        self,
        batches: Sequence[Batch],
        fitted: Callable[[Batch], list[Batch]],
        too_large: Callable[[Batch], None],
        on_done: Callable[[int], object] = lambda _: None,
    ) -> None:
        self.done: list[Batch] = []
        self.results: list[Sequence[T]] = []
        self._todo = deque(batches)
        self._fitted, self._too_large, self._on_done = fitted, too_large, on_done
        self._lock = threading.Lock()
        self._errors: list[BaseException] = []

    def run(self, copies: Sequence[Work[T]]) -> None:
        """Run all batches; with one copy in this thread. The first error ends the work of all copies."""
        if len(copies) == 1:
            self._work(copies[0])
        else:
            threads = [threading.Thread(target=self._in_thread, args=(copy,), daemon=True) for copy in copies]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if self._errors:
            raise self._errors[0]

    def _in_thread(self, work: Work[T]) -> None:
        try:
            self._work(work)
        except BaseException as error:
            self._errors.append(error)

    def _work(self, work: Work[T]) -> None:
        while not self._errors and (batch := self._take()) is not None:
            try:
                results = work(batch)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                with self._lock:
                    self._too_large(batch)
                    self._todo.appendleft(batch)
                continue
            with self._lock:
                self.done.append(batch)
                self.results.append(results)
                self._on_done(len(batch))

    def _take(self) -> Batch | None:
        with self._lock:
            if not self._todo:
                return None
            first, *rest = self._fitted(self._todo.popleft())
            self._todo.extendleft(reversed(rest))
            return first
