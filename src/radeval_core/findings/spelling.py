"""Correct misspelt long words: `pnuemothorax`, `consolodation`."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

#: shorter words are not corrected: they are too often real words (`injection`, `infection`)
SHORTEST = 10
#: maximum edit distance to a word of the lexicon
_SLIPS = 2


class Speller:
    """Finds the lexicon's word for a misspelt one.

    Args:
        vocabulary: correctly spelt words.

    Attributes:
        known: these words.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.known = frozenset(vocabulary)
        self._long: dict[str, list[str]] = {}
        for word in sorted(self.known):
            if len(word) >= SHORTEST - 1:
                self._long.setdefault(word[0], []).append(word)

    def correct(self, word: str) -> str:
        """Return the nearest word of the lexicon if it is close enough, else the word itself.

        Close enough is two edits, or one for words of fewer than 12 letters.
        """
        if len(word) < SHORTEST or len(word) > 40 or word in self.known or not word.isalpha():
            return word
        near = process.extractOne(word, self._long.get(word[0], ()), scorer=OSA.distance, score_cutoff=_SLIPS)
        return near[0] if near and near[1] <= (1 if len(word) < 12 else _SLIPS) else word
