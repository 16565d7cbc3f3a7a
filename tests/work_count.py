"""Count the work of a function without a clock: its calls, Python's and C's, its lines, the characters it reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls_of(function: Callable[..., Any], *arguments: Any) -> int:
    """Return how many calls a function makes, in Python and in C."""
    count = 0

    def see(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(see)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return count


def lines_of(function: Callable[..., Any], *arguments: Any) -> int:
    """Return how many lines of Python a function runs; each turn of a loop in a single line counts."""
    count = 0

    def see(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return see

    before = sys.gettrace()
    sys.settrace(see)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return count


class ReadText(str):
    """A text that counts the characters that are copied from it or searched in it.

    Attributes:
        read: the number so far.
    """

    read = 0

    def __getitem__(self, key: Any) -> str:
        found = super().__getitem__(key)
        self.read += len(found)
        return found

    def _searched(self, start: int, end: int | None) -> None:
        self.read += max(0, (len(self) if end is None else min(end, len(self))) - start)

    def find(self, part: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        """Search, and count the characters in question: the most that a search can read."""
        self._searched(start, end)
        return super().find(part, start, end)

    def rfind(self, part: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        """Search from the end, and count the characters in question."""
        self._searched(start, end)
        return super().rfind(part, start, end)
