"""RaTE's way to write down a report (Zhao et al. 2024): spans of five types, without relations."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from radeval_core.findings.lexicon import Roles
from radeval_core.findings.match import find_forms
from radeval_core.findings.parser import default_parser
from radeval_core.findings.structures import Finding, ParsedReport, RateEntity, Sentence
from radeval_core.findings.text import tokenize

TYPES = ("Anatomy", "Abnormality", "Disease", "Non-Abnormality", "Non-Disease")


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of the lexicon in the report: its characters `start` to `end`, its tokens `first` to `after`."""

    start: int
    end: int
    roles: Roles
    first: int
    after: int

    @property
    def names_place(self) -> bool:
        """Whether it is a region or side and nothing else."""
        return bool(self.roles.region or self.roles.side) and not self.roles.finding


def rate_entities(report: ParsedReport) -> tuple[RateEntity, ...]:
    """The entities of a report in the order of the text, none overlapping another.

    A finding that is absent is a Non-Disease or Non-Abnormality; devices and procedures count as abnormalities. What is
    said of a place is apart from the place: in `heart size is normal`, `heart size` is Anatomy and `normal` a
    Non-Abnormality. A place includes its side. Implied findings are no words, so no entities.
    """
    entities: list[RateEntity] = []
    findings: dict[int, list[Finding]] = {}
    for finding in report.stated:
        findings.setdefault(finding.sentence_start, []).append(finding)
    for sentence in report.sentences:
        for start, end, kind in _spans(sentence, findings.get(sentence.start, [])):
            entities.append(RateEntity(report.text[start:end], kind, start, end))
    return tuple(entities)


def _spans(sentence: Sentence, findings: Sequence[Finding]) -> list[tuple[int, int, str]]:
    """Start, end and type of the entities of a sentence, in their order.

    The words of a finding come before those of a normal statement, and those before the places that are left; of two
    that overlap, the longer.
    """
    forms = _forms(sentence)
    said = {(*_said(f, forms), _type(f)) for f in findings if f.kind != "normality"}
    normal = {(*_said(f, forms), _type(f)) for f in findings if f.kind == "normality"}
    places = {(start, end, "Anatomy") for start, end in _places(forms)}
    taken: list[tuple[int, int, str]] = []
    for spans in (said, normal, places):
        for span in sorted(spans, key=lambda s: (s[0] - s[1], s)):
            at = bisect_left(taken, span)
            if (at == 0 or taken[at - 1][1] <= span[0]) and (at == len(taken) or span[1] <= taken[at][0]):
                taken.insert(at, span)
    return taken


def _type(finding: Finding) -> str:
    if finding.kind == "normality":
        return "Non-Abnormality"
    base = "Disease" if finding.kind == "disease" else "Abnormality"
    return f"Non-{base}" if finding.polarity == "absent" else base


def _forms(sentence: Sentence) -> list[_Form]:
    tokens = tokenize(sentence.text)
    at = sentence.start
    return [
        _Form(at + tokens.starts[m.start], at + tokens.ends[m.end - 1], m.roles, m.start, m.end)
        for m in find_forms(tokens.words, default_parser().lexicon)
    ]


def _said(finding: Finding, forms: Sequence[_Form]) -> tuple[int, int]:
    """Where a finding is said, without the place at either end: `mildly enlarged` of `heart is mildly enlarged`."""
    first = bisect_left(forms, finding.start, key=lambda form: form.start)
    after = bisect_left(forms, finding.end, first, key=lambda form: form.start)
    inside = [form for form in forms[first:after] if form.end <= finding.end]
    if any("generic" in form.roles.cues for form in inside):  # `acute cardiopulmonary process` is one phrase
        return finding.start, finding.end
    words = [form for form in inside if not form.names_place]
    return (words[0].start, words[-1].end) if words else (finding.start, finding.end)


def _places(forms: Sequence[_Form]) -> Iterator[tuple[int, int]]:
    """Where a region is named, with the side directly before it."""
    for before, form in zip([None, *forms], forms, strict=False):
        if form.roles.region:
            sided = before is not None and before.after == form.first and before.roles.side and before.names_place
            yield before.start if before is not None and sided else form.start, form.end
