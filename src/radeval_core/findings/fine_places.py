"""Tell places apart that the lexicon keeps in one region: calf and shin, mitral and aortic valve. From UBERON."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from pathlib import Path

from radeval_core.findings.match import FormMatch
from radeval_core.findings.scene import Mention

#: written by tools/build_fine_places.py
FILE = Path(__file__).with_name("fine_places.json")


@cache
def _tables() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    data = json.loads(FILE.read_text("utf-8"))
    terms = {form: frozenset(keys) for form, keys in data["forms"].items()}
    return terms, {key: frozenset(larger) for key, larger in data["within"].items()}


def fine_places(words: Sequence[str], matches: Sequence[FormMatch], mention: Mention) -> tuple[str, ...]:
    """Return the words for the places of a mention, per region the nearest, if UBERON has a term for them."""
    terms, _ = _tables()
    found: list[str] = []
    for region in dict.fromkeys(mention.anatomy):
        named = [m for m in matches if m.roles.region == region]
        if named:
            nearest = min(named, key=lambda m: (max(m.start - mention.end, mention.start - m.end), m.start))
            form = "_".join(words[nearest.start : nearest.end])
            found += [form] if form in terms else []
    return tuple(found)


@lru_cache(maxsize=16_384)
def apart(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Return whether no place of one list is, contains, or lies in a place of the other."""
    return bool(some) and bool(others) and not any(_touch(a, b) for a in some for b in others)


def _touch(one: str, other: str) -> bool:
    terms, within = _tables()
    if one not in terms or other not in terms:
        return True
    return one == other or _inside(terms[one], terms[other], within) or _inside(terms[other], terms[one], within)


def _inside(small: Collection[str], large: Collection[str], within: dict[str, frozenset[str]]) -> bool:
    return any(key in large or not within.get(key, frozenset()).isdisjoint(large) for key in small)
