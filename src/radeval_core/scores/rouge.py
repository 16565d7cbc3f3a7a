"""The longest common subsequence behind ROUGE-L, in time that long reports can afford.

Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004, section 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence


def lcs_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence.

    Bit-parallel (Hyyrö, Bit-parallel LCS-length computation revisited, 2004): one long integer holds a whole row of the
    usual table, so two reports of 16,000 words take a fraction of a second instead of minutes and gigabytes.
    """
    places: defaultdict[Hashable, int] = defaultdict(int)
    for i, token in enumerate(left):
        places[token] |= 1 << i
    whole = (1 << len(left)) - 1
    row = whole
    for token in right:
        matches = row & places.get(token, 0)
        row = ((row + matches) | (row - matches)) & whole
    return len(left) - row.bit_count()


def lcs_precision_recall_f1(
    prediction: Sequence[Hashable], reference: Sequence[Hashable]
) -> tuple[float, float, float]:
    """ROUGE-L of two tokenised texts; 0 where either has no token."""
    if not prediction or not reference:
        return 0.0, 0.0, 0.0
    common = lcs_length(reference, prediction)
    precision, recall = common / len(prediction), common / len(reference)
    return precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0
