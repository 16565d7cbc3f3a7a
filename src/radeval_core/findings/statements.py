"""The statements of a report: its claims, what it denies, and what it calls normal, each described in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from radeval_core.findings.claims import Claim, listed, read_claims
from radeval_core.findings.mention_groups import more_than_implied
from radeval_core.findings.types import Finding, ParsedReport, Span


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a report states, in one or several sentences.

    Attributes:
        text: the statement in words: `mild left pleural effusion`, `no pneumothorax`, `normal heart`.
        mentions: its mentions in the report.
        claim: the claim, if something is stated as present or possible; else None.
        excludes: the absent findings that a normal statement implies.
    """

    text: str
    mentions: tuple[Finding, ...]
    claim: Claim | None = None
    excludes: tuple[Finding, ...] = ()

    @property
    def stated(self) -> Finding:
        """Return the first mention."""
        return self.mentions[0]

    @property
    def normal(self) -> bool:
        """True if it calls something normal."""
        return self.stated.kind == "normality"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return where its mentions begin and end in the report."""
        return tuple(dict.fromkeys((f.start, f.end) for f in self.mentions))


def read_statements(report: ParsedReport) -> list[Statement]:
    """Return the statements of a report, by their first mention."""
    found = [Statement(_claim_text(claim), _in_order(claim.mentions), claim) for claim in read_claims(report)]
    denied: dict[tuple[object, ...], list[Finding]] = {}
    normal: dict[tuple[object, ...], list[Finding]] = {}
    for finding in (*report.stated, *report.open):
        if finding.kind == "normality":
            normal.setdefault((finding.finding, finding.laterality), []).append(finding)
        elif finding.polarity == "absent" and finding.finding not in listed("not_judged"):
            said = (finding.finding, finding.laterality, finding.anatomy, finding.severity, finding.change)
            denied.setdefault(said, []).append(finding)
    found += [Statement(_denial_text(group[0], report), tuple(group)) for group in denied.values()]
    implied: dict[Span, list[Finding]] = {}
    for finding in report.findings:
        if finding.implied and finding.polarity == "absent":
            implied.setdefault((finding.start, finding.end), []).append(finding)
    for group in normal.values():
        here = [e for f in group for e in implied.get((f.start, f.end), ()) if _same_place(e, f)]
        found.append(Statement(_normal_text(group[0]), tuple(group), excludes=tuple(here)))
    return sorted(found, key=lambda statement: (statement.stated.start, statement.text))


def _same_place(excluded: Finding, normal: Finding) -> bool:
    """Return whether an implied absence belongs to a normal statement with the same words."""
    return not normal.anatomy or (excluded.anatomy, excluded.laterality) == (normal.anatomy, normal.laterality)


def _in_order(mentions: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(mentions, key=lambda finding: finding.start))


def _claim_text(claim: Claim) -> str:
    """Return a claim in words; a name that is only possible is left out if another one is certain."""
    sizes = [f"{size:g} mm" for size in claim.measurements]
    numbers = sorted(number for number in claim.numbers if number != "one")
    grades = sorted(claim.grades, key=("mild", "moderate", "severe").index)
    name = claim.finding if claim.finding not in claim.doubted or not claim.certain else claim.stated.finding
    before = (
        "" if claim.certain else "possible",
        claim.change or "",
        " or ".join(numbers),
        " by ".join(sizes),
        " to ".join(grades),
        claim.laterality or "",
    )
    return _joined((*before, name), claim.anatomy if claim.place_said else (), claim.levels)


def _denial_text(finding: Finding, report: ParsedReport) -> str:
    words = ("resolved" if finding.change == "resolved" else "no", finding.severity or "", finding.laterality or "")
    return _joined((*words, finding.finding), finding.anatomy if more_than_implied(finding, report.lexicon) else ())


def _normal_text(finding: Finding) -> str:
    side = finding.laterality or ""
    return " ".join(filter(None, ("normal", side, finding.finding.removeprefix("normal_").replace("_", " "))))


def _joined(words: Iterable[str], places: Iterable[str], levels: Iterable[str] = ()) -> str:
    text = " ".join(word.replace("_", " ") for word in words if word)
    where = ", ".join([*(place.replace("_", " ") for place in places), *sorted(levels)])
    return f"{text} ({where})" if where else text
