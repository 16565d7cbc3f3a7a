"""The processes of one run (`torchrun`, `accelerate launch`): who they are, and how they exchange results.

Sharing must be asked for with `sharing_work`, because every process must then do the same work in the same order. The
command line asks for it. A reward function or an `evaluate` module does not: each process of a training run scores its
own reports there.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from radeval_core.errors import RadevalError, is_out_of_memory, process_name

T = TypeVar("T")
#: how long a process waits for the others. A killed one is noticed at once, because its connections close; this is for
#: one that hangs.
PATIENCE = timedelta(hours=1)
#: seconds in which a process that has lost its connection may still end
_ENDING = 3.0
_sharing = 0


class Processes(Protocol):
    """The processes of a run, seen from one of them."""

    rank: int
    count: int

    def gather(self, items: list[Any]) -> list[Any]:
        """Return the items of all processes in one list."""

    def agree(self, value: T) -> T:
        """Return the value that the first process has."""


class LaunchedProcesses:
    """Processes started by `accelerate launch` or `torchrun`.

    They exchange objects over their own connections (gloo), also if the models use NCCL: gloo notices a process that
    was killed, NCCL waits for it.
    """

    def __init__(self) -> None:
        import torch
        from accelerate import PartialState

        state = PartialState(cpu=not torch.cuda.is_available())
        # An open group at the interpreter's end can abort the process: its threads outlive what they use.
        atexit.register(state.destroy_process_group)
        self.rank: int = state.process_index
        self.count: int = state.num_processes
        self._places: list[tuple[str, int]] = []
        with self._together():
            self._group = torch.distributed.new_group(backend="gloo", timeout=PATIENCE)
        self._places = self.gather([(socket.gethostname(), os.getpid())])

    def gather(self, items: list[Any]) -> list[Any]:
        import torch

        lists: list[Any] = [None] * self.count
        with self._together():
            torch.distributed.all_gather_object(lists, items, group=self._group)
        return [item for items in lists for item in items]

    def agree(self, value: T) -> T:
        import torch

        box = [value]
        with self._together():
            torch.distributed.broadcast_object_list(box, src=0, group=self._group)
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
                f"{process_name()} lost {self._lost()}: it failed or was killed, as the system does when "
                "memory runs out. Its own messages say more. Start again with fewer processes or a smaller "
                "--batch-tokens; with --cache, nothing is computed twice"
            ) from error

    def _lost(self) -> str:
        """Return the name of the process that ended; those on other machines cannot be seen from here."""
        until = time.monotonic() + _ENDING
        while True:
            for rank, (host, pid) in enumerate(self._places):
                if host == socket.gethostname() and has_ended(pid):
                    return f"process {pid} ({rank + 1} of {self.count})"
            if time.monotonic() > until:
                return f"another of the {self.count} processes of this run"
            time.sleep(0.05)


def has_ended(pid: int) -> bool:
    """Return True if a process of this machine does not run any more, even if nobody has asked for its exit code."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):  # not Linux, or it ended just now
        return False
    return state in ("Z", "X")


@cache
def _launched() -> LaunchedProcesses:
    return LaunchedProcesses()


@contextmanager
def sharing_work() -> Iterator[None]:
    """While the block runs, let the processes of a launched run share the work of models.

    Every process must score the same pairs with the same metrics. In a run of one process, nothing changes.
    """
    global _sharing
    _sharing += 1
    try:
        yield
    finally:
        _sharing -= 1


def running_processes() -> Processes | None:
    """Return the processes that share the work of this run; None if this one works alone."""
    return _launched() if _sharing and launched_count() > 1 else None


def launched_count() -> int:
    """Return how many processes were launched together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Return True for the process that prints and writes: the only one, or the first of several."""
    return launched_count() < 2 or int(os.environ.get("RANK", "0")) == 0


def check_same_work(digests: list[str]) -> None:
    """Refuse to mix the results of processes that do not do the same work.

    Args:
        digests: what each process works on, see `work_digest`.
    """
    if len(set(digests)) > 1:
        raise RadevalError(
            f"the {len(digests)} processes of this run have different reports, but share their work: give all of them "
            "the same input, or let each score its own reports without `sharing_work`"
        )


def work_digest(*parts: object) -> str:
    """Return a short digest of what a process works on."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
