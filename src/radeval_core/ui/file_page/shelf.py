"""Keeps what each visitor is working on, in memory alone: a limited number of visits, each for a limited time.

Nothing is written to disk. A visit is dropped when its visitor leaves the page, asks for it, or does nothing for a
while; the oldest one is dropped if there are too many.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, Timer
from typing import Generic, TypeVar

T = TypeVar("T")
#: visits at once: one of the largest size takes about 30 MB
MOST_VISITS = 24
#: seconds after the last use at which a visit is dropped
MAX_AGE = 1800.0


class Shelf(Generic[T]):
    """Visits by a key that only the visitor has.

    Args:
        most: the largest number of visits.
        max_age: seconds after the last use at which a visit is dropped.
        clock: returns the time in seconds.
    """

    def __init__(
        self, most: int = MOST_VISITS, max_age: float = MAX_AGE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._max_age, self._clock = most, max_age, clock
        self._kept: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = Lock()
        self._timer: Timer | None = None

    def __len__(self) -> int:
        with self._lock:
            self._drop_old()
            return len(self._kept)

    def put(self, key: str, visit: T) -> None:
        """Keep a visit, in place of an earlier one with the same key."""
        with self._lock:
            self._kept[key] = (self._clock(), visit)
            self._kept.move_to_end(key)
            self._drop_old()
            self._watch()

    def get(self, key: str) -> T | None:
        """Return a visit, which counts as using it; None if it was dropped."""
        with self._lock:
            self._drop_old()
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept[key] = (self._clock(), found[1])
            self._kept.move_to_end(key)
            return found[1]

    def drop(self, key: str) -> None:
        """Forget a visit."""
        with self._lock:
            self._kept.pop(key, None)

    def _watch(self) -> None:
        """Look again later, so that visits are dropped also if nobody comes."""
        if self._kept and self._timer is None:
            self._timer = Timer(self._max_age / 10, self._look)
            self._timer.daemon = True
            self._timer.start()

    def _look(self) -> None:
        with self._lock:
            self._timer = None
            self._drop_old()
            self._watch()

    def _drop_old(self) -> None:
        now = self._clock()
        while self._kept:
            used, _ = next(iter(self._kept.values()))
            if len(self._kept) <= self._most and now - used <= self._max_age:
                return
            self._kept.popitem(last=False)
