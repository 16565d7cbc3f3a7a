"""METEOR 1.5: align the words of two reports, count, and compute the score from the counts.

Formula, parameters, function words and the order of the counts are those of METEOR 1.5 for English (Denkowski and Lavie
2014; meteor-1.5.jar). Of its four ways to match words, this file has two: equal words and equal stems.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from radeval_core.functional.lower_case import lowered

#: ways to match words, with the weight of a match
MODULES = {"exact": 1.0, "stem": 0.6, "synonym": 0.8, "paraphrase": 0.6}
#: the counts of a pair: words, function words, then matches per module, each of prediction and reference
COUNTS = 4 + 4 * len(MODULES) + 3
_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
_CHUNKS, _MATCHES, _REFERENCE_MATCHES = range(COUNTS - 3, COUNTS)
_FUNCTION_WORDS = frozenset({
    "the", ",", ".", "to", "of", "and", "a", "in", "that", "for", '"', "is", "on", "'s", "it", "with", "was", "as",
    "said", "at", "he", "by", "be", "from", "have", "has", "are", "his", "but", "an", "this", "not", "i", "will",
    "’", "they", ")", "(", "who", "their", "had", "we", "which", "were", "been", "more", "or", "s", "its", "would",
    "about", "new", "one", "after", "you", ":", "also", "up", "when", "there", "than", "$", "all", "out", "her",
    "people", "she", "year", "two", "-", "can", "if", "last", "first", "“", "over", "other", "”", "into", "some",
    "what", "so", "no", "time", "years", "could", "?", "'t", "—", "'",
})  # fmt: skip
_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+|[^\w\s-]")
#: words of a report that are compared; the longest real reports have a few thousand
MAX_WORDS = 5_000
#: partial alignments that are kept while words are aligned, as in the original
_BEAM = 40
#: places in the reference that are tried for a word, besides the one after the last match
_NEAREST = 16


@dataclass(frozen=True, slots=True)
class WordMatch:
    """A word of the prediction and its match in the reference, by index; `module` is the way they match."""

    prediction: int
    reference: int
    module: int


def words(text: str) -> list[str]:
    """Return the words and punctuation marks of a report in lower case; a hyphen separates words."""
    return [word for word, _, _ in find_words(text)]


def find_words(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a report, each with start and end; letters whose lower case is longer stay as they are."""
    return [(found[0], *found.span()) for found in islice(_TOKEN.finditer(lowered(text)), MAX_WORDS)]


def align(prediction: Sequence[str], reference: Sequence[str]) -> list[WordMatch]:
    """Return the alignment with the most matches; among those, with the fewest chunks and the shortest distances.

    The search keeps the best partial alignments after each word, and tries only near places of frequent words.
    """
    places: dict[str, list[int]] = {}
    for j, word in enumerate(reference):
        places.setdefault(_stem(word), []).append(j)
    paths = [_START]
    for i, word in enumerate(prediction):
        where = places.get(_stem(word))
        if where:
            paths = _best(_steps(paths, i, _near(where, i), where), i)
    found = [WordMatch(i, j, int(prediction[i] != reference[j])) for i, j in _matches(paths[0])]
    return found[::-1]


