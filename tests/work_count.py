"""Count the work of a function without a clock: its calls, Python's and C's."""

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
