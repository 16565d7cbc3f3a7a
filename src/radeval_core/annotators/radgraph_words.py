"""How the published RadGraph models cut a report into words. Each was trained on one of two sets of rules."""

from __future__ import annotations

import re
from collections.abc import Callable

#: the word the published models are given for a report without any character
NO_TEXT = "None"
#: words the encoder sees differently: a slash left before the end of a sentence
ENCODED_AS = {"/.": ".", "/?": "?"}

_V1_WORD = re.compile(r"[/,:.!?()]|[^\s/,:.!?()]+")
#: escapes that exports of reports left behind, as the two or more characters they are in the text
_XL_ESCAPES = {"\\n": "  ", "\\f": "  ", "\\u2122": "      ", '\\"': "``"}
_XL_WORD = re.compile(r"\w+|[^\w\s]+")
#: marks that run together but are two words
_XL_APART = re.compile(r"(?<=\))(?=\.)|(?<=%)(?=[.,)])|(?<=\.)(?=')")


def words_v1(text: str) -> list[str]:
    """Words for `radgraph`: white space splits, and each of `/ , : . ! ? ( )` is a word."""
    return [NO_TEXT] if not text else _V1_WORD.findall(text)


def words_xl(text: str) -> list[str]:
    """Words for `radgraph-xl` and later: runs of letters and digits, and runs of other marks, a few of which part."""
    for escape, replacement in _XL_ESCAPES.items():
        text = text.replace(escape, replacement)
    return [NO_TEXT] if not text else _XL_APART.sub(" ", " ".join(_XL_WORD.findall(text))).split()


def word_rules(kind: str) -> Callable[[str], list[str]]:
    """The rules a model was trained with.

    Args:
        kind: the name of its training set, which stands before its label files (`radgraph__ner_labels.txt`).
    """
    return words_v1 if kind == "radgraph" else words_xl
