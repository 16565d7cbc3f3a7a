"""ROUGE-L of two tokenised reports.

Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004, section 3.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rapidfuzz.distance import LCSseq


def lcs_precision_recall_f1(
    prediction: Sequence[Hashable], reference: Sequence[Hashable]
) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the longest common subsequence; 0 if either text has no token."""
    if not prediction or not reference:
        return 0.0, 0.0, 0.0
    common = LCSseq.similarity(reference, prediction)
    precision, recall = common / len(prediction), common / len(reference)
    return precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0
