"""Chooses how many threads a model on the CPU uses: not more than there are cores that nobody else uses.

Threads of one model wait for each other in a busy loop. On a machine whose cores are taken, by a trainer or by other
jobs, each wait lasts until the scheduler gives the last of them a core: several threads are then slower than one, and
use several times the CPU time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

#: seconds for which a count of free cores is used again
_FRESH = 1.0
#: when the free cores were counted last, and how many there were
_last: tuple[float, int | None] = (-_FRESH, None)


@contextmanager
def free_cores_only() -> Iterator[None]:
    """Let torch use at most the free cores inside this block, and as many threads as before after it.

    The caller's setting (`torch.set_num_threads`, OMP_NUM_THREADS) is the upper limit.
    """
    before = torch.get_num_threads()
    free = _recent_free_cores() if before > 1 else None
    if free is None or free >= before:
        yield
        return
    torch.set_num_threads(free)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def free_cores() -> int | None:
    """Return how many cores other processes leave free at this moment, at least 1; None if the system does not say.

    Linux counts the runnable threads of the whole machine in /proc/loadavg. Our own are not counted: threads of the
    last batch may still be waiting for more work.
    """
    try:
        running = int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[0])
        own = sum(_is_running(task) for task in Path("/proc/self/task").iterdir())
    except (OSError, ValueError, IndexError):
        return None
    return max(1, (os.cpu_count() or 1) - max(0, running - own))


def _is_running(task: Path) -> bool:
    try:
        state = (task / "stat").read_bytes()
    except OSError:  # the thread has ended
        return False
    return state[state.rindex(b")") + 2 :].startswith(b"R")


def _recent_free_cores() -> int | None:
    global _last
    now = time.monotonic()
    counted, free = _last
    if now - counted >= _FRESH:
        free = free_cores()
        _last = (now, free)
    return free
