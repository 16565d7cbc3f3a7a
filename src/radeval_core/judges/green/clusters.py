"""Pick representative error sentences: those nearest to the centre of the largest cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

Vectors = NDArray[np.float32]
MOST_CLUSTERS = 10
#: maximum number of sentences for the silhouette; its cost grows with the square of this number
_SILHOUETTE_SENTENCES = 2000


@dataclass(frozen=True)
class Representative:
    """A representative sentence, and how often it occurs."""

    text: str
    count: int


@dataclass(frozen=True)
class Clustered:
    """The clusters of a list of sentences.

    Attributes:
        clusters: number of clusters.
        largest: number of sentences in the largest cluster, including repeated ones.
        representatives: distinct sentences of the largest cluster, nearest to its centre first.
    """

    clusters: int
    largest: int
    representatives: tuple[Representative, ...]


def cluster(texts: Sequence[str], vectors: Vectors, most: int = 3) -> Clustered:
    """Cluster sentences and pick representatives of the largest cluster.

    Args:
        texts: the sentences, one per occurrence; their order does not matter.
        vectors: one unit vector per sentence.
        most: maximum number of representatives.
    """
    if not texts:
        return Clustered(0, 0, ())
    order = sorted(range(len(texts)), key=lambda i: texts[i])
    texts, vectors = [texts[i] for i in order], vectors[order]
    labels = _labels(texts, vectors)
    sizes = np.bincount(labels)
    members = np.flatnonzero(labels == int(sizes.argmax()))
    centre = vectors[members].mean(axis=0)
    distance = 1 - vectors[members] @ centre / max(float(np.linalg.norm(centre)), 1e-12)
    nearest = dict.fromkeys(texts[members[i]] for i in np.lexsort((members, distance.round(6))))
    counts = Counter(texts[i] for i in members)
    chosen = tuple(Representative(text, counts[text]) for text in list(nearest)[:most])
    return Clustered(len(sizes), int(sizes.max()), chosen)


def _labels(texts: Sequence[str], vectors: Vectors) -> NDArray[np.int64]:
    """Return the cluster of each sentence: k-means with the k from 2 to 10 that has the best silhouette."""
    distinct = len(set(texts))
    best, best_labels = -1.0, np.zeros(len(texts), dtype=np.int64)
    for k in range(2, min(distinct - 1, MOST_CLUSTERS) + 1):
        labels = KMeans(k, n_init=4, random_state=0).fit_predict(vectors)
        if len(set(labels.tolist())) < 2:
            continue
        sample = _SILHOUETTE_SENTENCES if len(texts) > _SILHOUETTE_SENTENCES else None
        score = float(silhouette_score(vectors, labels, sample_size=sample, random_state=0))
        if score > best:
            best, best_labels = score, labels.astype(np.int64)
    return best_labels
