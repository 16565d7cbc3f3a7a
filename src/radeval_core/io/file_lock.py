"""Locks between processes. The system releases a lock when its process ends, even by a crash."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from radeval_core.errors import RadevalError

#: seconds to wait for another process that changes a store
_PATIENCE = 60.0


@contextmanager
def file_lock(path: Path, mode: int = 0o666) -> Iterator[None]:
    """Hold the lock of a file, which is created if needed; wait while another process or thread holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, mode)
    try:
        _wait_for(handle)
        yield
    finally:
        os.close(handle)


def lock_now(handle: int) -> None:
    """Lock an open file, or raise an OSError if another process holds it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _wait_for(handle: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            lock_now(handle)
            return
        except OSError:
            if time.monotonic() > deadline:
                raise RadevalError("the store is locked by another process: try again later") from None
            time.sleep(0.01)
