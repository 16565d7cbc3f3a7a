"""Lowers the reward of completions that are much longer, or much shorter, than their reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core.errors import InputError

#: a reference counts as at least this many words, so that one word more than "Normal." costs nothing
_FEWEST_WORDS = 10


@dataclass(frozen=True)
class LengthGuard:
    """Factors from 0 to 1 by which rewards are multiplied. Lengths are words between spaces.

    A reference of `r` words counts as max(r, 10); of several references the longest counts. A completion of `c` words:

    - longer than `longest` times the reference: factor = longest · max(r, 10) / c;
    - shorter than `shortest` times the reference: factor = c / (shortest · r), so an empty completion gets 0;
    - else: factor = 1.

    Attributes:
        longest: how many times as long as its reference a completion may be; at least 1; None for no limit.
        shortest: the share of its reference's length that a completion must have; 0 to 1; 0 for no limit.
    """

    longest: float | None = 2.0
    shortest: float = 0.0

    def __post_init__(self) -> None:
        if self.longest is not None:
            _check("longest", self.longest, 1.0, math.inf, "at least 1, or None")
        _check("shortest", self.shortest, 0.0, 1.0, "from 0 to 1")

    def factor(self, completion: str, references: Sequence[str]) -> float:
        """Return the factor of a completion."""
        words = len(completion.split())
        expected = max(len(reference.split()) for reference in references)
        if self.longest is not None and words > (most := self.longest * max(expected, _FEWEST_WORDS)):
            return most / words
        fewest = self.shortest * expected
        return words / fewest if words < fewest else 1.0


def read_guard(value: Any) -> LengthGuard | None:
    """Return the guard that a user asks for: a number is `longest`; None is no guard."""
    if value is None or isinstance(value, LengthGuard):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(
            f"length_guard must be a number, LengthGuard(longest=2, shortest=0.5) or None, got {type(value).__name__}"
        )
    return LengthGuard(float(value))


def _check(name: str, value: Any, low: float, high: float, expected: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high or value == math.inf:
        raise InputError(f"{name} of the length guard must be {expected}, got {value!r}")
