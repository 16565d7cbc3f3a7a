"""Change the significance of a finding by the patient's context, with the rules of context.yaml."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import yaml

from radeval_core.findings.claims import Claim
from radeval_core.findings.lexicon import Lexicon
from radeval_core.judges.crimson.context_facts import ContextFacts, FactReader
from radeval_core.judges.crimson.significance import higher, lower
from radeval_core.patient_context import PatientContext

#: days that count as recent where a rule says nothing else
_RECENT = 30.0
_AGE = re.compile(r"<(?P<below>\d+)|(?P<start>\d+)\+|(?P<low>\d+)-(?P<high>\d+)")


@dataclass(frozen=True)
class Condition:
    """What must hold of a claim and its patient; an empty field asks for nothing.

    Attributes:
        ages: years, from the first up to and without the second.
        sex: male or female.
        known: terms, of which one is stated.
        recent: terms, of which one is stated and recent.
        asked: terms, of which one is stated or asked about.
        severity: severities of the claim; `none` for none.
        change: courses of the claim; `none` for none.
        within: days that count as recent.
    """

    ages: tuple[float, float] | None = None
    sex: str = ""
    known: frozenset[str] = frozenset()
    recent: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    severity: frozenset[str] = frozenset()
    change: frozenset[str] = frozenset()
    within: float = _RECENT

    @property
    def parts(self) -> tuple[Condition, ...]:
        """Return the condition as one condition per field."""
        within = self.within
        return (
            *((Condition(ages=self.ages),) if self.ages else ()),
            *((Condition(sex=self.sex),) if self.sex else ()),
            *(Condition(**{name: getattr(self, name)}, within=within) for name in _LISTS if getattr(self, name)),
        )

    def holds(self, claim: Claim, facts: ContextFacts) -> bool:
        """Return whether every field holds."""
        if self.ages and (facts.years is None or not self.ages[0] <= facts.years < self.ages[1]):
            return False
        return (
            (not self.sex or facts.sex == self.sex)
            and (not self.known or not self.known.isdisjoint(facts.stated))
            and (not self.recent or any(facts.since.get(term, math.inf) <= self.within for term in self.recent))
            and (not self.asked or not self.asked.isdisjoint(facts.mentioned))
            and (not self.severity or (claim.severity or "none") in self.severity)
            and (not self.change or (claim.change or "none") in self.change)
        )


_LISTS = ("known", "recent", "asked", "severity", "change")


@dataclass(frozen=True)
class Rule:
    """A row of the table.

    Attributes:
        name: its id.
        findings: the findings it is about; their kinds are included.
        places: the regions it is about; all if empty.
        when: what must hold.
        unless: conditions of which none may hold.
        at_most: the level it lowers a finding to, or empty.
        at_least: the level it raises a finding to, or empty.
        why: the reason.
        source: where the reason is written down, or empty.
    """

    name: str
    findings: frozenset[str]
    places: frozenset[str]
    when: Condition
    unless: tuple[Condition, ...]
    at_most: str
    at_least: str
    why: str
    source: str

    def applies(self, claim: Claim, facts: ContextFacts, lexicon: Lexicon) -> bool:
        """Return whether the rule is about a claim of this patient."""
        if self.places:
            known = [place for place in claim.anatomy if place in lexicon.regions]
            here = {region for place in known for region in (place, *lexicon.ancestors(place))} | set(claim.anatomy)
            if self.places.isdisjoint(here):
                return False
        return self.when.holds(claim, facts) and not any(c.holds(claim, facts) for c in self.unless)


@dataclass(frozen=True)
class Change:
    """A rule that changed a significance.

    Attributes:
        rule: the rule.
        before: the level before.
        after: the level after.
    """

    rule: Rule
    before: str
    after: str

    def as_dict(self) -> dict[str, str]:
        """Return the change as plain values."""
        return {"rule": self.rule.name, "from": self.before, "to": self.after, "why": self.rule.why}


class ContextTable:
    """The rules, by the findings they are about."""

    def __init__(self, rules: Iterable[Rule], terms: Mapping[str, list[str]]) -> None:
        self.rules = tuple(rules)
        self._reader = FactReader(terms)
        self._by_finding: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for name in rule.findings:
                self._by_finding.setdefault(name, []).append(rule)
        self.facts = lru_cache(maxsize=4096)(self._reader.read)

    def adjust(
        self, level: str, claim: Claim, context: PatientContext | None, lexicon: Lexicon
    ) -> tuple[str, tuple[Change, ...]]:
        """Return the significance of a claim in this patient, and the rules that changed it; lowering comes first."""
        if context is None:
            return level, ()
        facts = self.facts(context)
        names = {name for own in claim.names for name in (own, *lexicon.more_general(own))}
        about = dict.fromkeys(rule for name in sorted(names) for rule in self._by_finding.get(name, ()))
        found = [rule for rule in about if rule.applies(claim, facts, lexicon)]
        changes: list[Change] = []
        for rule in found:
            if rule.at_most:
                level = _changed(changes, rule, level, lower(level, rule.at_most))
        for rule in found:
            if rule.at_least:
                level = _changed(changes, rule, level, higher(level, rule.at_least))
        return level, tuple(changes)


def _changed(changes: list[Change], rule: Rule, before: str, after: str) -> str:
    """Note a change, if there is one, and return the level after it."""
    if after != before:
        changes.append(Change(rule, before, after))
    return after


@cache
def context_table() -> ContextTable:
    """Return the table of context.yaml."""
    text = resources.files(__package__).joinpath("context.yaml").read_text("utf-8")
    content: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    levels: dict[str, str] = content["levels"]
    return ContextTable((_rule(row, levels) for row in content["rules"]), content["terms"])


def _rule(row: Mapping[str, Any], levels: Mapping[str, str]) -> Rule:
    return Rule(
        name=row["id"],
        findings=frozenset(row["findings"]),
        places=frozenset(row.get("places", ())),
        when=_condition(row),
        unless=_condition(row.get("unless", {})).parts,
        at_most=levels.get(row.get("at_most", ""), ""),
        at_least=levels.get(row.get("at_least", ""), ""),
        why=row["why"],
        source=row.get("source", ""),
    )


def _condition(row: Mapping[str, Any]) -> Condition:
    lists = {name: frozenset(row.get(name, ())) for name in _LISTS}
    ages = _ages(str(row["age"])) if "age" in row else None
    return Condition(ages=ages, sex=row.get("sex", ""), within=float(row.get("within_days", _RECENT)), **lists)


def _ages(text: str) -> tuple[float, float]:
    """Return the ages that a row gives as `65+`, `<40` or `18-40`: from the first up to and without the second."""
    found = _AGE.fullmatch(text)
    if not found:
        raise ValueError(f"context.yaml: {text!r} is no range of ages")
    if found["below"]:
        return 0.0, float(found["below"])
    return (float(found["start"]), 999.0) if found["start"] else (float(found["low"]), float(found["high"]))
