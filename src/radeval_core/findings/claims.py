"""The claims of a report: its findings, with several mentions of the same thing merged into one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.types import Finding, ParsedReport

_VERTEBRA = re.compile(r"\b[CTLS]\d{1,2}\b", re.IGNORECASE)
_DISC = re.compile(r"\b([CTLS])(\d{1,2})(?:\s?[-–/]\s?|\s+on\s+)([CTLS]?)(\d{1,2})\b", re.IGNORECASE)
_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {word: str(i) for i, word in enumerate(_WORDS.split(), 1)}
_RIB = re.compile(rf"\b(\d{{1,2}}(?=st|nd|rd|th)|{'|'.join(_ORDINALS)})", re.IGNORECASE)
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
        significance: urgent, actionable, minor or benign.
        mentions: its mentions in the report.
        levels: vertebrae and ribs named in the same sentence: `L1`, `rib 6`.
        place_said: True if the report says where it is, beyond what its name implies.
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
    groups: list[list[Finding]] = []
    stated = [f for f in report.stated if f.polarity != "absent" and f.kind in _KINDS]
    for finding in sorted(stated, key=_content):
        if finding.finding in _lists()["not_judged"]:
            continue
        home = next((group for group in groups if all(_one_claim(finding, f, report) for f in group)), None)
        if home is None:
            groups.append([finding])
        else:
            home.append(finding)
    return [_claim(group, report) for group in groups]


@cache
def _lists() -> dict[str, frozenset[str]]:
    """Return the lists `not_judged` and `no_change` of kindred.yaml."""
    lists = yaml.safe_load(Path(__file__).with_name("kindred.yaml").read_text("utf-8"))
    return {name: frozenset(lists[name]) for name in ("not_judged", "no_change")}


@cache
def _kindred() -> tuple[frozenset[str], ...]:
    groups = yaml.safe_load(Path(__file__).with_name("kindred.yaml").read_text("utf-8"))["kindred"]
    return tuple(frozenset(group) for group in groups)


@cache
def kin(one: str, other: str) -> bool:
    """Return whether radiologists use two findings interchangeably, see kindred.yaml."""
    return any(one in group and other in group for group in _kindred())


def one_side(a: str | None, b: str | None) -> bool:
    """Return whether two sides can be the same; an unknown side can be either."""
    return a is None or b is None or a == b


def _content(finding: Finding) -> tuple[str, ...]:
    """Return the content of a finding without its offsets, as a sort key."""
    said = (finding.finding, finding.laterality, finding.anatomy, finding.severity, finding.polarity, finding.change)
    return tuple(map(str, (*said, finding.measurements, finding.text.lower())))


def _same_thing(one: Finding, other: Finding, lexicon: Lexicon) -> bool:
    """Return whether two mentions in a report are about the same thing: `opacity … this consolidation`."""
    # in one sentence this also holds for findings used interchangeably: `consolidation in keeping with pneumonia`
    together = one.sentence_start == other.sentence_start and kin(one.finding, other.finding)
    if not (lexicon.related(one.finding, other.finding) or together):
        return False
    if not one_side(one.laterality, other.laterality):
        return False
    both_said = _more_than_implied(one, lexicon) and _more_than_implied(other, lexicon)
    return not both_said or lexicon.one_place(one.anatomy, other.anatomy)


def _one_claim(one: Finding, other: Finding, report: ParsedReport) -> bool:
    """Return whether two mentions are one claim: the same thing, not at two discs."""
    if not _same_thing(one, other, report.lexicon):
        return False
    levels, more = _discs(one, report), _discs(other, report)
    return not levels or not more or bool(levels & more)


def _discs(finding: Finding, report: ParsedReport) -> set[str]:
    return {level for level in _levels(finding, report) if "-" in level}


def _more_than_implied(finding: Finding, lexicon: Lexicon) -> bool:
    """Return whether a finding has a place beyond the one its name implies."""
    entry = lexicon.entries.get(finding.finding)
    return bool(finding.anatomy) and (entry is None or set(finding.anatomy) != set(entry.regions))


def _place_said(finding: Finding, report: ParsedReport) -> bool:
    """Return whether a report says where a finding is. A device whose tip is mentioned counts, wherever it is."""
    if _more_than_implied(finding, report.lexicon):
        return True
    return bool(finding.anatomy) and finding.kind == "device" and bool(_TIP.search(_sentence(finding, report)))


def _sentence(finding: Finding, report: ParsedReport) -> str:
    return report.text[finding.sentence_start : finding.sentence_end]


def _claim(group: list[Finding], report: ParsedReport) -> Claim:
    lexicon = report.lexicon
    best = max(group, key=lambda f: (len(lexicon.more_general(f.finding)), len(f.anatomy) > 0))
    order = ("benign", "minor", "actionable", "urgent")

    def first(values: Iterable[str | None]) -> str | None:
        return next((value for value in values if value is not None), None)

    sizes = tuple(dict.fromkeys(size for f in group for size in f.measurements))
    return Claim(
        finding=best.finding,
        names=tuple(dict.fromkeys([best.finding, *(f.finding for f in group)])),
        kind=best.kind,
        certain=any(f.polarity == "present" for f in group),
        doubted=frozenset(f.finding for f in group) - {f.finding for f in group if f.polarity == "present"},
        anatomy=max((f.anatomy for f in group), key=lambda places: _depth(places, lexicon)),
        laterality=first(f.laterality for f in group),
        severity=first(f.severity for f in group),
        grades=frozenset(grade for f in group for grade in _grades(f, report)),
        measurements=sizes,
        numbers=frozenset(f.number for f in group if f.number),
        change=None if best.finding in _lists()["no_change"] else first(f.change for f in group),
        significance=max((f.significance for f in group), key=order.index),
        mentions=tuple(group),
        levels=frozenset(level for f in group for level in _levels(f, report)),
        place_said=any(_place_said(f, report) for f in group),
    )


def _grades(finding: Finding, report: ParsedReport) -> set[str]:
    """Return the severities of a finding; `mild to moderate` has two, but the parser keeps only one."""
    if finding.severity is None:
        return set()
    sentence = _sentence(finding, report).lower()
    ranges = [{_GRADE_WORDS[word] for word in match} for match in _RANGE.findall(sentence)]
    return {finding.severity}.union(*(grades for grades in ranges if finding.severity in grades))


def _levels(finding: Finding, report: ParsedReport) -> set[str]:
    """Return the vertebrae or ribs named in the sentence of a finding of the spine or the ribs."""
    lexicon, sentence = report.lexicon, _sentence(finding, report)
    regions = {r for place in finding.anatomy if place in lexicon.regions for r in (place, *lexicon.ancestors(place))}
    if "spine" in regions:
        if "fracture" in (finding.finding, *lexicon.more_general(finding.finding)):
            return _vertebrae(sentence)
        discs = {f"{a}{b}-{c or a}{d}".upper() for a, b, c, d in _DISC.findall(sentence) if _adjacent(a, b, c, d)}
        return discs or _vertebrae(sentence)
    if "rib" in regions:
        return {f"rib {_ORDINALS.get(number.lower(), number)}" for number in _RIB.findall(sentence)}
    return set()


def _vertebrae(sentence: str) -> set[str]:
    return {match.upper() for match in _VERTEBRA.findall(sentence)}


def _adjacent(part: str, number: str, next_part: str, next_number: str) -> bool:
    """Return whether two vertebrae have one disc between them: L4 and L5, L5 and S1."""
    same = next_part.upper() in ("", part.upper())
    return int(next_number) == int(number) + 1 if same else next_number == "1"


def _depth(places: tuple[str, ...], lexicon: Lexicon) -> int:
    """Return how specific a place is: the number of nested regions it lies in."""
    return max((1 + len(lexicon.ancestors(p)) for p in places if p in lexicon.regions), default=0)
