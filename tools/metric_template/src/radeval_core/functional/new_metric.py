"""Pure functions of `new_metric`: words of a report, and the overlap of two sets."""

from __future__ import annotations

import re


def words(text: str, punctuation: bool = True) -> set[str]:
    """Return the distinct words of a report in lower case, with or without its punctuation marks."""
    return set(re.findall(r"\w+|[^\w\s]" if punctuation else r"\w+", text.lower()))


def jaccard(one: set[str], other: set[str]) -> float:
    """Return the common elements as a share of all elements; 0 if there are none at all."""
    return len(one & other) / len(one | other) if one | other else 0.0
