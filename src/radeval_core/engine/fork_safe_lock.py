"""A lock for objects that threads share, that can be copied, and that survives a fork."""

from __future__ import annotations

import os
from threading import Lock
from types import TracebackType
from weakref import WeakSet


class ForkSafeLock:
    """A lock that is free in a forked process, and that copies and pickles as a new lock.

    A plain lock that another thread of the parent holds during the fork stays locked in the child for good: the thread
    that would release it does not exist there.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[ForkSafeLock], tuple[()]]:
        return ForkSafeLock, ()

    def renew(self) -> None:
        """Forget who holds the lock: only for a process that was just forked."""
        self._lock = Lock()


_LOCKS: WeakSet[ForkSafeLock] = WeakSet()


def _after_fork() -> None:
    for lock in list(_LOCKS):
        lock.renew()


if hasattr(os, "register_at_fork"):  # not on Windows, which starts every process anew
    os.register_at_fork(after_in_child=_after_fork)
