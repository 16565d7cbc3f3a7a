"""Compare findings that the lexicon does not list: by spelling, by head and modifiers, and by synonyms.

A name of the lexicon has underscores too (`bladder_wall_thickening`), so an open finding can match a listed one. The
sides, levels and polarities of two findings are compared elsewhere, as for all claims.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from rapidfuzz import fuzz

from radeval_core.findings.coverage import is_function_word
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.text import normalise_form
from radeval_core.findings.types import Finding

#: names that are written as alike as this are the same: typing errors, other endings. Set by hand.
SAME_SPELLING = 92.0
#: names with the same head that share this part of their other words are the same, or related. Set by hand.
SAME_WORDS, RELATED_WORDS = 0.99, 0.5
#: cosine of the encoder above which two names are related, if a run asks for it. Tried on 60 dev pairs of radcheck.
RELATED_VECTORS = 0.7
#: likeness of the same thing and of a vaguer or more specific name
SAME, VAGUER = 1.0, 0.8
#: shortest end of a compound that is looked up
_SHORT = 5

#: marks the words with which a report states a listed finding; open names are compared with them too
WRITTEN = "~"
SYNONYMS = Path(__file__).with_name("open_synonyms.yaml")
Encoder = Callable[[str, str], float]
_OF = re.compile(r"\bof\b")
_ENCODER: ContextVar[Encoder | None] = ContextVar("encoder of open names", default=None)


@dataclass(frozen=True, slots=True)
class OpenLikeness:
    """How alike two names are, and what decided.

    Attributes:
        value: 1 for the same, 0.8 for a vaguer or more specific name, 0 for different things.
        by: `spelling`, `words`, `encoder`, or empty.
        vaguer: 1 if the words of the second name are only some of those of the first, -1 if it has more, else 0.
    """

    value: float
    by: str = ""
    vaguer: int = 0


_DIFFERENT = OpenLikeness(0.0)


@contextmanager
def using(encoder: Encoder | None) -> Iterator[None]:
    """Compare open names with an encoder as well, inside this block."""
    token = _ENCODER.set(encoder)
    try:
        yield
    finally:
        _ENCODER.reset(token)


def encoder_in_use() -> Encoder | None:
    """Return the encoder that open names are compared with, or None if only their words are."""
    return _ENCODER.get()


def compare_names(one: str, other: str) -> OpenLikeness:
    """Return how alike two names of findings are, of which at least one is open."""
    one, other = one.removeprefix(WRITTEN), other.removeprefix(WRITTEN)
    by_rules = _by_rules(one, other)
    if by_rules.value or (encoder := encoder_in_use()) is None:
        return by_rules
    return OpenLikeness(VAGUER, "encoder") if encoder(_spaced(one), _spaced(other)) >= RELATED_VECTORS else _DIFFERENT


@lru_cache(maxsize=16_384)
def _by_rules(one: str, other: str) -> OpenLikeness:
    if one == other or fuzz.token_sort_ratio(_spaced(one), _spaced(other)) >= SAME_SPELLING:
        return OpenLikeness(SAME, "spelling")
    a, b = _meanings(one), _meanings(other)
    whole = _share(a, b)
    if whole >= SAME_WORDS:
        return OpenLikeness(SAME, "words")
    heads = _meanings(one.rpartition("_")[2]) & _meanings(other.rpartition("_")[2])
    if not heads:
        return _DIFFERENT
    rest, also = a - heads, b - heads
    if rest <= also or also <= rest:
        return OpenLikeness(VAGUER, "words", (also < rest) - (rest < also))
    if _share(rest, also) >= RELATED_WORDS:
        return OpenLikeness(VAGUER, "words")
    return _DIFFERENT


def _share(a: Collection[str], b: Collection[str]) -> float:
    """Return the share of all words that two names have in common."""
    every = {*a, *b}
    return len(set(a) & set(b)) / len(every) if every else 0.0


def is_open(name: str, listed: Collection[str]) -> bool:
    """Return whether a name is that of an open finding: not in the lexicon, and not the words for a listed one."""
    return name not in listed and not name.startswith(WRITTEN)


def near_open(names: Iterable[str], listed: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that are alike, of which at least one is open.

    Without an encoder, only names that share a meaning are compared, so a long report takes little time.

    Args:
        names: names of findings.
        listed: names of the lexicon.
    """
    names = list(names)
    unlisted = [name for name in names if is_open(name, listed)]
    if not unlisted:
        return
    by_meaning: dict[str, list[str]] = {}
    for name in names:
        for meaning in _meanings(name.removeprefix(WRITTEN)):
            by_meaning.setdefault(meaning, []).append(name)
    for name in unlisted:
        others = (other for meaning in _meanings(name) for other in by_meaning[meaning])
        for other in dict.fromkeys(names if _ENCODER.get() else others):
            if other != name and compare_names(name, other).value:
                yield name, other


def as_written(mention: Finding, lexicon: Lexicon) -> str:
    """Return the words of a mention as a name, marked: `narrowing of the left valve` is `~valve_narrowing`."""
    parts = [normalise_form(part) for part in _OF.split(mention.text.lower())]
    words = [word for part in parts[::-1] for word in part if _is_named(word, lexicon)]
    return WRITTEN + "_".join(dict.fromkeys(words))


def written_names(mentions: Iterable[Finding], lexicon: Lexicon) -> Iterable[str]:
    """Return the words of those mentions that the lexicon lists, see `as_written`."""
    return dict.fromkeys(as_written(mention, lexicon) for mention in mentions if not mention.open)


def _is_named(word: str, lexicon: Lexicon) -> bool:
    """Return whether a word is part of a name: no function word, side, degree or change."""
    roles = lexicon.surface((word,))
    modifies = roles is not None and (roles.side or roles.severity or roles.change) and not roles.region
    return word.isalpha() and not modifies and not is_function_word(word)


@lru_cache(maxsize=16_384)
def _meanings(name: str) -> frozenset[str]:
    """Return what the words of a name mean, without words that often are left out."""
    found = {meaning for word in name.split("_") for meaning in _meaning(word)}
    return frozenset(found - _tables().extra or found)


@lru_cache(maxsize=16_384)
def _meaning(word: str) -> tuple[str, ...]:
    """Return the meanings of a word: of a compound, those of its parts."""
    tables = _tables()
    if word in tables.same:
        return (tables.same[word],)
    for ending, meaning in tables.endings:
        root = word.removesuffix(ending)
        if root != word and len(word) > _SHORT:
            part = tables.roots.get(root) or tables.roots.get(root.removesuffix("o"))
            if part:
                return (part, tables.same.get(meaning, meaning))
    return (word,)


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of open_synonyms.yaml; the longest endings first."""

    same: dict[str, str]
    roots: dict[str, str]
    endings: tuple[tuple[str, str], ...]
    extra: frozenset[str]


@cache
def _tables() -> _Tables:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(SYNONYMS.read_text("utf-8"), Loader=loader)
    return _Tables(
        {word: group[0] for group in data["same"] for word in group},
        data["roots"],
        tuple(sorted(data["endings"].items(), key=lambda item: -len(item[0]))),
        frozenset(data["extra"]),
    )


def _spaced(name: str) -> str:
    return name.replace("_", " ")
