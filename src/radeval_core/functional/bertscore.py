"""Compute BERTScore from the best match of every token: weighted means, rescaling, document frequencies.

Zhang et al., BERTScore: Evaluating Text Generation with BERT, ICLR 2020.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def weighted_mean(values: ArrayLike, weights: ArrayLike) -> float:
    """Return the weighted mean, or 0 if all weights are 0."""
    weights = np.asarray(weights, dtype=np.float64)
    total = weights.sum()
    return float(np.asarray(values, dtype=np.float64) @ weights / total) if total > 0 else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1, or 0 if the sum is not positive; cosines may be negative."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def precision_recall_f1(
    prediction_best: ArrayLike,
    prediction_weights: ArrayLike,
    reference_best: ArrayLike,
    reference_weights: ArrayLike,
    baseline: Sequence[float] | None = None,
) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one pair.

    Args:
        prediction_best: for each token of the prediction, its best cosine in the reference.
        prediction_weights: weight of each token of the prediction.
        reference_best: for each token of the reference, its best cosine in the prediction.
        reference_weights: weight of each token of the reference.
        baseline: precision, recall and F1 of unrelated texts, for rescaling; None for no rescaling.
    """
    # a cosine above 1 is an error of 32-bit rounding
    precision = weighted_mean(np.minimum(prediction_best, 1.0), prediction_weights)
    recall = weighted_mean(np.minimum(reference_best, 1.0), reference_weights)
    values = (precision, recall, harmonic_mean(precision, recall))
    if baseline is None:
        return values
    p, r, f = ((value - base) / (1 - base) for value, base in zip(values, baseline, strict=True))
    return p, r, f


def inverse_document_frequencies(documents: int, counts: Mapping[int, int]) -> dict[int, float]:
    """Return log((N + 1) / (documents with the token + 1)) for each token."""
    return {token: math.log((documents + 1) / (count + 1)) for token, count in counts.items()}


def count_documents(documents: Iterable[Iterable[int]]) -> Counter[int]:
    """Return the number of documents that contain each token."""
    counts: Counter[int] = Counter()
    for tokens in documents:
        counts.update(set(tokens))
    return counts


def token_weights(
    ids: NDArray[np.int32], special: set[int], idf: Mapping[int, float] | None, unseen: float
) -> NDArray[np.float64]:
    """Return the weight of each token: its inverse document frequency, or 1; special tokens have weight 0.

    Args:
        ids: token ids of one text.
        special: ids that never count.
        idf: inverse document frequencies, or None for equal weights.
        unseen: weight of a token that occurs in no document.
    """
    if idf is None:
        return np.array([0.0 if i in special else 1.0 for i in ids.tolist()])
    return np.array([0.0 if i in special else idf.get(i, unseen) for i in ids.tolist()])
