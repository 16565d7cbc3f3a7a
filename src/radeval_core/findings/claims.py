"""The claims of a report: its findings, with several mentions of the same thing merged into one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings.levels import Levels
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.mention_groups import group_mentions, more_than_implied
from radeval_core.findings.open_match import encoder_in_use
from radeval_core.findings.significance import LEVELS, age_of, level_of
from radeval_core.findings.tubes import out_of_place
from radeval_core.findings.types import Finding, ParsedReport

_TIP = re.compile(r"\btips?\b|\bterminat|\bends?\b|\bprojects? over", re.IGNORECASE)
_GRADE_WORDS = {
    "minimal": "mild",
    "mild": "mild",
    "small": "mild",
    "moderate": "moderate",
    "severe": "severe",
    "marked": "severe",
    "large": "severe",
}
_RANGE = re.compile(rf"\b({'|'.join(_GRADE_WORDS)})\s*(?:-|to|/)+\s*({'|'.join(_GRADE_WORDS)})\b")
#: endings of adjectives that name a finding: `sclerotic metastasis`
_ADJECTIVE = ("ic", "ed", "ous", "tic")
_KINDS = ("abnormality", "disease", "device", "procedure")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a report states is present or possible, in one or several sentences.

    Attributes:
        finding: the most specific name the report gives it.
        names: all names the report gives it, `finding` first.
        kind: abnormality, disease, device or procedure.
        certain: True if at least one mention is certain.
        doubted: the names that the report gives only as possible: atelectasis in `opacity, possibly atelectasis`.
        anatomy: its regions.
        laterality: left, right, bilateral, or None if no side is given.
        severity: mild, moderate, severe, or None.
        grades: all severities the report gives it: two in `mild to moderate`.
        measurements: sizes in millimetres.
        numbers: all numbers of lesions the report gives, see `Finding.number`.
        change: new, increased, decreased, unchanged, resolved, or None.
        significance: urgent, actionable, minor or benign, see significance.yaml.
        mentions: its mentions in the report.
        levels: vertebrae and ribs named in the same sentence: `L1`, `rib 6`.
        place_said: True if the report says where it is, beyond what its name implies.
        misplaced: True if it is a tube where no tube belongs, see tubes.py.
        age: old or acute, where the report says so and it makes a difference, see significance.yaml; else None.
    """

    finding: str
    names: tuple[str, ...]
    kind: str
    certain: bool
    doubted: frozenset[str]
    anatomy: tuple[str, ...]
    laterality: str | None
    severity: str | None
    grades: frozenset[str]
    measurements: tuple[float, ...]
    numbers: frozenset[str]
    change: str | None
    significance: str
    mentions: tuple[Finding, ...]
    levels: frozenset[str]
    place_said: bool
    misplaced: bool = False
    age: str | None = None

    @property
    def stated(self) -> Finding:
        """Return the mention to describe the claim by: the first certain one, if there is one."""
        return next((f for f in self.mentions if f.finding not in self.doubted), self.mentions[0])

    @property
    def start(self) -> int:
        """Return the offset of the first mention."""
        return min(f.start for f in self.mentions)


def read_claims(report: ParsedReport) -> list[Claim]:
    """Return the claims of a report; the order of its sentences does not matter."""
    # mentions of open findings are merged by the likeness of their names, which an encoder can change
    return list(report.once(("claims", encoder_in_use()), _merge_stated))


def _merge_stated(report: ParsedReport) -> list[Claim]:
    return merge_mentions([f for f in (*report.stated, *report.open) if f.polarity != "absent"], report)


def merge_mentions(mentions: Iterable[Finding], report: ParsedReport) -> list[Claim]:
    """Return the claims that some findings of a report make; findings that are not judged make none."""
    readings = _Readings(report)
    judged = [f for f in mentions if f.kind in _KINDS and f.finding not in listed("not_judged")]
    adjectives = _adjectives(judged)
    named = [f for f in judged if f not in adjectives]
    groups = group_mentions(sorted(named, key=_content), readings.levels, report.lexicon)
    for adjective, noun in adjectives.items():
        next(group for group in groups if noun in group).append(adjective)
    return [_claim(group, readings) for group in groups]


def _adjectives(findings: list[Finding]) -> dict[Finding, Finding]:
    """Return the findings that are an adjective of the next one, with it: `calcific tendinosis` is one thing."""
    by_start = {f.start: f for f in findings}
    found: dict[Finding, Finding] = {}
    for f in findings:
        noun = by_start.get(f.end + 1)
        if (
            noun is not None
            and f.text.lower().endswith(_ADJECTIVE)
            and " " not in f.text
            and noun.polarity == f.polarity
        ):
            found[f] = noun
    return {adjective: noun for adjective, noun in found.items() if noun not in found}


