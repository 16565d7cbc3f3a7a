"""What a report claims: its findings, with several mentions of one thing put together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from radeval_core.findings.parser import default_parser
from radeval_core.findings.structures import Finding, ParsedReport

_VERTEBRA = re.compile(r"\b[CTLS]\d{1,2}\b", re.IGNORECASE)
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
    """One thing a report says is there, perhaps in several places.

    Attributes:
        finding: the most specific name it is given.
        names: all names it is given, `finding` first.
        kind: abnormality, disease, device or procedure.
        certain: said without doubt at least once.
        anatomy: its regions.
        laterality: left, right, bilateral, or None where no side is said.
        severity: mild, moderate, severe, or None.
        grades: all severities it is given: two in `mild to moderate`.
        measurements: sizes in millimetres.
        change: new, increased, decreased, unchanged, resolved, or None.
        significance: urgent, actionable, minor or benign.
        mentions: where it is said.
        levels: vertebrae and ribs named beside it: `L1`, `rib 6`.
        place_said: whether the report says where it is, beyond what its name implies.
    """

    finding: str
    names: tuple[str, ...]
    kind: str
    certain: bool
    anatomy: tuple[str, ...]
    laterality: str | None
    severity: str | None
    grades: frozenset[str]
    measurements: tuple[float, ...]
    change: str | None
    significance: str
    mentions: tuple[Finding, ...]
    levels: frozenset[str]
    place_said: bool

    @property
    def start(self) -> int:
        """Where it is first said."""
        return min(f.start for f in self.mentions)


def read_claims(report: ParsedReport) -> list[Claim]:
    """The things a report says are present or possible; the order of its sentences does not matter."""
    groups: list[list[Finding]] = []
    stated = [f for f in report.stated if f.polarity != "absent" and f.kind in _KINDS]
    for finding in sorted(stated, key=_content):
        if finding.finding in _lists()["not_judged"]:
            continue
        home = next((group for group in groups if all(_same_thing(finding, other) for other in group)), None)
        if home is None:
            groups.append([finding])
        else:
            home.append(finding)
    return [_claim(group, report.text) for group in groups]


@cache
def _lists() -> dict[str, frozenset[str]]:
    """`not_judged` and `no_change` of kindred.yaml."""
    lists = yaml.safe_load(Path(__file__).with_name("kindred.yaml").read_text("utf-8"))
    return {name: frozenset(lists[name]) for name in ("not_judged", "no_change")}


@cache
def _kindred() -> tuple[frozenset[str], ...]:
    groups = yaml.safe_load(Path(__file__).with_name("kindred.yaml").read_text("utf-8"))["kindred"]
    return tuple(frozenset(group) for group in groups)


@cache
def kin(one: str, other: str) -> bool:
    """Whether radiologists write one for the other."""
    return any(one in group and other in group for group in _kindred())


@cache
def related(one: str, other: str) -> bool:
    """Whether one finding is the other, or a kind of it."""
    lexicon = default_parser().lexicon
    return one == other or other in lexicon.more_general(one) or one in lexicon.more_general(other)


def one_place(a: Iterable[str], b: Iterable[str]) -> bool:
    """Whether two sets of regions can be the same place: one is, or lies in, the other."""
    first, second = tuple(a), tuple(b)
    if not first or not second:
        return True
    lexicon = default_parser().lexicon

    def inside(small: str, large: str) -> bool:
        return small == large or (small in lexicon.regions and large in lexicon.ancestors(small))

    return any(inside(x, y) or inside(y, x) for x in first for y in second)


def one_side(a: str | None, b: str | None) -> bool:
    """Whether two sides can be the same."""
    return a is None or b is None or a == b


def _content(finding: Finding) -> tuple[str, ...]:
    """What a finding says, apart from where it stands in the report: something to sort by."""
    said = (finding.finding, finding.laterality, finding.anatomy, finding.severity, finding.polarity, finding.change)
    return tuple(map(str, (*said, finding.measurements, finding.text.lower())))


def _same_thing(one: Finding, other: Finding) -> bool:
    """Whether two mentions in one report are about one thing: `opacity … this consolidation`."""
    # `consolidation in keeping with pneumonia`: in one sentence neighbours are one thing too
    together = one.sentence_start == other.sentence_start and kin(one.finding, other.finding)
    if not (related(one.finding, other.finding) or together) or not one_side(one.laterality, other.laterality):
        return False
    return not _more_than_implied(one) or not _more_than_implied(other) or one_place(one.anatomy, other.anatomy)


def _more_than_implied(finding: Finding) -> bool:
    """Whether a place is more than what the finding's name implies."""
    entry = default_parser().lexicon.entries.get(finding.finding)
    return bool(finding.anatomy) and (entry is None or set(finding.anatomy) != set(entry.regions))


def _place_said(finding: Finding, text: str) -> bool:
    """Whether a report says where a finding is. Of a device with a tip it does, even where it is the usual place."""
    if _more_than_implied(finding):
        return True
    sentence = text[finding.sentence_start : finding.sentence_end]
    return bool(finding.anatomy) and finding.kind == "device" and bool(_TIP.search(sentence))


def _claim(group: list[Finding], text: str) -> Claim:
    lexicon = default_parser().lexicon
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
        anatomy=max((f.anatomy for f in group), key=lambda places: _depth(places)),
        laterality=first(f.laterality for f in group),
        severity=first(f.severity for f in group),
        grades=frozenset(grade for f in group for grade in _grades(f, text)),
        measurements=sizes,
        change=None if best.finding in _lists()["no_change"] else first(f.change for f in group),
        significance=max((f.significance for f in group), key=order.index),
        mentions=tuple(group),
        levels=frozenset(level for f in group for level in _levels(f, text)),
        place_said=any(_place_said(f, text) for f in group),
    )


def _grades(finding: Finding, text: str) -> set[str]:
    """The severities of a finding; `mild to moderate` has two, of which the parser keeps one."""
    if finding.severity is None:
        return set()
    sentence = text[finding.sentence_start : finding.sentence_end].lower()
    ranges = [{_GRADE_WORDS[word] for word in match} for match in _RANGE.findall(sentence)]
    return {finding.severity}.union(*(grades for grades in ranges if finding.severity in grades))


def _levels(finding: Finding, text: str) -> set[str]:
    """The vertebrae or ribs a sentence names, for a finding of the spine or of ribs."""
    lexicon = default_parser().lexicon
    regions = {r for place in finding.anatomy if place in lexicon.regions for r in (place, *lexicon.ancestors(place))}
    sentence = text[finding.sentence_start : finding.sentence_end]
    if "spine" in regions:
        return {match.upper() for match in _VERTEBRA.findall(sentence)}
    if "rib" in regions:
        return {f"rib {_ORDINALS.get(number.lower(), number)}" for number in _RIB.findall(sentence)}
    return set()


def _depth(places: tuple[str, ...]) -> int:
    """How exactly a place is said."""
    lexicon = default_parser().lexicon
    return max((1 + len(lexicon.ancestors(p)) for p in places if p in lexicon.regions), default=0)
