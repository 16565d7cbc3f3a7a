"""The clinical significance of a claim on CRIMSON's four levels, from its name and degree; see significance.yaml."""

from __future__ import annotations

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
URGENT, ACTIONABLE, NOT_ACTIONABLE, BENIGN = ORDER


@dataclass(frozen=True)
class _Table:
    """The content of significance.yaml.

    Attributes:
        lexicon: the level of each significance of the lexicon.
        kinds: the level of each kind of claim that has one.
        findings: the level of each listed finding.
        lower_if_mild: findings that are one level lower if mild.
        urgent_if_severe: findings that are urgent if severe.
    """

    lexicon: dict[str, str]
    kinds: dict[str, str]
    findings: dict[str, str]
    lower_if_mild: frozenset[str]
    urgent_if_severe: frozenset[str]


def significance(claim: Claim) -> str:
    """Return the level of a claim, if nothing is known about the patient."""
    table, severe = _table(), severity_lists()
    names = set(claim.names)
    if claim.kind in table.kinds:
        return URGENT if claim.misplaced else table.kinds[claim.kind]
    level = higher(*(_of_name(name, claim) for name in claim.names))
    if claim.severity == "mild" and names & table.lower_if_mild:
        return lowered(level)
    if names & severe["emergent"] or (claim.severity == "severe" and names & table.urgent_if_severe):
        return URGENT
    return level


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
        frozenset(content["urgent_if_severe"]),
    )
