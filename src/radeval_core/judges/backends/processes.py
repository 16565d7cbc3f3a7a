"""Split the questions of one run over several processes: each asks its share, and all get every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from radeval_core.engine.processes import Processes, check_same_work, work_digest
from radeval_core.judges.backends.base import Answer, Request


def share(
    ask: Callable[[Sequence[Request]], Iterator[tuple[int, Answer]]], requests: Sequence[Request], processes: Processes
) -> Iterator[tuple[int, Answer]]:
    """Yield the index and the answer of every request, first those of this process as soon as each is ready.

    Every process must get the same requests: they wait for each other at the end.
    """
    places = list(range(processes.rank, len(requests), processes.count))
    mine: list[tuple[int, Answer]] = []
    for place, answer in ask([requests[i] for i in places]):
        mine.append((places[place], answer))
        yield mine[-1]
    told = processes.gather([(work_digest(requests), mine)])
    check_same_work([digest for digest, _ in told])
    own = set(places)
    yield from ((place, answer) for _, answers in told for place, answer in answers if place not in own)
