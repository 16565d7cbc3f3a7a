"""Replace words in a report; keep letter case, `a` or `an`, and the capital at the start of a sentence correct."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class Edit(NamedTuple):
    """New words for `text[start:end]`."""

    start: int
    end: int
    words: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text after applying edits that do not overlap."""
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return text


def insert(text: str, position: int, words: str) -> Edit:
    """Return an edit that inserts words before `position`; at a sentence start the first new word takes the capital."""
    first = WORD.match(text, position)
    end = first.end() if first else position
    return replace(text, position, end, words + _uncapitalised(text[position:end]))


def replace(text: str, start: int, end: int, words: str) -> Edit:
    """Return an edit that replaces `text[start:end]`: same letter case, `a` or `an` before it corrected.

    If there are no new words, the next word takes over the capital.
    """
    if not words and (following := WORD.match(text, end)):
        words, end = following.group(), following.end()
    words = cased(text, start, words)
    article = re.search(r"\b(an?)(\s+)$", text[:start], re.I)
    if article and words[:1].isalpha() and (article.group(1).lower() == "an") != (words[0].lower() in "aeiou"):
        right = "an" if words[0].lower() in "aeiou" else "a"
        return Edit(article.start(), end, cased(text, article.start(), right) + article.group(2) + words)
    return Edit(start, end, words)


def cased(text: str, start: int, words: str, keep: bool = False) -> str:
    """Return words in the letter case of the text at `start`; with `keep`, only a report in capitals changes them."""
    if shouts(text):
        return words.upper()
    first = re.match(r"\w*", text[start:]).group()  # type: ignore[union-attr]
    # `RLL` inside a sentence begins with a capital, but its replacement must not.
    within = text[:start].rstrip()[-1:] not in ("", ".", ":", "!", "?", ")")
    opens = first[:1].isupper() and not (within and len(first) > 1 and first.isupper())
    return words[:1].upper() + words[1:] if opens and not keep else words


def shouts(text: str) -> bool:
    """Return whether a report is written in capitals."""
    return text.isupper()


def next_word(text: str, position: int) -> int:
    """Return the first offset from `position` on that is not white space."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _uncapitalised(word: str) -> str:
    return word[:1].lower() + word[1:] if word[1:].islower() or len(word) == 1 else word
