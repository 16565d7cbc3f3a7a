"""Slips of spelling in long words: `pnuemothorax`, `consolodation`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

#: shorter words are too easily other words (`injection`, `infection`)
SHORTEST = 10
_SLIPS = 2


class Speller:
    """Finds the lexicon's word for a misspelt one.

    Args:
        vocabulary: words that are spelt right.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._known = frozenset(vocabulary)
        self._long: dict[str, list[str]] = {}
        for word in sorted(self._known):
            if len(word) >= SHORTEST - 1:
                self._long.setdefault(word[0], []).append(word)
        self.correct = lru_cache(maxsize=20_000)(self._correct)

    def _correct(self, word: str) -> str:
        """The word itself, or the one word of the lexicon that is two slips away at most."""
        if len(word) < SHORTEST or len(word) > 40 or word in self._known or not word.isalpha():
            return word
        near = process.extractOne(word, self._long.get(word[0], ()), scorer=OSA.distance, score_cutoff=_SLIPS)
        return near[0] if near and near[1] <= (1 if len(word) < 12 else _SLIPS) else word
