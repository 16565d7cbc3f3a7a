"""Finds the words of a report with their positions, and the n-grams it shares with another report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from radeval_core.functional.lower_case import lowered
from radeval_core.ui.views.marks import Mark

ORDERS = 4


class Word(NamedTuple):
    """A token as a metric compares it, and its position in the report."""

    token: str
    start: int
    end: int


def find_words(pattern: re.Pattern[str], report: str) -> list[Word]:
    """Return every match of a pattern in the lower-cased report."""
    return [Word(found.group(), *found.span()) for found in pattern.finditer(lowered(report))]


def place_tokens(tokens: Sequence[str], report: str) -> list[Word]:
    """Find the positions of a tokeniser's tokens in a report; a token it rewrote gets an empty span."""
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
    """Return, per word, the length of the longest n-gram around it that the other report shares; 0 if none.

    An n-gram counts at most as often as the other report contains it; the first occurrences count.
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
    """Count the n-grams of one length."""
    return Counter(tuple(w.token for w in words[i : i + order]) for i in range(len(words) - order + 1))


def ngram_marks(words: Sequence[Word], others: Sequence[Word]) -> list[Mark]:
    """Mark runs of words whose longest shared n-gram has the same length with that length."""
    placed = [(w, n) for w, n in zip(words, longest_shared(words, others), strict=True) if w.start < w.end]
    marks = []
    for order, run in groupby(placed, key=lambda pair: pair[1]):
        found = [word for word, _ in run]
        if order:
            marks.append(Mark(found[0].start, found[-1].end, f"ngram{order}", str(order)))
    return marks


def ngram_legend() -> tuple[tuple[str, str], ...]:
    """Return the legend of the n-gram marks."""
    names = ("one word", "two words", "three words", "four or more words in a row")
    return tuple((f"ngram{i + 1}", f"{i + 1}: {name} shared") for i, name in enumerate(names))
