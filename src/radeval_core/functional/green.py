"""Compute GREEN's numbers from counts and weights of errors and matched findings.

Ostmeier et al., GREEN, Findings of EMNLP 2024: equation 1, and the error count of tables 5 and 6. The weighted variant
is ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

#: weight that every candidate starts with: without it, all candidates that match nothing would score 0, whether they
#: state one false finding or ten
ON_TOPIC = 0.5
#: number of errors that halve the score: of two reports with the same share of errors, the one with more is worse
HALVING = 8


def green(matched: int, significant: int) -> float:
    """Return matched / (matched + clinically significant errors), or 0 if no finding is matched."""
    return matched / (matched + significant) if matched > 0 else 0.0


def error_count(significant: int, insignificant: int) -> int:
    """Return the number of all errors, which correlates best with radiologists' error counts in table 5."""
    return significant + insignificant


def weighted_green(matched: Sequence[float], errors: Sequence[float], lost: Sequence[float] = ()) -> float:
    """Return a variant of GREEN with each matched finding and each error counted by its clinical weight.

    The result is 1 if there are no errors, even if neither report states a finding. Without a match it is the smaller,
    the more and the graver the errors are.

    Args:
        matched: weight that each matched finding earns.
        errors: weight of each error.
        lost: weight that each matched finding loses by a vaguer description.
    """
    right = math.fsum(matched) + ON_TOPIC
    share = right / (right + math.fsum(errors) + math.fsum(lost))
    return share / (1 + len(errors) / HALVING)
