"""Find the kinds of errors in a pair, as a judge counted them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.corrections.types import CATEGORY_TITLES
from radeval_core.error_categories import CATEGORIES

#: metrics whose details name kinds of errors; the first that analysed a pair is used
JUDGES = ("green", "fineradscore")
#: the lowest severity of a correction that is actionable, so clinically significant
_ACTIONABLE = 2


@dataclass(frozen=True)
class ErrorCount:
    """Errors of one kind in a pair.

    Attributes:
        category: one of `CATEGORIES`.
        significant: their number that is clinically significant.
        insignificant: their number that is not.
    """

    category: str
    significant: int
    insignificant: int

    @property
    def tokens(self) -> Iterator[str]:
        """Yield the words the page filters by."""
        yield self.category
        if self.significant:
            yield f"significant-{self.category}"


def find_errors(details: Mapping[str, Any]) -> list[ErrorCount]:
    """Return the kinds of errors of a pair, in the order of the papers; empty if no judge analysed it."""
    counts = _green(details.get("green") or {}) or _fineradscore(details.get("fineradscore") or {})
    return [ErrorCount(category, *counts[category]) for category in CATEGORIES if any(counts.get(category, ()))]


def _green(detail: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    sides = [detail.get(kind) or {} for kind in ("significant", "insignificant")]
    first, second = ({category: side.get(category, {}).get("count", 0) for category in CATEGORIES} for side in sides)
    return {category: (first[category], second[category]) for category in CATEGORIES} if "matched" in detail else {}


def _fineradscore(detail: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    counts = dict.fromkeys(CATEGORIES, (0, 0))
    for correction in detail.get("corrections") or ():
        for title in correction["category"]:
            category = CATEGORIES[CATEGORY_TITLES.index(title)]
            serious, other = counts[category]
            actionable = correction["severity"] >= _ACTIONABLE
            counts[category] = (serious + actionable, other + (not actionable))
    return counts
