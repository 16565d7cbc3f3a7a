"""The most similar other text of a corpus, exactly, in blocks so that memory stays bounded whatever the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError

#: texts to vectors, a row a text
Encoder = Callable[[Sequence[str]], NDArray[np.floating[Any]]]
#: similarities held at once: 64 MB of float32
_AT_ONCE = 2**24


def most_similar(texts: Sequence[str], wanted: Sequence[int], encode: Encoder | None = None) -> Iterator[int | None]:
    """For each wanted text the place of the text nearest to it by cosine, never its own; the first of equals.

    Args:
        texts: the corpus, all different.
        wanted: places of the texts asked about, in the order of the answers.
        encode: texts to vectors; by default TF-IDF of words and pairs of words.

    Yields:
        A place; None where nothing is similar at all.
    """
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
        best = similar.argmax(axis=1)
        for row, place in enumerate(best):
            yield int(place) if similar[row, place] > 0 else None


def _tfidf(texts: Sequence[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, dtype=np.float32).fit_transform(texts)
    except ValueError as error:
        raise InputError(f"the texts have no words to compare them by ({error})") from error


def _unit(texts: Sequence[str], encode: Encoder) -> NDArray[np.float32]:
    vectors = np.asarray(encode(texts), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise InputError(f"the encoder must give a finite vector for each of {len(texts)} texts, got {vectors.shape}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)
