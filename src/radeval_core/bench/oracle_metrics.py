"""The metrics whose best corpus report can be found exactly, and how each sees a report."""

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
from radeval_core.pairs import Pair, is_blank
from radeval_core.scorer import Scorer

if TYPE_CHECKING:
    from radeval_core.scorers.bleu import BleuScorer
    from radeval_core.scorers.chexbert_f1 import ChexbertScorer
    from radeval_core.scorers.radgraph_f1 import RadgraphF1Scorer
    from radeval_core.scorers.rouge import RougeScorer

#: reports annotated at once
CHUNK = 2048
#: how far a formula may be from the metric's own number by rounding
ROUNDING = 1e-9


@dataclass(frozen=True)
class Search:
    """How the best corpus report of each test report is looked for.

    Attributes:
        first: the corpus report each column stands for.
        blocks: a slice of test reports with a value for each of them and each column, never below the score.
        slack: how much above the score the value may be by rounding alone; None where the value *is* the score, to the
            last bit. Otherwise candidates are scored by the metric itself, from the highest value down.
        check: the metric's own scores of one test report with some corpus reports, by their numbers.
        zero: whether a value of 0 is a score of 0.
    """

    first: Sequence[int]
    blocks: Callable[[], Iterator[tuple[slice, Array]]]
    slack: float | None
    check: Callable[[int, Sequence[int]], Array]
    zero: bool = True


def exact_values() -> list[str]:
    """The values that are searched exactly, as `--metric` names them."""
    return [name if name == key else f"{name}.{key}" for name, keys in _BUILDERS.items() for key in keys]


def exact_search(scorer: Scorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search | None:
    """The exact search for one value of a metric, or None if there is none.

    Args:
        scorer: the metric under its config.
        key: its name or one of its parts.
        references: distinct test reports.
        corpus: distinct corpus reports.
    """
    build = _BUILDERS.get(scorer.spec.name, {}).get(key)
    return build(scorer, key, references, corpus) if build else None


def metric_scores(
    scorer: Scorer, key: str, references: Sequence[str], corpus: Sequence[str], row: int, columns: Sequence[int]
) -> Array:
    """What the metric itself says of one test report and some corpus reports."""
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
    """A search over sets."""
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
    from radeval_core.scores.radgraph import statements

    level = "partial" if key == "radgraph_f1" else key
    families = ("entities", "relations") if level == "combined" else (level,)

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        graphs = scorer.graphs(texts)
        for text in texts:
            said = statements(graphs[text], scorer.chosen["lowercase"])
            yield [getattr(said, family) for family in families]

    formula: Formula = set_f1 if len(families) == 1 else lambda both: (set_f1(both[:1]) + set_f1(both[1:])) / 2
    return _sets(scorer, key, references, corpus, read, formula)


def _chexbert(scorer: ChexbertScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    from radeval_core.scores.chexbert import is_positive

    as_positive = scorer.chosen["uncertain"] == "positive"

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        for reading, _ in scorer.readings([Pair(text, (text,)) for text in texts]):
            yield [np.flatnonzero(is_positive(reading.classes, as_positive)).tolist()]

    return _sets(scorer, key, references, corpus, read, partial(set_f1, none=1.0))


def _chexbert_similarity(scorer: ChexbertScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    """Cosines by dense products; corpus reports with the same vector kept once."""
    from radeval_core.scores.chexbert import cosine

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
        pairs = [Pair(text, (text,)) for text in texts[start : start + CHUNK]]
        rows.append(np.array([reading.vector for reading, _ in scorer.readings(pairs)]))
    return np.concatenate(rows)


def _rouge_ngrams(scorer: RougeScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    from rouge_score.tokenizers import DefaultTokenizer

    tokenizer, order = DefaultTokenizer(scorer.chosen["stemmer"]), int(key[-1])

    def read(texts: Sequence[str]) -> Iterator[Sets]:
        for text in texts:
            yield [ngrams(tokenizer.tokenize(text), order)]

    return _sets(scorer, key, references, corpus, read, rouge_f1)


def _rouge_l(scorer: RougeScorer, key: str, references: Sequence[str], corpus: Sequence[str]) -> Search:
    """Longest common subsequences of all pairs by rapidfuzz, which compares texts whose characters are our words.

    A word that no test report has is part of no common subsequence: only the length of a report remembers it.
    """
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cdist
    from rouge_score.tokenizers import DefaultTokenizer

    tokenizer = DefaultTokenizer(scorer.chosen["stemmer"])
    ours = [tokenizer.tokenize(text) for text in references]
    letters = {word: _letter(i) for i, word in enumerate(dict.fromkeys(word for words in ours for word in words))}
    looks: dict[tuple[str, int], int] = {}
    for number, text in enumerate(corpus):
        words = tokenizer.tokenize(text)
        looks.setdefault(("".join(letters.get(word, "") for word in words), len(words)), number)
    written = ["".join(letters[word] for word in words) for words in ours]
    lengths = np.array([[len(words)] for words in ours], dtype=float)
    columns, widths = [text for text, _ in looks], np.array([[n for _, n in looks]], dtype=float)

    def blocks() -> Iterator[tuple[slice, Array]]:
        height = max(1, BLOCK // len(columns))
        for start in range(0, len(written), height):
            rows = slice(start, start + height)
            common = cdist(written[rows], columns, scorer=LCSseq.similarity, dtype=np.int32, workers=-1)
            yield rows, rouge_f1([Overlap(common.astype(np.float64), lengths[rows], widths)])

    check = partial(metric_scores, scorer, key, references, corpus)
    return Search(list(looks.values()), blocks, None, check)


def _letter(number: int) -> str:
    """A character of its own for each number; surrogates are no characters."""
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
    from radeval_core.scores.bleu import radcliq_tokens

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
