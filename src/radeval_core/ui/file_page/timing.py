"""Estimates how long scoring takes: measured on a few pairs of the file, and scaled up by the work that is left.

Every distinct text is read once, so the work of a file is the number of characters of its distinct texts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from radeval_core import api
from radeval_core.pairs import Pair

#: pairs that are scored for an estimate
SAMPLE = 12
#: estimates in seconds from which a second measurement is taken
_SLOW = 1.0


def work_of(pairs: Sequence[Pair]) -> list[int]:
    """Return for each pair the work that it adds: the characters of its texts that no earlier pair has, at least 1."""
    seen: set[str] = set()
    work = []
    for pair in pairs:
        new = {pair.prediction, *pair.references} - seen
        seen |= new
        work.append(max(1, sum(map(len, new))))
    return work


def spread(pairs: Sequence[Pair], most: int = SAMPLE) -> list[Pair]:
    """Return at most `most` pairs at equal distances over the file."""
    count = min(most, len(pairs))
    return [pairs[i * len(pairs) // count] for i in range(count)]


def scaled(seconds: float, sample: Sequence[Pair], pairs: Sequence[Pair]) -> float:
    """Return the seconds for all pairs, if a sample of them took some seconds."""
    return seconds * sum(work_of(pairs)) / sum(work_of(sample))


def measure(
    pairs: Sequence[Pair], metrics: Sequence[str], clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Return the estimated seconds of each metric alone, measured on a sample of the pairs.

    Models are loaded before the clock starts. What seems slow is measured again, and the shorter time counts: the
    machine may have been busy. A metric that cannot score the sample has no estimate.
    """
    sample = spread(pairs)

    def seconds(name: str) -> float:
        start = clock()
        api.score(sample, [name])
        return scaled(clock() - start, sample, pairs)

    found = {}
    for name in metrics:
        try:
            api.score(sample[:2], [name])
            first = seconds(name)
            found[name] = first if first < _SLOW else min(first, seconds(name))
        except Exception:  # scoring the whole file will say why, without a report in the message
            continue
    return found


@dataclass
class Stopwatch:
    """Follows a run and estimates the rest of it.

    Args:
        work: the work of each pair, in the order in which they are scored.
        clock: returns the time in seconds.
    """

    work: Sequence[int]
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    _sums: list[int] = field(init=False, repr=False)
    _start: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._sums = list(accumulate(self.work))
        self._start = self.clock()

    def step(self) -> None:
        """Count one scored pair."""
        self.done += 1

    @property
    def remaining(self) -> float | None:
        """Return the estimated seconds that are left; None before the first pair."""
        if not self.done:
            return None
        finished = self._sums[self.done - 1]
        return (self.clock() - self._start) * (self._sums[-1] - finished) / finished


def about(seconds: float) -> str:
    """Return an estimated duration as people say it, never more exact than the estimate is."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 9.5:
        return f"about {seconds:.0f} s"
    if seconds < 90:
        return f"about {5 * round(seconds / 5)} s"
    return f"about {round(seconds / 60)} min"
