"""Rewards for trainers that score one completion at a time and need a number for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from radeval_core.errors import InputError, RadevalError
from radeval_core.rewards.reward import Reward


class UnscoredError(RadevalError):
    """A completion has no reward, and the user has not said which number to use instead."""


def check_unscored(value: Any) -> float | None:
    """Return the number that the user chose for completions without a reward; None if none was chosen."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"unscored must be a number or None, got {value!r}")
    return float(value)


def rate_one(
    reward: Reward, completion: str, truth: Any, more: Any, unscored: float | None
) -> tuple[float, dict[str, float]]:
    """Return the reward of one completion, and the metrics' own values by name (NaN if unscored).

    Args:
        reward: the reward.
        completion: the generated report.
        truth: the reference, a text or a list of texts; or a mapping with the reference and the patient's context.
        more: further columns of the row; those with the names of context fields are read.
        unscored: the number for a completion without a reward; None raises an error.

    Raises:
        UnscoredError: there is no reward, and `unscored` is None.
    """
    columns = {key: [value] for key, value in more.items()} if isinstance(more, Mapping) else {}
    if isinstance(truth, Mapping):
        columns |= {str(key): [value] for key, value in truth.items()}
    else:
        columns[reward.reference_column] = [truth]
    rating = reward.rate([completion], columns)
    values = {name: math.nan if found[0] is None else found[0] for name, found in rating.values.items()}
    score = rating.rewards[0] if rating.rewards[0] is not None else unscored
    if score is None:
        raise UnscoredError(
            f"{reward.__name__} cannot score a completion, and this trainer needs a number for each: choose one with "
            "unscored=0.0, or leave out rows that cannot be scored"
        )
    return score, values
