"""Choose between two candidate reports by GREEN (section 4.3.2 of its paper).

The higher score decides, or the fewer errors, or with the embedded judge the higher weighted score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from radeval_core.errors import InputError, unknown_name

#: the value that decides, and whether a higher one is better
RULES = {"green": True, "error_count": False, "weighted": True}


@dataclass(frozen=True)
class Preference:
    """A choice between two candidates.

    Attributes:
        choice: `one`, `other`, `equal`, or None if a candidate could not be scored.
        scores: the deciding score of each candidate.
        why: what is wrong with each, in words.
    """

    choice: str | None
    scores: tuple[float, float]
    why: tuple[str, str]


class Green(Protocol):
    """A loaded `green`: `radeval_core.load("green")`."""

    def compute(self, predictions: Sequence[str], references: Sequence[str], detailed: bool) -> dict[str, Any]:
        """Score parallel lists."""


def prefer(green: Green, reference: str, one: str, other: str, by: str = "green") -> Preference:
    """Return which of two candidates for a reference is better.

    Args:
        green: the loaded metric, `radeval_core.load("green")`, in any config.
        reference: the report to compare with.
        one: a candidate.
        other: another candidate.
        by: `green`, the higher score, which the paper uses (table 6); `error_count`, the lower number of errors; or
            `weighted`, the higher score with clinical weights, which agrees best with radiologists on RadPref. Only the
            embedded judge gives weights.
    """
    return prefer_all(green, [reference], [one], [other], by)[0]


def prefer_all(
    green: Green, references: Sequence[str], ones: Sequence[str], others: Sequence[str], by: str = "green"
) -> list[Preference]:
    """Return the preference of each row of parallel lists: all pairs go to the judge together."""
    if by not in RULES:
        raise unknown_name("rule of preference", by, RULES)
    if not len(references) == len(ones) == len(others):
        raise InputError(
            f"references, ones and others must have the same length: got {len(references)}, {len(ones)}, {len(others)}"
        )
    result = green.compute([*ones, *others], [*references, *references], detailed=True)
    if by not in ("green", *result):
        raise InputError(f"a model gives no weights: use by='green' or by='error_count', not by={by!r}")
    values = result["scores" if by == "green" else f"{by}_scores"]
    details = [detail.get("explanation") or detail["reason"] for detail in result["details"]]
    n = len(references)
    return [
        Preference(
            _choice(values[i], values[n + i], RULES[by]), (values[i], values[n + i]), (details[i], details[n + i])
        )
        for i in range(n)
    ]


def _choice(one: float, other: float, higher_is_better: bool) -> str | None:
    if math.isnan(one) or math.isnan(other):
        return None
    if math.isclose(one, other, abs_tol=1e-9):
        return "equal"
    return "one" if (one > other) == higher_is_better else "other"
