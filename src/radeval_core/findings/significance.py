"""How much a finding matters when reports are compared: its level, see significance.yaml."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.types import Finding

SIGNIFICANCE_FILE = Path(__file__).with_name("significance.yaml")
#: the levels, least first
LEVELS = ("benign", "minor", "actionable", "urgent")
#: levels of findings that are acted on
ACTED_ON = ("urgent", "actionable")


@dataclass(frozen=True)
class _Words:
    """Words that say a finding is old, words that say it is not, and the level of an old one."""

    old: re.Pattern[str]
    new: re.Pattern[str]
    level: str


@dataclass(frozen=True)
class _Table:
    levels: Mapping[str, str]
    degrees: Mapping[tuple[str, str], str]
    words: Mapping[str, _Words]
    kinds: Mapping[str, str]


@cache
def _table() -> _Table:
    content: dict[str, Any] = yaml.safe_load(SIGNIFICANCE_FILE.read_text("utf-8"))
    return _Table(
        {name: level for level, rows in content["levels"].items() for row in rows for name in row["findings"]},
        {(name, row["degree"]): row["level"] for row in content["degrees"] for name in row["findings"]},
        {
            name: _Words(_any_of(row["words"]), _any_of(row["against"]), row["level"])
            for row in content["words"]
            for name in row["findings"]
        },
        content["kinds"],
    )


def _any_of(words: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


def level_of(finding: Finding, sentence: Callable[[], str], lexicon: Lexicon) -> str:
    """Return how much a mention matters: urgent, actionable, minor or benign.

    Args:
        finding: the mention.
        sentence: returns its sentence; called only where words of it decide.
        lexicon: the lexicon of the report.
    """
    level, words = _level(finding.finding, finding.severity, finding.significance, finding.kind, lexicon)
    return words.level if words is not None and words.old.search(sentence()) else level


def age_of(finding: Finding, sentence: Callable[[], str], lexicon: Lexicon) -> str | None:
    """Return whether a sentence calls a finding `old` or `acute`, if it makes a difference for that finding."""
    words = _level(finding.finding, finding.severity, finding.significance, finding.kind, lexicon)[1]
    if words is None:
        return None
    return "old" if words.old.search(sentence()) else "acute" if words.new.search(sentence()) else None


@lru_cache(maxsize=16_384)
def _level(
    name: str, severity: str | None, significance: str, kind: str, lexicon: Lexicon
) -> tuple[str, _Words | None]:
    """Return the level of a finding, and the words that give it another one."""
    table = _table()
    if severity and (name, severity) in table.degrees:
        return table.degrees[name, severity], None
    words = next((table.words[n] for n in (name, *lexicon.more_general(name)) if n in table.words), None)
    if name in table.levels:
        return table.levels[name], words
    if significance == "benign" and kind in table.kinds:
        return table.kinds[kind], words
    return significance, words
