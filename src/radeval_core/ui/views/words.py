"""Words of a report with their places, and which of them stand in n-grams that another report shares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from radeval_core.ui.views.marks import Mark

ORDERS = 4


class Word(NamedTuple):
    """A token as a metric compares it, and where it stands in the report."""

    token: str
    start: int
    end: int


def find_words(pattern: re.Pattern[str], report: str) -> list[Word]:
    """Every match of a pattern in the lower-cased report."""
    return [Word(found.group(), *found.span()) for found in pattern.finditer(lowered(report))]


def lowered(report: str) -> str:
    """Lower case, letter by letter: some letters have a longer lower case, which would move all places after them."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in report)


def place_tokens(tokens: Sequence[str], report: str) -> list[Word]:
    """Places of tokens that a tokeniser cut out of a report in order; a token it rewrote gets no place."""
    words, position = [], 0
    for token in tokens:
        while position < len(report) and report[position].isspace():
            position += 1
        if report.startswith(token, position):
            words.append(Word(token, position, position + len(token)))
            position += len(token)
        elif (found := report.find(token, position, position + len(token) + 8)) >= 0:
            words.append(Word(token, found, found + len(token)))
            position = found + len(token)
        else:
            words.append(Word(token, position, position))
    return words


def longest_shared(words: Sequence[Word], others: Sequence[Word]) -> list[int]:
    """For each word, the length of the longest n-gram around it that the other report also has; 0 if none.

    An n-gram that occurs more often here than there counts only as often as there, the first occurrences first.
    """
    longest = [0] * len(words)
    for order in range(1, ORDERS + 1):
        left = ngram_counts(others, order)
        for i in range(len(words) - order + 1):
            ngram = tuple(word.token for word in words[i : i + order])
            if left[ngram] > 0:
                left[ngram] -= 1
                longest[i : i + order] = [max(order, known) for known in longest[i : i + order]]
    return longest


def ngram_counts(words: Sequence[Word], order: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram of one length occurs."""
    return Counter(tuple(w.token for w in words[i : i + order]) for i in range(len(words) - order + 1))


def ngram_marks(words: Sequence[Word], others: Sequence[Word]) -> list[Mark]:
    """Runs of words whose longest shared n-gram has the same length, marked with that length."""
    placed = [(w, n) for w, n in zip(words, longest_shared(words, others), strict=True) if w.start < w.end]
    marks = []
    for order, run in groupby(placed, key=lambda pair: pair[1]):
        found = [word for word, _ in run]
        if order:
            marks.append(Mark(found[0].start, found[-1].end, f"ngram{order}", str(order)))
    return marks


def ngram_legend() -> tuple[tuple[str, str], ...]:
    """What the marks of n-grams mean."""
    names = ("one word", "two words", "three words", "four or more words in a row")
    return tuple((f"ngram{i + 1}", f"{i + 1}: {name} shared") for i, name in enumerate(names))
