"""Compute GREEN's numbers from counts and weights of errors and matched findings.

Ostmeier et al., GREEN, Findings of EMNLP 2024: equation 1, and the error count of tables 5 and 6. The weighted variant
is ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

#: bonus weight for a candidate with at least one matched finding. It makes the number of errors matter more when there
#: is only one match, as it does for radiologists: Kendall's tau with their error counts rises from 0.69 to 0.72
#: (RadPref).
ON_TOPIC = 0.5


def green(matched: int, significant: int) -> float:
    """Return matched / (matched + clinically significant errors), or 0 if no finding is matched."""
    return matched / (matched + significant) if matched > 0 else 0.0


def error_count(significant: int, insignificant: int) -> int:
    """Return the number of all errors, which correlates best with radiologists' error counts in table 5."""
    return significant + insignificant


def weighted_green(matched: Sequence[float], errors: Sequence[float]) -> float:
    """Return a variant of GREEN with each matched finding and each error counted by its clinical weight.

    The result is 1 if there are no errors, even if neither report states a finding; 0 if there are errors and no match.
    """
    wrong = math.fsum(errors)
    if wrong == 0:
        return 1.0
    right = math.fsum(matched) + (ON_TOPIC if matched else 0.0)
    return right / (right + wrong)
