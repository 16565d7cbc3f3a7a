"""Several processes of one run, as `accelerate launch` starts them: each answers its share, all get every answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from radeval_core.judges.backends.base import Answer, Request

T = TypeVar("T")


class Processes(Protocol):
    """The processes of a run, seen from one of them."""

    rank: int
    count: int

    def gather(self, items: list[Any]) -> list[Any]:
        """The items of all processes, one list."""

    def agree(self, value: T) -> T:
        """The first process' value."""


class LaunchedProcesses:
    """Processes started by `accelerate launch` or `torchrun`."""

    def __init__(self) -> None:
        from accelerate import PartialState

        self._state = PartialState(cpu=_on_cpu())
        self.rank = self._state.process_index
        self.count = self._state.num_processes

    def gather(self, items: list[Any]) -> list[Any]:
        from accelerate.utils import gather_object

        gathered: list[Any] = gather_object(items)
        return gathered

    def agree(self, value: T) -> T:
        from accelerate.utils import broadcast_object_list

        box = [value]
        broadcast_object_list(box, from_process=0)
        return box[0]


def running_processes() -> Processes | None:
    """The processes of this run; None if this is the only one."""
    return LaunchedProcesses() if int(os.environ.get("WORLD_SIZE", "1")) > 1 else None


def share(
    ask: Callable[[Sequence[Request]], Iterator[tuple[int, Answer]]], requests: Sequence[Request], processes: Processes
) -> Iterator[tuple[int, Answer]]:
    """The place and answer of every request, this process' own share first, as soon as each is there.

    Every process must be given the same requests: all of them wait for each other at the end.
    """
    places = list(range(processes.rank, len(requests), processes.count))
    mine: list[tuple[int, Answer]] = []
    for place, answer in ask([requests[i] for i in places]):
        mine.append((places[place], answer))
        yield mine[-1]
    own = set(places)
    yield from ((place, answer) for place, answer in processes.gather(mine) if place not in own)


def _on_cpu() -> bool:
    import torch

    return not torch.cuda.is_available()