def _near(where: list[int], i: int) -> list[int]:
    """Return the places nearest to a position."""
    if len(where) <= _NEAREST:
        return where
    middle = bisect_left(where, i)
    start = min(max(middle - _NEAREST // 2, 0), len(where) - _NEAREST)
    return where[start : start + _NEAREST]


#: a cost is one number, which compares faster than three: a match lowers it most, then a chunk raises it more than all
#: distances together (`MAX_WORDS` squared)
_MATCH, _CHUNK = 1 << 40, 1 << 26


class _Path(NamedTuple):
    """A partial alignment. It is a tuple because very many are made.

    Attributes:
        cost: see `_MATCH` and `_CHUNK`.
        used: the reference words in use, as bits.
        last: the last match: the indices of both words.
        before: the path before that match.
    """

    cost: int
    used: int
    last: tuple[int, int]
    before: _Path | None


_START = _Path(0, 0, (-2, -2), None)
#: the cost of a step, the path it continues, and the reference word it takes; -1 leaves the word out
_Step = tuple[int, _Path, int]


def _steps(paths: list[_Path], i: int, near: list[int], where: list[int]) -> list[_Step]:
    """Return what can be done with word `i` after each path: leave it out, or match it with a place."""
    found: list[_Step] = []
    for path in paths:
        cost, used, (last, place), _ = path
        found.append((cost, path, -1))
        follows = place + 1 if last == i - 1 else -1
        tried = near
        if follows >= 0 and follows not in near:
            at = bisect_left(where, follows)
            if at < len(where) and where[at] == follows:
                tried = [*near, follows]
        broken = cost - _MATCH + _CHUNK
        for j in tried:
            if not used >> j & 1:
                whole = cost - _MATCH if j == follows else broken
                found.append((whole + (j - i if j > i else i - j), path, j))
    return found


def _matches(path: _Path) -> Iterator[tuple[int, int]]:
    """Yield the matches of a path, the last one first."""
    while path.before is not None:
        yield path.last
        path = path.before


def _best(steps: list[_Step], i: int) -> list[_Path]:
    """Return the best alignments; of two with the same words in use and the same last match, the better one stays."""
    kept: dict[tuple[int, tuple[int, int]], _Path] = {}
    steps.sort(key=itemgetter(0))
    for cost, path, j in steps:
        taken = path if j < 0 else _Path(cost, path.used | 1 << j, (i, j), path)
        kept.setdefault((taken.used, taken.last), taken)
        if len(kept) == _BEAM:
            break
    return list(kept.values())


def count(prediction: Sequence[str], reference: Sequence[str], matches: Sequence[WordMatch]) -> NDArray[np.float64]:
    """Return the counts of a pair. A chunk is a run of matches in the same order without a gap."""
    counts = np.zeros(COUNTS)
    counts[0], counts[1] = len(prediction), len(reference)
    counts[2], counts[3] = (sum(word in _FUNCTION_WORDS for word in side) for side in (prediction, reference))
    for match in matches:
        sides = (prediction[match.prediction], reference[match.reference])
        for side, word in enumerate(sides):
            counts[4 + 4 * match.module + 2 * (word in _FUNCTION_WORDS) + side] += 1
    breaks = sum((b.prediction - a.prediction, b.reference - a.reference) != (1, 1) for a, b in pairwise(matches))
    counts[_CHUNKS] = breaks + 1 if matches else 0
    counts[_MATCHES] = counts[_REFERENCE_MATCHES] = len(matches)
    return without_perfect_chunk(counts)


def without_perfect_chunk(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the counts of a pair with no chunk if everything matches in order: it then costs nothing, in a sum too."""
    if counts[_CHUNKS] == 1 and counts[_MATCHES] == counts[0] and counts[_REFERENCE_MATCHES] == counts[1]:
        counts[_CHUNKS] = 0
    return counts


def meteor(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the score of counts, or of their sum over a corpus; leading axes are kept. No match gives 0."""
    lengths, function = counts[..., :2], counts[..., 2:4]
    weights = np.array(list(MODULES.values()))
    matched = counts[..., 4:_CHUNKS].reshape(
        *counts.shape[:-1], len(MODULES), 2, 2
    )  # module, content or function, side
    found = np.einsum("m,...mks,k->...s", weights, matched, np.array([_DELTA, 1 - _DELTA]))
    whole = _DELTA * (lengths - function) + (1 - _DELTA) * function
    share = np.divide(found, whole, out=np.zeros_like(found), where=whole > 0)
    precision, recall = share[..., 0], share[..., 1]
    mean = _ALPHA * precision + (1 - _ALPHA) * recall
    fmean = np.divide(precision * recall, mean, out=np.zeros_like(mean), where=mean > 0)
    pairs = (counts[..., _MATCHES] + counts[..., _REFERENCE_MATCHES]) / 2
    broken = np.divide(counts[..., _CHUNKS], pairs, out=np.zeros_like(pairs), where=pairs > 0)
    result: NDArray[np.float64] = fmean * (1 - _GAMMA * broken**_BETA)
    return result


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from nltk.stem.snowball import EnglishStemmer

    return EnglishStemmer()
