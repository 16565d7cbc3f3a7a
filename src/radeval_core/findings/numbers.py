"""Read how many lesions a finding stands for, and compare such numbers. The words are in numbers.yaml."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import yaml

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.scene import Mention, Scene

NUMBERS_FILE = Path(__file__).with_name("numbers.yaml")
_TABLES = yaml.load(NUMBERS_FILE.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
_RANGES: dict[str, tuple[int, int | None]] = {name: (low, high) for name, (low, high) in _TABLES["ranges"].items()}
_VALUES: dict[str, str] = {word: value for value, words in _TABLES["words"].items() for word in words}
_DIGITS = {str(low): name for name, (low, high) in _RANGES.items() if low == high}
_BEFORE_DIGITS = frozenset(_TABLES["before_digits"])
_ARTICLES, _ORDINALS = frozenset({"a", "an"}), frozenset({"second", "third"})
_COUNTS = _ARTICLES | set(_VALUES) | set(_DIGITS)
#: the values of `Finding.number`
NUMBERS = tuple(_RANGES)


@lru_cache(maxsize=8)
def _kinds_of(group: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the findings of a list of numbers.yaml, and all kinds of these."""
    roots = frozenset(_TABLES[group])
    return frozenset(name for name in lexicon.entries if not roots.isdisjoint((name, *lexicon.more_general(name))))


def is_staged(finding: str, lexicon: Lexicon) -> bool:
    """Return whether the exact number of a finding decides what is done."""
    return finding in _kinds_of("staged", lexicon)


def read_numbers(scene: Scene, mentions: list[Mention], lefts: Iterable[int]) -> None:
    """Give mentions their numbers.

    Args:
        scene: the sentence.
        mentions: its findings.
        lefts: where the words before each finding begin that can modify it.
    """
    counted = _kinds_of("counted", scene.lexicon)
    for mention, left in zip(mentions, lefts, strict=True):
        if mention.twin is None:
            mention.number = _number(scene, mention, left, mention.finding in counted)


def may_count(scene: Scene, mentions: list[Mention]) -> bool:
    """Return whether a sentence can contain a number: a quick test before the words are read one by one."""
    if not _COUNTS.isdisjoint(scene.words):
        return True
    return any(scene.plural[m.end - 1] for m in mentions)


def _number(scene: Scene, mention: Mention, left: int, counted: bool) -> str | None:
    """Return the number before a finding; without one, what its article or its plural says, if it can be counted."""
    words = scene.words
    plural = scene.plural[mention.head if mention.regions else mention.end - 1]
    for at in range(mention.start - 1, left - 1, -1):
        if words[at] in _VALUES and not _orders_place(scene, at):
            return _VALUES[words[at]]
        if plural and words[at] in _DIGITS and _counts(scene, at):
            return _DIGITS[words[at]]
    if not counted:
        return None
    if plural:
        return "multiple"
    return "one" if not _ARTICLES.isdisjoint(words[left : mention.start]) else None


def _orders_place(scene: Scene, at: int) -> bool:
    """Return whether a word is the number of a place: `second rib`."""
    return scene.words[at] in _ORDINALS and any(m.start == at + 1 and m.roles.region for m in scene.matches)


def _counts(scene: Scene, at: int) -> bool:
    """Return whether a digit is a number of lesions, not a size, a grade or a vertebra."""
    after = scene.words[at + 1]
    if not after.isalpha() or after in ("mm", "cm", "x", "by", "to"):
        return False
    before = scene.words[at - 1] if at else ""
    return not before or before in _BEFORE_DIGITS or before in scene.lexicon.words["verb"]


def same_number(some: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether two reports can mean the same number of lesions: two of their ranges meet, or one has none."""
    first, second = [_RANGES[n] for n in some], [_RANGES[n] for n in others]
    return not first or not second or any(_meet(a, b) for a in first for b in second)


def _meet(one: tuple[int, int | None], other: tuple[int, int | None]) -> bool:
    (low, high), (least, most) = one, other
    return (high is None or least <= high) and (most is None or low <= most)


def is_single(numbers: Iterable[str]) -> bool:
    """Return whether all these numbers are one."""
    return all(number == "one" for number in numbers)
