"""CIDEr-D: common n-grams, weighted by how rare they are among the references.

Vedantam et al., CIDEr: Consensus-based Image Description Evaluation, CVPR 2015, section "CIDEr-D".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Ngram = tuple[str, ...]
ORDERS = 4
#: width of the Gaussian penalty on a difference in length, in words
_SIGMA = 6.0
_SCALE = 10.0
WORD = re.compile(r"[^\W_]+(?:[.'’\-/][^\W_]+)*")


def words(text: str) -> list[str]:
    """Return the words in lower case; drop punctuation, as the caption toolkits do."""
    return WORD.findall(text.lower())


def count_ngrams(text: str) -> Counter[Ngram]:
    """Return the counts of all n-grams of a text, up to four words."""
    tokens = words(text)
    counts: Counter[Ngram] = Counter()
    for order in range(1, ORDERS + 1):
        counts.update(zip(*(tokens[i:] for i in range(order)), strict=False))
    return counts


class DocumentFrequencies:
    """The number of documents that contain each n-gram; a document is one report, or all references of one pair."""

    def __init__(self) -> None:
        self.documents = 0
        self.counts: Counter[Ngram] = Counter()

    def add(self, texts: Iterable[str]) -> None:
        """Count one document, made of one or several texts."""
        self.documents += 1
        self.counts.update({ngram for text in texts for ngram in count_ngrams(text)})

    def weight(self, ngram: Ngram) -> float:
        """Return log(N / df); df is at least 1, even if no document contains the n-gram."""
        return math.log(self.documents / max(1, self.counts[ngram]))


@dataclass(frozen=True)
class NgramVectors:
    """A text as four tf-idf vectors, one per n-gram length.

    Attributes:
        weights: per length, the weight of each n-gram.
        norms: per length, the Euclidean norm of the weights.
        length: number of words.
    """

    weights: tuple[dict[Ngram, float], ...]
    norms: tuple[float, ...]
    length: int


def ngram_vectors(text: str, frequencies: DocumentFrequencies) -> NgramVectors:
    """Return the tf-idf vectors of a text."""
    weights: tuple[dict[Ngram, float], ...] = tuple({} for _ in range(ORDERS))
    length = 0
    for ngram, count in count_ngrams(text).items():
        weights[len(ngram) - 1][ngram] = count * frequencies.weight(ngram)
        length += count if len(ngram) == 1 else 0
    return NgramVectors(weights, tuple(math.sqrt(sum(w * w for w in v.values())) for v in weights), length)


def cider_d(prediction: NgramVectors, references: Sequence[NgramVectors]) -> float:
    """Return the score of one prediction, from 0 to 10: the mean over references and n-gram lengths."""
    return _SCALE * sum(_similarity(prediction, r) for r in references) / (len(references) * ORDERS)


def self_score(text: NgramVectors) -> float:
    """Return the score of a text with itself: 10, less a quarter for each n-gram length without weight.

    A length has no weight if the text has fewer words, or if every document contains all its n-grams of that length.
    """
    return _SCALE * sum(norm > 0 for norm in text.norms) / ORDERS


def _similarity(prediction: NgramVectors, reference: NgramVectors) -> float:
    """Return the sum of clipped cosines over n-gram lengths, times the length penalty."""
    total = 0.0
    for mine, theirs, norm, their_norm in zip(
        prediction.weights, reference.weights, prediction.norms, reference.norms, strict=True
    ):
        if norm and their_norm:
            shared = sum(min(w, theirs[ngram]) * theirs[ngram] for ngram, w in mine.items() if ngram in theirs)
            total += shared / (norm * their_norm)
    return total * length_penalty(prediction.length, reference.length)


def length_penalty(prediction: int, reference: int) -> float:
    """Return the factor for a difference in length, given the number of words of both texts."""
    gap = prediction - reference
    return math.exp(-(gap**2) / (2 * _SIGMA**2))
