"""The clinical significance of a claim on CRIMSON's four levels, from its name and degree; see significance.yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from radeval_core.findings.claims import Claim
from radeval_core.functional.crimson import LEVELS
from radeval_core.judges.fineradscore.rating import severity_lists

#: the levels, the highest first
ORDER = tuple(LEVELS)
_OLD = re.compile(r"\b(?:old|healed|healing|remote|chronic|longstanding|long-standing|prior)\b", re.IGNORECASE)
#: characters before a finding in which it can be called old
_WORDS_BEFORE = 40
URGENT, ACTIONABLE, NOT_ACTIONABLE, BENIGN = ORDER


@dataclass(frozen=True)
class _Table:
    """The content of significance.yaml.

    Attributes:
        lexicon: the level of each significance of the lexicon.
        kinds: the level of each kind of claim that has one.
        findings: the level of each listed finding.
        lower_if_mild: findings that are one level lower if mild.
        lower_if_old: findings that are one level lower if unchanged, old or healed.
        urgent_if_severe: findings that are urgent if severe.
    """

    lexicon: dict[str, str]
    kinds: dict[str, str]
    findings: dict[str, str]
    lower_if_mild: frozenset[str]
    lower_if_old: frozenset[str]
    urgent_if_severe: frozenset[str]


def significance(claim: Claim, text: str) -> str:
    """Return the level of a claim, if nothing is known about the patient.

    Args:
        claim: the claim.
        text: the report that makes it.
    """
    table, severe = _table(), severity_lists()
    names = set(claim.names)
    if claim.kind in table.kinds:
        return URGENT if claim.misplaced else table.kinds[claim.kind]
    level = higher(*(_of_name(name, claim) for name in claim.names))
    if claim.severity == "mild" and names & table.lower_if_mild:
        level = lowered(level)
    elif names & severe["emergent"] or (claim.severity == "severe" and names & table.urgent_if_severe):
        level = URGENT
    if (claim.change == "unchanged" or _is_old(claim, text)) and names & table.lower_if_old:
        level = lowered(level)
    return level if claim.certain else lowered(level)


def _is_old(claim: Claim, text: str) -> bool:
    """Return whether the words before each mention call the finding old."""
    before = (text[max(m.sentence_start, m.start - _WORDS_BEFORE) : m.end] for m in claim.mentions)
    return all(_OLD.search(words) for words in before)


def _of_name(name: str, claim: Claim) -> str:
    table = _table()
    if name in table.findings:
        return table.findings[name]
    stated = next((mention for mention in claim.mentions if mention.finding == name), claim.stated)
    return table.lexicon[stated.significance]


def lowered(level: str, steps: int = 1) -> str:
    """Return a lower level."""
    return ORDER[min(ORDER.index(level) + steps, len(ORDER) - 1)]


def lower(*levels: str) -> str:
    """Return the lowest of levels."""
    return max(levels, key=ORDER.index)


def higher(*levels: str) -> str:
    """Return the highest of levels."""
    return min(levels, key=ORDER.index)


@cache
def _table() -> _Table:
    text = resources.files(__package__).joinpath("significance.yaml").read_text("utf-8")
    content: dict[str, Any] = yaml.safe_load(text)
    return _Table(
        content["lexicon"],
        content["kinds"],
        {name: level for level, names in content["findings"].items() for name in names},
        frozenset(content["lower_if_mild"]),
        frozenset(content["lower_if_old"]),
        frozenset(content["urgent_if_severe"]),
    )
