"""Split one run over several processes (`accelerate launch`): each answers its share, and all get every answer."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from radeval_core.errors import RadevalError, is_out_of_memory, process_name
from radeval_core.judges.backends.base import Answer, Request

T = TypeVar("T")


class Processes(Protocol):
    """The processes of a run, seen from one of them."""

    rank: int
    count: int

    def gather(self, items: list[Any]) -> list[Any]:
        """Return the items of all processes in one list."""

    def agree(self, value: T) -> T:
        """Return the value that the first process has."""


class LaunchedProcesses:
    """Processes started by `accelerate launch` or `torchrun`."""

    def __init__(self) -> None:
        from accelerate import PartialState

        self._state = PartialState(cpu=_on_cpu())
        # An open group at the interpreter's end can abort the process: its threads outlive what they use.
        atexit.register(self._state.destroy_process_group)
        self.rank = self._state.process_index
        self.count = self._state.num_processes

    def gather(self, items: list[Any]) -> list[Any]:
        from accelerate.utils import gather_object

        with self._together():
            gathered: list[Any] = gather_object(items)
        return gathered

    def agree(self, value: T) -> T:
        from accelerate.utils import broadcast_object_list

        box = [value]
        with self._together():
            broadcast_object_list(box, from_process=0)
        return box[0]

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Say what happened if another process of the run ends while this one waits for it."""
        try:
            yield
        except RuntimeError as error:  # torch's connection to the other process is closed, or waited in vain
            if is_out_of_memory(error):
                raise
            raise RadevalError(
                f"{process_name()} lost another process of this run: it failed or was killed, as the system does when "
                "memory runs out. Its own messages say more. Start again with fewer processes or a smaller "
                "--batch-tokens; with --cache, no answer is asked for twice"
            ) from error


def running_processes() -> Processes | None:
    """Return the processes of this run; None if this is the only one."""
    return LaunchedProcesses() if int(os.environ.get("WORLD_SIZE", "1")) > 1 else None


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
    own = set(places)
    yield from ((place, answer) for place, answer in processes.gather(mine) if place not in own)


def _on_cpu() -> bool:
    import torch

    return not torch.cuda.is_available()
