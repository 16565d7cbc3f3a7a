"""Find the most similar other text of a corpus by exact search, in blocks that keep memory bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError

#: function from texts to vectors, one row per text
Encoder = Callable[[Sequence[str]], NDArray[np.floating[Any]]]
#: similarities in memory at once: 64 MB of float32
_AT_ONCE = 2**24


def most_similar(texts: Sequence[str], wanted: Sequence[int], encode: Encoder | None = None) -> Iterator[int | None]:
    """Yield, for each wanted text, the index of the other text nearest by cosine; the first one if several tie.

    Args:
        texts: the corpus, all different.
        wanted: indices of the texts to search for.
        encode: function from texts to vectors; by default TF-IDF of words and word pairs.

    Yields:
        An index, or None if no other text is similar at all.
    """
    for similar in _similarities(texts, wanted, encode):
        for row in similar:
            place = row.argmax()
            yield int(place) if row[place] > 0 else None


def most_similar_several(texts: Sequence[str], wanted: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield, for each wanted text, the indices of the other texts nearest by TF-IDF, at most `most`, in order."""
    for similar in _similarities(texts, wanted, None):
        for row in similar:
            nearest = np.argsort(-row, kind="stable")[:most]
            yield sorted(int(place) for place in nearest if row[place] > 0)


def _similarities(texts: Sequence[str], wanted: Sequence[int], encode: Encoder | None) -> Iterator[NDArray[Any]]:
    """Yield the similarities of the wanted texts with all texts, some rows at a time; -inf with the text itself."""
    if len(texts) < 2:
        raise InputError(f"similarity needs at least 2 different texts, got {len(texts)}")
    vectors: Any = _unit(texts, encode) if encode else _tfidf(texts)
    turned = vectors.T.tocsr() if encode is None else vectors.T
    size = max(1, _AT_ONCE // len(texts))
    for start in range(0, len(wanted), size):
        block = np.asarray(wanted[start : start + size])
        found = vectors[block] @ turned
        similar = found if encode else found.toarray()
        similar[np.arange(len(block)), block] = -np.inf
        yield similar


def _tfidf(texts: Sequence[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, dtype=np.float32).fit_transform(texts)
    except ValueError as error:
        raise InputError(f"the texts have no words to compare ({error})") from error


def _unit(texts: Sequence[str], encode: Encoder) -> NDArray[np.float32]:
    vectors = np.asarray(encode(texts), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise InputError(f"the encoder must return a finite vector for each of {len(texts)} texts, got {vectors.shape}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)
