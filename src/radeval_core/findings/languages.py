"""Name the language of a report that is not in English, by its script and by its most frequent words."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_LETTERS = re.compile(r"[^\W\d_]+")
#: characters that are looked at: enough to tell a language
_MOST_CHARACTERS = 4000
#: longest short word, and the least weight that tells a language: one long word or two short ones
_SHORT, _LEAST = 3, 1.0
#: a text is in the script that at least this share of its letters belongs to; the rest may be Latin abbreviations
_SCRIPT_SHARE = 0.3


@cache
def _tables() -> tuple[dict[str, list[list[int]]], dict[str, frozenset[str]]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(Path(__file__).with_name("languages.yaml").read_text("utf-8"), Loader=loader)
    return data["scripts"], {name: frozenset(words) for name, words in data["words"].items()}


def foreign_language(text: str, english: frozenset[str]) -> str:
    """Return the language a text is written in; empty if it is English or if nothing tells.

    Args:
        text: the text.
        english: English words. They never count for another language, and against it unless it has them too.
    """
    scripts, languages = _tables()
    text = text[:_MOST_CHARACTERS].lower()
    if not text.isascii() and (named := _by_script(text, scripts)):
        return named
    words = set(_LETTERS.findall(text))
    best, most = "", 0.0
    for name, known in languages.items():  # a word of both languages counts for neither
        theirs = _weight((words & known) - english)
        if theirs >= _LEAST and theirs > max(most, _weight((words & english) - known)):
            best, most = name, theirs
    return best


def _weight(words: Collection[str]) -> float:
    """Return how strongly distinct words tell a language.

    Short words without accents tell less: they are often names or abbreviations (Le Fort, LES).
    """
    return sum(0.5 if len(word) <= _SHORT and word.isascii() else 1.0 for word in words)


def _by_script(text: str, scripts: dict[str, list[list[int]]]) -> str:
    letters = [ord(letter) for letter in text if letter.isalpha()]
    counts = {
        name: sum(low <= letter <= high for letter in letters for low, high in ranges)
        for name, ranges in scripts.items()
    }
    if sum(counts.values()) < _SCRIPT_SHARE * len(letters):
        return ""
    if counts["Japanese"]:  # Japanese writes most nouns with Chinese characters
        return "Japanese"
    return max(counts, key=counts.__getitem__)
