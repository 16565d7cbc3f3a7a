"""BLEU-2 as RadCliQ computes it. The metric `bleu` uses sacrebleu.

Yu et al., Evaluating progress in automatic chest X-ray radiology report generation, Patterns 2023.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

#: replaces a bigram count of zero
_SMOOTHED_ZERO = 0.1


def radcliq_tokens(text: str) -> list[str]:
    """Return the tokens of a text: lower case, a space before each period, split at spaces.

    As in CXR-Report-Metric, only the space separates tokens: a line break or a tab stays inside a token.
    """
    return [token for token in text.lower().replace(".", " .").split(" ") if token]


def radcliq_bleu2(prediction: str, references: Sequence[str]) -> float:
    """Return sentence BLEU with equal weights on unigrams and bigrams, from 0 to 1.

    Without a common unigram the result is 0; without a common bigram the bigram count is 0.1. The reference length is
    the one nearest to the prediction's length, and the shorter of two equally near ones.
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
