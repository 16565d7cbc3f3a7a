"""RadFact without a model: the phrases are the statements our parser reads, and our comparison judges them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from radeval_core.findings.entailment import Premises, Support
from radeval_core.findings.types import Box, ParsedReport, Span
from radeval_core.functional.radfact import JudgedPhrase
from radeval_core.judges.radfact.analysis import GivenPair, GivenPhrase, RadFactAnalysis, SideAnalysis


@dataclass(frozen=True)
class _Phrase:
    """A phrase, and the statements in it.

    Attributes:
        text: the phrase in words.
        statements: indices of its statements.
        spans: where it is in the report.
        boxes: where it is on the image, if the user gives that.
    """

    text: str
    statements: tuple[int, ...]
    spans: tuple[Span, ...]
    boxes: tuple[Box, ...] | None = None


def analyse(
    reference: ParsedReport, candidate: ParsedReport, given: GivenPair | None = None, positive_only: bool = False
) -> RadFactAnalysis:
    """Return the phrases of two reports, read with the same lexicon, judged by each other.

    Args:
        reference: the reference.
        candidate: the candidate.
        given: the phrases of both reports with their boxes; by default each statement is a phrase. A given phrase of
            which the parser understands nothing is left out.
        positive_only: leave out what a report denies or calls normal.
    """
    theirs, ours = Premises(reference), Premises(candidate)
    phrases = (
        _phrases(ours, given.prediction if given else None, positive_only),
        _phrases(theirs, given.reference if given else None, positive_only),
    )
    return RadFactAnalysis(_judged(phrases[0], ours, phrases[1], theirs), _judged(phrases[1], theirs, phrases[0], ours))


def _phrases(premises: Premises, given: Sequence[GivenPhrase] | None, positive_only: bool) -> list[_Phrase]:
    statements = [(i, s) for i, s in enumerate(premises.statements) if s.claim or not positive_only]
    if given is None:
        return [_Phrase(statement.text, (i,), statement.spans) for i, statement in statements]
    found = []
    for phrase in given:
        inside = [i for i, s in statements if any(phrase.start <= a and b <= phrase.end for a, b in s.spans)]
        if inside:
            found.append(_Phrase(phrase.text, tuple(inside), ((phrase.start, phrase.end),), phrase.boxes))
    return found


def _judged(phrases: Sequence[_Phrase], premises: Premises, others: Sequence[_Phrase], other: Premises) -> SideAnalysis:
    """Return the phrases of one report, judged by the statements of the other."""
    owners: dict[int, list[int]] = {}
    for place, phrase in enumerate(others):
        for statement in phrase.statements:
            owners.setdefault(statement, []).append(place)
    judged, reasons = [], []
    asked = list(dict.fromkeys(i for phrase in phrases for i in phrase.statements))
    answers = dict(zip(asked, other.supports([premises.statements[i] for i in asked]), strict=True))
    for phrase in phrases:
        supports = [answers[i] for i in phrase.statements]
        entailed = all(support.entailed for support in supports)
        deciding = [support for support in supports if support.entailed == entailed]
        judged.append(JudgedPhrase(phrase.text, entailed, _evidence(deciding, owners), phrase.boxes))
        reasons.append("; ".join(dict.fromkeys(support.why for support in deciding if support.why)))
    return SideAnalysis(tuple(judged), tuple(phrase.spans for phrase in phrases), tuple(reasons))


def _evidence(supports: Iterable[Support], owners: dict[int, list[int]]) -> tuple[int, ...]:
    """Return the phrases of the other report that contain the statements that decide."""
    return tuple(dict.fromkeys(place for s in supports for i in s.evidence for place in owners.get(i, ())))
