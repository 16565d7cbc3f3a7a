"""Splits reports into words like the published RadGraph models, which follow one of two sets of rules."""

from __future__ import annotations

import re
from collections.abc import Callable

#: the word that replaces an empty report in the published models
NO_TEXT = "None"
#: words that the encoder sees in another form: a slash before the end of a sentence
ENCODED_AS = {"/.": ".", "/?": "?"}

_V1_WORD = re.compile(r"[/,:.!?()]|[^\s/,:.!?()]+")
#: escape sequences that exports left in reports as literal characters
_XL_ESCAPES = {"\\n": "  ", "\\f": "  ", "\\u2122": "      ", '\\"': "``"}
_XL_WORD = re.compile(r"\w+|[^\w\s]+")
#: adjacent marks that are two words
_XL_APART = re.compile(r"(?<=\))(?=\.)|(?<=%)(?=[.,)])|(?<=\.)(?=')")


def words_v1(text: str) -> list[str]:
    """Return the words for `radgraph`: split at white space; each of `/ , : . ! ? ( )` is a word."""
    return [NO_TEXT] if not text else _V1_WORD.findall(text)


def words_xl(text: str) -> list[str]:
    """Return the words for `radgraph-xl` and later: runs of letters and digits, and runs of other marks."""
    for escape, replacement in _XL_ESCAPES.items():
        text = text.replace(escape, replacement)
    return [NO_TEXT] if not text else _XL_APART.sub(" ", " ".join(_XL_WORD.findall(text))).split()


def word_rules(kind: str) -> Callable[[str], list[str]]:
    """Return the word rules a model was trained with.

    Args:
        kind: the name of its training set, the prefix of its label files (`radgraph__ner_labels.txt`).
    """
    return words_v1 if kind == "radgraph" else words_xl
