"""Exact search for the best corpus report: the metrics that support it, and how each one reads a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from radeval_core.bench.oracle_sets import (
    BLOCK,
    Array,
    Formula,
    Overlap,
    SetIndex,
    Sets,
    ngrams,
    radcliq_bleu2_value,
    rouge_f1,
    sacrebleu_value,
    set_f1,
)
from radeval_core.metrics.base import Scorer
from radeval_core.pairs import Pair, is_blank

if TYPE_CHECKING:
    from radeval_core.metrics.bleu import BleuScorer
    from radeval_core.metrics.chexbert_f1 import ChexbertScorer
    from radeval_core.metrics.radgraph_f1 import RadgraphF1Scorer
    from radeval_core.metrics.rouge import RougeScorer

#: number of reports annotated at once
CHUNK = 2048
#: largest rounding difference between a formula and the metric's own score
ROUNDING = 1e-9


@dataclass(frozen=True)
class Search:
    """A search for the best corpus report of each test report.

    Attributes:
        first: index of the corpus report of each column.
        blocks: yields slices of test reports with one value per test report and column, never below the score.
        slack: the largest rounding difference between value and score. None if the value is the score, to the last bit.
            Otherwise the metric itself scores the candidates, from the highest value down.
        check: returns the metric's own scores of one test report with some corpus reports, given by index.
        zero: True if a value of 0 means a score of 0.
    """

    first: Sequence[int]
    blocks: Callable[[], Iterator[tuple[slice, Array]]]
    slack: float | None
    check: Callable[[int, Sequence[int]], Array]
    zero: bool = True


def exact_values() -> list[str]:
    """Return the values that have an exact search, in the form of `--metric`."""
    return [name if name == key else f"{name}.{key}" for name, keys in _BUILDERS.items() for key in keys]


def exact_search(scorer: Scorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search | None:
    """Return the exact search for one value of a metric, or None if there is none.

    Args:
        scorer: the metric with its config.
        key: its name or one of its parts.
        references: distinct test reports.
        corpus: distinct corpus reports.
    """
    build = _BUILDERS.get(scorer.spec.name, {}).get(key)
    return build(scorer, key, references, corpus) if build else None


def metric_scores(
    scorer: Scorer, key: str, references: Sequence[str], corpus: Sequence[str], row: int, columns: Sequence[int]
) -> Array:
    """Return the metric's own scores of one test report with some corpus reports."""
    pairs = [Pair(corpus[i], (references[row],)) for i in columns]
    return scorer.score(pairs, False).values[key]


def _sets(
    scorer: Scorer,
    key: str,
    references: Sequence[str],
    corpus: Sequence[str],
    read: Callable[[Sequence[str]], Iterator[Sets]],
    formula: Formula,
    slack: float | None = None,
) -> Search:
    """Return a search over sets."""
    index = SetIndex(_chunked(references, read), _chunked(corpus, read))

    def blocks() -> Iterator[tuple[slice, Array]]:
        for rows, overlaps in index.blocks():
            yield rows, formula(overlaps)

    return Search(index.first, blocks, slack, partial(metric_scores, scorer, key, references, corpus))


def _chunked(texts: Sequence[str], read: Callable[[Sequence[str]], Iterator[Sets]]) -> Iterator[Sets]:
    rest = iter(texts)
    while chunk := list(islice(rest, CHUNK)):
        yield from read(chunk)


