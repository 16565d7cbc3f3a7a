"""Decode batches of prompts greedily with one or several copies of a model; each answer comes as soon as it ends."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Protocol

from radeval_core.engine.batching import plan_batches
from radeval_core.errors import RadevalError, is_out_of_memory
from radeval_core.judges.backends.prompts import Prompt

log = logging.getLogger(__name__)
#: the token ids of an answer, or the reason why it is missing
Decoded = Sequence[int] | str
#: called with the index of a prompt in its batch and the token ids of its answer
Done = Callable[[int, Sequence[int]], None]


class Decode(Protocol):
    """One copy of a model."""

    def __call__(self, prompts: list[Prompt], done: Done, stopped: Callable[[], bool]) -> None:
        """Answer prompts that have the same schema.

        Args:
            prompts: the prompts of a batch.
            done: takes each answer as soon as it ends.
            stopped: returns True when nobody waits for the answers any more.
        """


class Work:
    """Holds the batches that are still to do. The copies of a model share it.

    Args:
        prompts: the prompts to answer.
        budget: tokens per batch (prompts, answers and padding); halved when a device runs out of memory.
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
        """Return the next batch, longest prompts first; an empty one when all are done."""
        with self._lock:
            if not self._todo:
                return []
            batch = self._todo.popleft()
            # stops at one prompt, even if that is over the budget
            while len(batch) > 1 and len(batch) * self._size(batch[0]) > self.budget:
                half = (len(batch) + 1) // 2
                self._todo.appendleft(batch[half:])
                batch = batch[:half]
            return batch

    def give_back(self, batch: list[int]) -> None:
        """Put back a batch that was too large, and halve the budget."""
        with self._lock:
            self.budget = min(self.budget, len(batch) * self._size(batch[0])) // 2
            self._todo.appendleft(batch)

    def one_by_one(self, batch: list[int]) -> None:
        """Put back a batch that failed, as one batch per prompt."""
        with self._lock:
            self._todo.extendleft([i] for i in reversed(batch))


def decode_all(decoders: Sequence[Decode], prompts: Sequence[Prompt], budget: int) -> Iterator[tuple[int, Decoded]]:
    """Yield the index and the answer of each prompt as soon as it ends, also while its batch goes on.

    The models run in threads, so that an answer is stored at once and an interrupt loses only unfinished ones.

    Args:
        decoders: copies of the model, each on its own device; they share the batches.
        prompts: the prompts to answer.
        budget: tokens per batch.
    """
    work = Work(prompts, budget)
    done: SimpleQueue[tuple[int, Decoded] | BaseException | None] = SimpleQueue()
    stop = threading.Event()

    def run(decode: Decode) -> None:
        try:
            _work(decode, work, done.put, stop)
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


def _work(decode: Decode, work: Work, put: Callable[[tuple[int, Decoded]], None], stop: threading.Event) -> None:
    """Answer batches until all are done. A batch that fails is tried again in parts."""
    while not stop.is_set() and (batch := work.take()):
        left = dict(enumerate(batch))

        def done(row: int, ids: Sequence[int], left: dict[int, int] = left) -> None:
            if row in left:
                put((left.pop(row), ids))

        try:
            decode([work.prompts[i] for i in batch], done, stop.is_set)
        except RadevalError:  # the user must change something: other prompts would fail too
            raise
        except Exception as error:
            if len(batch) == 1 and left:
                put((batch[0], _failure(error, work.prompts[batch[0]])))
            else:
                _again(error, list(left.values()), work)
            continue
        if not stop.is_set():
            for place in left.values():
                put((place, "the model gave no answer"))


def _failure(error: Exception, prompt: Prompt) -> str:
    what = "out of memory" if is_out_of_memory(error) else f"decoding failed ({type(error).__name__})"
    return f"{what} with a prompt of {len(prompt.ids)} tokens"


def _again(error: Exception, batch: list[int], work: Work) -> None:
    """Put the unanswered prompts of a failed batch back to work, in smaller batches."""
    if len(batch) > 1 and is_out_of_memory(error):
        work.give_back(batch)
        log.warning("out of memory: continuing with batches of %d tokens", work.budget)
    elif batch:
        work.one_by_one(batch)
        log.warning("decoding %d prompts failed (%s): trying one by one", len(batch), type(error).__name__)
