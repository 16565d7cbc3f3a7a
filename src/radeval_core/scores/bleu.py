"""BLEU-2 as RadCliQ computes it. BLEU itself is sacrebleu's.

Yu et al., Evaluating progress in automatic chest X-ray radiology report generation, Patterns 2023.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

#: what stands in for a bigram count of zero
_SMOOTHED_ZERO = 0.1


def radcliq_tokens(text: str) -> list[str]:
    """Lower case, periods set apart, split on single spaces."""
    return text.lower().replace(".", " .").split(" ")


def radcliq_bleu2(prediction: str, references: Sequence[str]) -> float:
    """Sentence BLEU with equal weights on unigrams and bigrams, 0 to 1.

    No unigram in common gives 0; no bigram in common counts as 0.1 of one. The reference length is the one nearest to
    the prediction's, the shorter of two equally near.
    """
    if not prediction.strip() or not any(r.strip() for r in references):
        return 0.0
    hypothesis = radcliq_tokens(prediction)
    targets = [radcliq_tokens(r) for r in references]
    precisions = []
    for order in (1, 2):
        counts = _ngrams(hypothesis, order)
        ceiling: Counter[tuple[str, ...]] = Counter()
        for target in targets:
            ceiling |= _ngrams(target, order)
        matched: float = sum((counts & ceiling).values())
        if matched == 0:
            if order == 1:
                return 0.0
            matched = _SMOOTHED_ZERO
        precisions.append(matched / max(1, sum(counts.values())))
    length = len(hypothesis)
    nearest = min((abs(len(t) - length), len(t)) for t in targets)[1]
    brevity = 1.0 if length > nearest else math.exp(1 - nearest / length)
    return brevity * math.sqrt(precisions[0] * precisions[1])


def _ngrams(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[i:] for i in range(order)), strict=False))
