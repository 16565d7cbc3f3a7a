"""Batches of prompts through one model or several copies of it, greedily, each answer as soon as its batch is done."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue

from radeval_core.engine.batching import plan_batches
from radeval_core.engine.devices import is_out_of_memory
from radeval_core.errors import RadevalError
from radeval_core.judges.backends.prompts import Prompt

log = logging.getLogger(__name__)
#: the token ids of an answer, or why there is none
Decoded = Sequence[int] | str
#: prompts with one schema to the token ids of their answers
Decode = Callable[[list[Prompt]], list[Sequence[int]]]


class Work:
    """The batches still to do, shared by the copies of a model.

    Args:
        prompts: what to answer.
        budget: tokens in a batch, prompts and answers, padding included; halved when a device runs out of memory.
    """

    def __init__(self, prompts: Sequence[Prompt], budget: int) -> None:
        self.prompts = prompts
        self.budget = budget
        self._lock = threading.Lock()
        groups: dict[str, list[int]] = {}
        for i, prompt in enumerate(prompts):
            groups.setdefault(repr(prompt.schema), []).append(i)
        sizes = {key: [self._size(i) for i in group] for key, group in groups.items()}
        batches = [[groups[k][j] for j in batch] for k in groups for batch in plan_batches(sizes[k], budget)]
        self._todo = deque(sorted(batches, key=lambda batch: -self._size(batch[0])))

    def _size(self, place: int) -> int:
        return len(self.prompts[place].ids) + self.prompts[place].limit

    def take(self) -> list[int]:
        """The next batch, longest prompts first; empty when all is done."""
        with self._lock:
            if not self._todo:
                return []
            batch = self._todo.popleft()
            # never ends: a batch of one is as small as it gets
            while len(batch) > 1 and len(batch) * self._size(batch[0]) > self.budget:
                half = (len(batch) + 1) // 2
                self._todo.appendleft(batch[half:])
                batch = batch[:half]
            return batch

    def give_back(self, batch: list[int]) -> None:
        """A batch was too large: go on with batches of half its size."""
        with self._lock:
            self.budget = min(self.budget, len(batch) * self._size(batch[0])) // 2
            self._todo.appendleft(batch)

    def one_by_one(self, batch: list[int]) -> None:
        """A batch failed: each of its prompts gets a batch of its own."""
        with self._lock:
            self._todo.extendleft([i] for i in reversed(batch))


def decode_all(decoders: Sequence[Decode], prompts: Sequence[Prompt], budget: int) -> Iterator[tuple[int, Decoded]]:
    """The place of each prompt and its answer, as batches finish.

    Args:
        decoders: copies of the model, each on its own device; they share the batches.
        prompts: what to answer.
        budget: tokens in a batch.
    """
    work = Work(prompts, budget)
    if len(decoders) == 1:
        yield from _worker(decoders[0], work)
        return
    done: SimpleQueue[tuple[int, Decoded] | BaseException | None] = SimpleQueue()
    stop = threading.Event()

    def run(decode: Decode) -> None:
        try:
            for item in _worker(decode, work):
                done.put(item)
                if stop.is_set():
                    return
        except BaseException as error:
            done.put(error)
        finally:
            done.put(None)

    threads = [threading.Thread(target=run, args=(decode,), daemon=True) for decode in decoders]
    for thread in threads:
        thread.start()
    try:
        running = len(threads)
        while running:
            item = done.get()
            if item is None:
                running -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _worker(decode: Decode, work: Work) -> Iterator[tuple[int, Decoded]]:
    while batch := work.take():
        try:
            answers = decode([work.prompts[i] for i in batch])
        except RadevalError:  # says what the user has to change: no prompt would fare better
            raise
        except Exception as error:
            size = sum(len(work.prompts[i].ids) for i in batch)
            if len(batch) == 1:
                what = "out of memory" if is_out_of_memory(error) else f"decoding failed ({type(error).__name__})"
                yield batch[0], f"{what} with a prompt of {size} tokens"
            elif is_out_of_memory(error):
                work.give_back(batch)
                log.warning("out of memory: going on with batches of %d tokens", work.budget)
            else:
                work.one_by_one(batch)
                log.warning("decoding %d prompts failed (%s): one by one", len(batch), type(error).__name__)
            continue
        yield from zip(batch, answers, strict=True)
