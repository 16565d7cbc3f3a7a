"""Count the common elements of every corpus report and every test report, in blocks of test reports.

A report is one or more sets of elements (statements, labels, n-grams). For a corpus report we keep only the elements
that some test report has, and the total number of elements. No other element can match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: the sets of one report
Sets = Sequence[Iterable[Hashable]]
#: numbers per block, to bound memory
BLOCK = 2_000_000


@dataclass(frozen=True)
class Overlap:
    """A block of test reports against the whole corpus, for one set of each report.

    Attributes:
        common: number of common elements, one row per test report, one column per corpus report.
        references: number of elements of each test report, as a column.
        corpus: number of elements of each corpus report, as a row.
    """

    common: Array
    references: Array
    corpus: Array


class SetIndex:
    """The sets of test reports and corpus reports as sparse matrices.

    Args:
        references: the sets of each test report.
        corpus: the sets of each corpus report.
        merge: use one column for all corpus reports with the same key (and so the same values).

    Attributes:
        first: index of the corpus report of each column: the first with its key.
    """

    def __init__(self, references: Iterable[Sets], corpus: Iterable[Sets], merge: bool = True) -> None:
        rows = [[set(one) for one in sets] for sets in references]
        families = len(rows[0])
        vocabularies: list[dict[Hashable, int]] = [{} for _ in range(families)]
        for sets in rows:
            for vocabulary, one in zip(vocabularies, sets, strict=True):
                for element in one:
                    vocabulary.setdefault(element, len(vocabulary))
        self.first: list[int] = []
        columns: list[tuple[tuple[bytes, int], ...]] = []
        seen: set[tuple[tuple[bytes, int], ...]] = set()
        for number, report in enumerate(corpus):
            key = tuple(_packed(v, set(one)) for v, one in zip(vocabularies, report, strict=True))
            if not merge or key not in seen:
                seen.add(key)
                columns.append(key)
                self.first.append(number)
        self._references = [
            _matrix([_packed(v, sets[i])[0] for sets in rows], len(v)) for i, v in enumerate(vocabularies)
        ]
        self._corpus = [_matrix([key[i][0] for key in columns], len(v)).T.tocsr() for i, v in enumerate(vocabularies)]
        self._reference_sizes = [np.array([[len(sets[i])] for sets in rows], dtype=float) for i in range(families)]
        self._corpus_sizes = [np.array([[key[i][1] for key in columns]], dtype=float) for i in range(families)]

    def blocks(self) -> Iterator[tuple[slice, list[Overlap]]]:
        """Yield blocks of test reports, each with one overlap per set."""
        height = max(1, BLOCK // len(self.first))
        for start in range(0, self._references[0].shape[0], height):
            rows = slice(start, start + height)
            sides = zip(self._references, self._corpus, self._reference_sizes, self._corpus_sizes, strict=True)
            yield (
                rows,
                [
                    Overlap((ours[rows] @ theirs).toarray().astype(np.float64), our_sizes[rows], their_sizes)
                    for ours, theirs, our_sizes, their_sizes in sides
                ],
            )


def counted(elements: Iterable[Hashable]) -> list[Hashable]:
    """Turn a bag into a set of numbered elements: if two bags have an element a and b times, they share min(a, b)."""
    return [(element, i) for element, count in Counter(elements).items() for i in range(count)]


def ngrams(tokens: Sequence[str], order: int) -> list[Hashable]:
    """Return the n-grams of a text as a set of numbered elements."""
    return counted(zip(*(tokens[i:] for i in range(order)), strict=False))


Formula = Callable[[list[Overlap]], Array]


def set_f1(overlaps: list[Overlap], none: float = 0.0) -> Array:
    """Return the F1 of two sets, 2·common / (sum of sizes); `none` if both are empty."""
    (o,) = overlaps
    total = o.references + o.corpus
    return np.where(total > 0, 2 * o.common / np.maximum(total, 1), none)


def rouge_f1(overlaps: list[Overlap]) -> Array:
    """Return F1 from precision and recall, in rouge-score's order of operations."""
    (o,) = overlaps
    precision, recall = o.common / np.maximum(o.corpus, 1), o.common / np.maximum(o.references, 1)
    return 2 * precision * recall / np.where(o.common > 0, precision + recall, 1)


def sacrebleu_value(overlaps: list[Overlap]) -> Array:
    """Return BLEU from 0 to 1, with one overlap per n-gram order, exponential smoothing and effective order."""
    first = overlaps[0]
    smooth, logs = np.ones_like(first.common), np.zeros_like(first.common)
    orders = np.zeros_like(first.corpus)
    for o in overlaps:
        there = o.corpus > 0
        missed = (o.common == 0) & there
        smooth = np.where(missed, 2 * smooth, smooth)
        matched = np.where(missed, 1 / smooth, np.maximum(o.common, 1))
        logs += np.where(there, np.log(matched / np.maximum(o.corpus, 1)), 0)
        orders += there
    length = np.maximum(first.corpus, 1)
    brevity = np.exp(np.minimum(0, 1 - first.references / length))
    value = brevity * np.exp(logs / np.maximum(orders, 1))
    return np.where(first.common > 0, np.minimum(value, 1), 0)


def radcliq_bleu2_value(overlaps: list[Overlap]) -> Array:
    """Return RadCliQ's BLEU-2, where no common bigram counts as 0.1 bigrams."""
    one, two = overlaps
    bigrams = np.where(two.common > 0, two.common, 0.1) / np.maximum(two.corpus, 1)
    length = np.maximum(one.corpus, 1)
    brevity = np.exp(np.minimum(0, 1 - one.references / length))
    return np.where(one.common > 0, brevity * np.sqrt(one.common / length * bigrams), 0)


def _packed(vocabulary: dict[Hashable, int], elements: set[Hashable]) -> tuple[bytes, int]:
    """Return the numbers of the known elements as bytes, and the total number of elements."""
    numbers = sorted(vocabulary[e] for e in elements if e in vocabulary)
    return np.array(numbers, dtype=np.int32).tobytes(), len(elements)


def _matrix(rows: Sequence[bytes], width: int) -> Any:
    """Turn rows of packed element numbers into a sparse matrix of ones."""
    from scipy.sparse import csr_array  # slow to import

    indices = np.frombuffer(b"".join(rows), dtype=np.int32)
    ends = np.cumsum([0, *(len(row) // indices.itemsize for row in rows)])
    return csr_array((np.ones(len(indices), dtype=np.float32), indices, ends), shape=(len(rows), max(width, 1)))