def _radgraph(scorer: RadgraphF1Scorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    from radeval_core.functional.radgraph import statements

    level = "partial" if key == "radgraph_f1" else key
    families = ("entities", "relations") if level == "combined" else (level,)

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        graphs = scorer.graphs(texts)
        for text in texts:
            sets = statements(graphs[text], scorer.chosen["lowercase"])
            yield [getattr(sets, family) for family in families]

    formula: Formula = set_f1 if len(families) == 1 else lambda both: (set_f1(both[:1]) + set_f1(both[1:])) / 2
    return _sets(scorer, key, references, corpus, read, formula)


def _chexbert(scorer: ChexbertScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    from radeval_core.functional.chexbert import is_positive

    as_positive = scorer.chosen["uncertain"] == "positive"

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        labels = scorer.annotate(texts)
        for text in texts:
            yield [np.flatnonzero(is_positive(labels[text].classes, as_positive)).tolist()]

    return _sets(scorer, key, references, corpus, read, partial(set_f1, none=1.0))


def _chexbert_similarity(scorer: ChexbertScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    """Search by cosine with dense matrix products. Corpus reports with the same vector share a column."""
    from radeval_core.functional.chexbert import cosine

    ours, theirs = _vectors(scorer, references), _vectors(scorer, corpus)
    seen: dict[bytes, int] = {}
    for number, vector in enumerate(theirs):
        seen.setdefault(vector.tobytes(), number)
    first = list(seen.values())
    columns = theirs[first].astype(np.float64)
    units = columns / np.maximum(np.linalg.norm(columns, axis=1, keepdims=True), 1e-300)
    nothing = ~columns.any(axis=1)

    def blocks() -> Iterator[tuple[slice, Array]]:
        height = max(1, BLOCK // len(first))
        for start in range(0, len(ours), height):
            rows = slice(start, start + height)
            block = ours[rows].astype(np.float64)
            lengths = np.linalg.norm(block, axis=1, keepdims=True)
            values = (block / np.maximum(lengths, 1e-300)) @ units.T
            values[np.ix_(lengths[:, 0] == 0, nothing)] = 1.0
            yield rows, np.clip(values, -1, 1)

    def check(row: int, chosen: Sequence[int]) -> Array:
        return np.array([cosine(theirs[i], ours[row]) for i in chosen])

    return Search(first, blocks, ROUNDING, check, zero=False)


def _vectors(scorer: ChexbertScorer, texts: Sequence[str]) -> NDArray[np.float32]:
    rows: list[NDArray[np.float32]] = []
    for start in range(0, len(texts), CHUNK):
        chunk = texts[start : start + CHUNK]
        labels = scorer.annotate(chunk)
        rows.append(np.array([labels[text].vector for text in chunk]))
    return np.concatenate(rows)


def _rouge_ngrams(scorer: RougeScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    from rouge_score.tokenizers import DefaultTokenizer

    tokenizer, order = DefaultTokenizer(scorer.chosen["stemmer"]), int(key[-1])

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        for text in texts:
            yield [ngrams(tokenizer.tokenize(text), order)]

    return _sets(scorer, key, references, corpus, read, rouge_f1)


def _rouge_l(scorer: RougeScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    """Search by the longest common subsequence, computed by rapidfuzz on texts with one character per word.

    A word that no test report has is in no common subsequence, so it only counts in the length of a report.
    """
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cdist
    from rouge_score.tokenizers import DefaultTokenizer

    tokenizer = DefaultTokenizer(scorer.chosen["stemmer"])
    ours = [tokenizer.tokenize(text) for text in references]
    letters = {word: _letter(i) for i, word in enumerate(dict.fromkeys(word for words in ours for word in words))}
    distinct: dict[tuple[str, int], int] = {}
    for number, text in enumerate(corpus):
        words = tokenizer.tokenize(text)
        distinct.setdefault(("".join(letters.get(word, "") for word in words), len(words)), number)
    written = ["".join(letters[word] for word in words) for words in ours]
    lengths = np.array([[len(words)] for words in ours], dtype=float)
    columns, widths = [text for text, _ in distinct], np.array([[n for _, n in distinct]], dtype=float)

    def blocks() -> Iterator[tuple[slice, Array]]:
        height = max(1, BLOCK // len(columns))
        for start in range(0, len(written), height):
            rows = slice(start, start + height)
            common = cdist(written[rows], columns, scorer=LCSseq.similarity, dtype=np.int32, workers=-1)
            yield rows, rouge_f1([Overlap(common.astype(np.float64), lengths[rows], widths)])

    check = partial(metric_scores, scorer, key, references, corpus)
    return Search(list(distinct.values()), blocks, None, check)


def _letter(number: int) -> str:
    """Return a different character for each number, skipping surrogates, which are not characters."""
    return chr(number if number < 0xD800 else number + 0x800)


def _bleu(scorer: BleuScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    from sacrebleu.metrics.bleu import BLEU

    order = 4 if key == "bleu" else int(key[-1])
    lowercase = scorer.chosen["lowercase"]
    tokenizer = BLEU(lowercase=lowercase, tokenize=scorer.chosen["tokenize"]).tokenizer

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        for text in texts:
            tokens = tokenizer((text.lower() if lowercase else text).rstrip()).split()
            yield [ngrams(tokens, n) for n in range(1, order + 1)]

    return _sets(scorer, key, references, corpus, read, sacrebleu_value, ROUNDING)


def _radcliq_bleu(scorer: BleuScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    from radeval_core.functional.bleu import radcliq_tokens

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        for text in texts:
            tokens = [] if is_blank(text) else radcliq_tokens(text)
            yield [ngrams(tokens, n) for n in (1, 2)]

    return _sets(scorer, key, references, corpus, read, radcliq_bleu2_value, ROUNDING)


_Builder = Callable[..., Search]
_BUILDERS: dict[str, dict[str, _Builder]] = {
    "bleu": {
        **{key: _bleu for key in ("bleu", "bleu_1", "bleu_2", "bleu_3", "bleu_4")},
        "bleu_2_radcliq": _radcliq_bleu,
    },
    "chexbert_f1": {"chexbert_f1": _chexbert, "similarity": _chexbert_similarity},
    "radgraph_f1": {key: _radgraph for key in ("radgraph_f1", "simple", "partial", "complete", "combined")},
    "rouge": {"rouge": _rouge_l, "rouge1": _rouge_ngrams, "rouge2": _rouge_ngrams, "rougeL": _rouge_l},
}
