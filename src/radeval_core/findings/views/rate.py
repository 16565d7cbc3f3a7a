"""A report in RaTE's schema (Zhao et al. 2024): spans of five types, without relations."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from radeval_core.findings.lexicon import Lexicon, Roles
from radeval_core.findings.match import find_forms
from radeval_core.findings.text import tokenize
from radeval_core.findings.types import Finding, ParsedReport, RateEntity, Sentence

TYPES = ("Anatomy", "Abnormality", "Disease", "Non-Abnormality", "Non-Disease")


@dataclass(frozen=True, slots=True)
class _Form:
    """A lexicon form in the report: characters `start` to `end`, tokens `first` to `after` of its sentence."""

    start: int
    end: int
    roles: Roles
    first: int
    after: int

    @property
    def names_place(self) -> bool:
        """Return whether the form is a region or a side, and not a finding."""
        return bool(self.roles.region or self.roles.side) and not self.roles.finding


def rate_entities(report: ParsedReport) -> tuple[RateEntity, ...]:
    """Return the entities of a report in the order of the text; they do not overlap.

    An absent finding is a Non-Disease or Non-Abnormality; devices and procedures count as abnormalities. A place and
    its description are separate entities: in `heart size is normal`, `heart size` is Anatomy and `normal` is a
    Non-Abnormality. A place includes its side. Implied findings have no words, so they are not entities.
    """
    entities: list[RateEntity] = []
    findings: dict[int, list[Finding]] = {}
    for finding in report.stated:
        findings.setdefault(finding.sentence_start, []).append(finding)
    for sentence in report.sentences:
        for start, end, kind in _spans(sentence, findings.get(sentence.start, []), report.lexicon):
            entities.append(RateEntity(report.text[start:end], kind, start, end))
    return tuple(entities)


def _spans(sentence: Sentence, findings: Sequence[Finding], lexicon: Lexicon) -> list[tuple[int, int, str]]:
    """Return start, end and type of the entities of a sentence, in order.

    Of spans that overlap, a finding wins over a normal statement, and both win over a place; within these groups the
    longer one wins.
    """
    forms = _forms(sentence, lexicon)
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


def _forms(sentence: Sentence, lexicon: Lexicon) -> list[_Form]:
    tokens = tokenize(sentence.text)
    at = sentence.start
    return [
        _Form(at + tokens.starts[m.start], at + tokens.ends[m.end - 1], m.roles, m.start, m.end)
        for m in find_forms(tokens.words, lexicon)
    ]


def _said(finding: Finding, forms: Sequence[_Form]) -> tuple[int, int]:
    """Return the span of a finding without the place at either end: `mildly enlarged` of `heart is mildly enlarged`."""
    first = bisect_left(forms, finding.start, key=lambda form: form.start)
    after = bisect_left(forms, finding.end, first, key=lambda form: form.start)
    inside = [form for form in forms[first:after] if form.end <= finding.end]
    if any("generic" in form.roles.cues for form in inside):  # `acute cardiopulmonary process` is one phrase
        return finding.start, finding.end
    words = [form for form in inside if not form.names_place]
    return (words[0].start, words[-1].end) if words else (finding.start, finding.end)


def _places(forms: Sequence[_Form]) -> Iterator[tuple[int, int]]:
    """Yield the spans that name a region, each with the side directly before it."""
    for before, form in zip([None, *forms], forms, strict=False):
        if form.roles.region:
            sided = before is not None and before.after == form.first and before.roles.side and before.names_place
            yield before.start if before is not None and sided else form.start, form.end
