"""Find the kinds of errors in a pair, as a judge counted them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.corrections.types import CATEGORY_TITLES
from radeval_core.error_categories import (
    CATEGORIES,
    FALSE_COMPARISON,
    FALSE_FINDING,
    MISSING_FINDING,
    WRONG_LOCATION,
    WRONG_SEVERITY,
)

#: metrics whose details name kinds of errors; the first that analysed a pair is used
JUDGES = ("green", "fineradscore", "crimson")
#: the lowest severity of a correction that is actionable, so clinically significant
_ACTIONABLE = 2
#: the lowest weight of a false or missing finding of CRIMSON that is actionable
_ACTIONABLE_WEIGHT = 0.5
#: the category of each type of CRIMSON's attribute errors; the others are errors of degree
_ATTRIBUTES = {"location": WRONG_LOCATION, "temporal": FALSE_COMPARISON}


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
    counts = (
        _green(details.get("green") or {})
        or _fineradscore(details.get("fineradscore") or {})
        or _crimson(details.get("crimson") or {})
    )
    return [ErrorCount(category, *counts[category]) for category in CATEGORIES if any(counts.get(category, ()))]


def _green(detail: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    sides = [detail.get(kind) or {} for kind in ("significant", "insignificant")]
    first, second = ({category: side.get(category, {}).get("count", 0) for category in CATEGORIES} for side in sides)
    return {category: (first[category], second[category]) for category in CATEGORIES} if "matched" in detail else {}


def _fineradscore(detail: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    corrections = detail.get("corrections")
    if corrections is None:
        return {}
    return _counted(
        (CATEGORIES[CATEGORY_TITLES.index(title)], correction["severity"] >= _ACTIONABLE)
        for correction in corrections
        for title in correction["category"]
    )


def _crimson(detail: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    found: list[tuple[str, bool]] = []
    for category, kind, side in (
        (FALSE_FINDING, "false_findings", "prediction_findings"),
        (MISSING_FINDING, "missing_findings", "reference_findings"),
    ):
        weights = {finding["id"]: finding["weight"] for finding in detail.get(side, ())}
        found += [(category, weights.get(name, 0.0) >= _ACTIONABLE_WEIGHT) for name in detail.get(kind, ())]
    for error in detail.get("attribute_errors", ()):
        kinds = {_ATTRIBUTES.get(name, WRONG_SEVERITY) for name in error["types"]}
        found += [(category, error["severity"] == "significant") for category in sorted(kinds)]
    return _counted(found)


def _counted(found: Iterable[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    """Return how many errors of each category are significant, and how many are not."""
    counts = Counter(found)
    return {category: (counts[category, True], counts[category, False]) for category in CATEGORIES}
