"""New words for a stretch of a report: letter case, `a` or `an`, and the capital of a sentence are kept right."""

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
    """The text after edits that do not overlap."""
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return text


def insert(text: str, position: int, words: str) -> Edit:
    """New words before a place; the first letter of a sentence stays a capital, what follows it becomes small."""
    first = WORD.match(text, position)
    end = first.end() if first else position
    return replace(text, position, end, words + _uncapitalised(text[position:end]))


def replace(text: str, start: int, end: int, words: str) -> Edit:
    """New words for a stretch, in its letter case, with `a` or `an` before them as they ask.

    Where nothing is left, the next word takes over the first letter.
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
    """Words in the letter case of what stands at `start`; with `keep`, changed only in a report all in capitals."""
    if shouts(text):
        return words.upper()
    first = re.match(r"\w*", text[start:]).group()  # type: ignore[union-attr]
    # `RLL` within a sentence begins with a capital, but what takes its place does not.
    within = text[:start].rstrip()[-1:] not in ("", ".", ":", "!", "?", ")")
    opens = first[:1].isupper() and not (within and len(first) > 1 and first.isupper())
    return words[:1].upper() + words[1:] if opens and not keep else words


def shouts(text: str) -> bool:
    """Whether a report is written in capitals."""
    return text.isupper()


def next_word(text: str, position: int) -> int:
    """The first place from `position` on that is not white space."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _uncapitalised(word: str) -> str:
    return word[:1].lower() + word[1:] if word[1:].islower() or len(word) == 1 else word