@cache
def listed(name: str) -> frozenset[str]:
    """Return a list of claims.yaml: `not_judged`, `no_change` or `place_known`."""
    return frozenset(_tables()[name])


@cache
def neighbors() -> frozenset[frozenset[str]]:
    """Return the pairs of regions that touch, see claims.yaml."""
    return frozenset(frozenset(pair) for pair in _tables()["neighbors"])


@cache
def _tables() -> dict[str, list[Any]]:
    content: dict[str, list[Any]] = yaml.safe_load(Path(__file__).with_name("claims.yaml").read_text("utf-8"))
    return content


def _content(finding: Finding) -> tuple[str, ...]:
    """Return the content of a finding without its offsets, as a sort key."""
    said = (finding.finding, finding.laterality, finding.anatomy, finding.severity, finding.polarity, finding.change)
    return tuple(map(str, (*said, finding.measurements, finding.text.lower())))


class _Readings:
    """What the sentences of a report say about a claim. It searches each sentence once."""

    def __init__(self, report: ParsedReport) -> None:
        self.report = report
        self.lexicon = report.lexicon
        self.levels = Levels(report)
        self._tips: dict[int, bool] = {}
        self._ranges: dict[int, list[set[str]]] = {}

    def place_said(self, finding: Finding) -> bool:
        """Return whether the report says where a finding is. A device whose tip is mentioned counts, wherever it is."""
        if more_than_implied(finding, self.lexicon):
            return True
        return bool(finding.anatomy) and finding.kind == "device" and self._tip(finding)

    def grades(self, finding: Finding) -> set[str]:
        """Return the severities of a finding; `mild to moderate` has two, but the parser keeps only one."""
        if finding.severity is None:
            return set()
        start = finding.sentence_start
        if start not in self._ranges:
            found = _RANGE.findall(self._sentence(finding).lower())
            self._ranges[start] = [{_GRADE_WORDS[word] for word in words} for words in set(found)]
        return {finding.severity}.union(*(grades for grades in self._ranges[start] if finding.severity in grades))

    def level(self, finding: Finding) -> str:
        """Return how much a mention matters."""
        return level_of(finding, lambda: self._sentence(finding), self.lexicon)

    def age(self, finding: Finding) -> str | None:
        """Return whether a mention is old or acute, if its sentence says so."""
        return age_of(finding, lambda: self._sentence(finding), self.lexicon)

    def _tip(self, finding: Finding) -> bool:
        start = finding.sentence_start
        if start not in self._tips:
            self._tips[start] = bool(_TIP.search(self._sentence(finding)))
        return self._tips[start]

    def _sentence(self, finding: Finding) -> str:
        return self.report.text[finding.sentence_start : finding.sentence_end]


def _claim(group: list[Finding], readings: _Readings) -> Claim:
    lexicon = readings.lexicon
    best = max(group, key=lambda f: (len(lexicon.more_general(f.finding)), len(f.anatomy) > 0))

    def first(values: Iterable[str | None]) -> str | None:
        return next((value for value in values if value is not None), None)

    sizes = tuple(dict.fromkeys(size for f in group for size in f.measurements))
    names = tuple(dict.fromkeys([best.finding, *(f.finding for f in group)]))
    anatomy = max((f.anatomy for f in group), key=lambda places: depth(places, lexicon))
    misplaced = best.kind == "device" and out_of_place(names, anatomy, sizes)
    return Claim(
        finding=best.finding,
        names=names,
        kind=best.kind,
        certain=any(f.polarity == "present" for f in group),
        doubted=frozenset(f.finding for f in group) - {f.finding for f in group if f.polarity == "present"},
        anatomy=anatomy,
        laterality=first(f.laterality for f in group),
        severity=first(f.severity for f in group),
        grades=frozenset(grade for f in group for grade in readings.grades(f)),
        measurements=sizes,
        numbers=frozenset(f.number for f in group if f.number),
        change=None if best.finding in listed("no_change") else first(f.change for f in group),
        significance="urgent" if misplaced else max((readings.level(f) for f in group), key=LEVELS.index),
        mentions=tuple(group),
        levels=frozenset(level for f in group for level in readings.levels.of(f)),
        place_said=any(readings.place_said(f) for f in group),
        misplaced=misplaced,
        age=first(readings.age(f) for f in group),
    )


def depth(places: tuple[str, ...], lexicon: Lexicon) -> int:
    """Return how specific a place is: the number of nested regions it lies in."""
    return max((1 + len(lexicon.ancestors(p)) for p in places if p in lexicon.regions), default=0)
