"""Which of two candidate reports is better, by GREEN (section 4.3.2 of its paper): more is right, or fewer errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core.api import load
from radeval_core.errors import InputError, unknown_name

#: what decides, and whether more of it is better
RULES = {"green": True, "error_count": False}


@dataclass(frozen=True)
class Preference:
    """A choice between two candidates.

    Attributes:
        choice: `one`, `other`, `equal`, or None where a candidate could not be scored.
        scores: what decided, of both candidates.
        why: what is wrong with each, in words.
    """

    choice: str | None
    scores: tuple[float, float]
    why: tuple[str, str]


def prefer(
    reference: str, one: str, other: str, by: str = "green", config: str | None = None, **options: Any
) -> Preference:
    """Which of two candidates for a reference is better.

    Args:
        reference: the report to compare with.
        one: a candidate.
        other: another candidate.
        by: `green`, the higher score, which agrees best with experts (table 6), or `error_count`, the lower number
            of errors.
        config: a config of `green`, as in `load`.
        options: further arguments of `load`.
    """
    return prefer_all([reference], [one], [other], by, config, **options)[0]


def prefer_all(
    references: Sequence[str],
    ones: Sequence[str],
    others: Sequence[str],
    by: str = "green",
    config: str | None = None,
    **options: Any,
) -> list[Preference]:
    """The same for parallel lists: all pairs go to the judge together."""
    if by not in RULES:
        raise unknown_name("rule of preference", by, RULES)
    if not len(references) == len(ones) == len(others):
        raise InputError(
            f"references, ones and others must have the same length: got {len(references)}, {len(ones)}, {len(others)}"
        )
    result = load("green", config, **options).compute([*ones, *others], [*references, *references], detailed=True)
    values = result["scores"] if by == "green" else result["error_count_scores"]
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
