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
class _Table:
    levels: Mapping[str, str]
    degrees: Mapping[tuple[str, str], str]
    words: Mapping[str, tuple[re.Pattern[str], str]]
    kinds: Mapping[str, str]


@cache
def _table() -> _Table:
    content: dict[str, Any] = yaml.safe_load(SIGNIFICANCE_FILE.read_text("utf-8"))
    return _Table(
        {name: level for level, rows in content["levels"].items() for row in rows for name in row["findings"]},
        {(name, row["degree"]): row["level"] for row in content["degrees"] for name in row["findings"]},
        {name: (_any_of(row["words"]), row["level"]) for row in content["words"] for name in row["findings"]},
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
    return words[1] if words is not None and words[0].search(sentence()) else level


@lru_cache(maxsize=16_384)
def _level(
    name: str, severity: str | None, significance: str, kind: str, lexicon: Lexicon
) -> tuple[str, tuple[re.Pattern[str], str] | None]:
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
