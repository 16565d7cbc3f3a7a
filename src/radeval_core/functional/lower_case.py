"""Lower case that keeps the position of every letter."""

from __future__ import annotations


def lowered(text: str) -> str:
    """Lower-case a text without changing its length: letters with a longer lower case stay as they are."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
