"""Compare two reports and mark the candidate's errors on its text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from radeval_core.corrections.apply import sentence
from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import SEVERITY
from radeval_core.error_categories import FALSE_FINDING, MISSING_FINDING, in_words
from radeval_core.findings.claims import Claim
from radeval_core.findings.compare import Comparison, compare
from radeval_core.findings.coverage import coverage_of
from radeval_core.findings.differences import Difference
from radeval_core.findings.parser import parse
from radeval_core.findings.types import ParsedReport, Span
from radeval_core.judges.crimson.context_rules import context_table
from radeval_core.judges.crimson.significance import significance
from radeval_core.judges.fineradscore.rating import rate
from radeval_core.judges.fineradscore.statements import distinct_words
from radeval_core.judges.fineradscore.writer import Writer
from radeval_core.metrics._coverage import PairCoverage
from radeval_core.patient_context import PatientContext
from radeval_core.ui.sheet.lone_claims import inserted, struck
from radeval_core.ui.sheet.marks import Edit, Mark, Sheet, worst_first
from radeval_core.ui.sheet.wrong_words import edits_between, phrase_span

#: the severity of CRIMSON's levels, where the patient's context changes the level of a finding
_LEVEL = {
    "urgent": 3,
    "actionable_not_urgent": 2,
    "not_actionable_not_urgent": 1,
    "benign_expected": 1,
}


def read_sheet(
    reference: str,
    candidate: str,
    context: PatientContext | None = None,
    read: Callable[[str], ParsedReport] = parse,
) -> Sheet:
    """Return the marked-up candidate.

    Args:
        reference: the reference.
        candidate: the candidate.
        context: what is known about the patient.
        read: parses a report; by default with the built-in lexicon.
    """
    return sheet_of(read(reference), read(candidate), context)


def sheet_of(reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None = None) -> Sheet:
    """Return the marked-up candidate of two parsed reports."""
    covered = PairCoverage(coverage_of(candidate), coverage_of(reference))
    sentences = tuple((s.start, s.end) for s in candidate.sentences)
    if covered.problem:
        problem = covered.problem.removeprefix("not scored: ")
        return Sheet(candidate.text, (), sentences, (), covered.prediction.unread, problem)
    comparison = compare(reference, candidate)
    marks = _Marker(reference, candidate, comparison, context).marks()
    return Sheet(
        candidate.text, worst_first(marks), sentences, _matched(comparison, candidate), covered.prediction.unread
    )


class _Marker:
    """Makes the marks of one comparison."""

    def __init__(
        self,
        reference: ParsedReport,
        candidate: ParsedReport,
        comparison: Comparison,
        context: PatientContext | None,
    ) -> None:
        self.reference, self.candidate, self.context = reference, candidate, context
        self.comparison = comparison
        self.writer = Writer(reference, candidate, comparison, split_lines(candidate.text))

    def marks(self) -> list[Mark]:
        found = [self._mark(difference) for difference in self.comparison.differences]
        vaguer = [d for d in self.comparison.shortfalls if d.aspect != "certainty"]
        found += [Mark(0, d.category, d.about, self._edits(d)) for d in vaguer]
        return found

    def _mark(self, difference: Difference) -> Mark:
        severity, note = self._severity(difference)
        return Mark(severity, difference.category, say(difference), self._edits(difference), note)

    def _edits(self, difference: Difference) -> tuple[Edit, ...]:
        theirs, ours = difference.reference, difference.candidate
        if ours is None:
            assert theirs is not None
            return inserted(theirs, partial(self._state, theirs), difference.denial, self.reference, self.candidate)
        if theirs is None:
            return struck(ours, difference.denial, self.reference, self.candidate)
        return edits_between(difference, self.reference, self.candidate)

    def _state(self, claim: Claim, like: str) -> str:
        """Return the reference's sentence about a claim that is most like a sentence of the candidate.

        A sentence that makes other claims too is left out: the writer describes the claim instead.
        """
        wanted = distinct_words(like)
        sentences = {m.sentence_start: self.reference.text[m.sentence_start : m.sentence_end] for m in claim.mentions}
        alone = [words for start, words in sentences.items() if self.writer.crowded[start] <= 1]
        if not like or not alone:
            return self.writer.statement(claim, wanted)
        return sentence(max(alone, key=lambda words: len(distinct_words(words) & wanted) / (1 + len(words.split()))))

    def _severity(self, difference: Difference) -> tuple[int, str]:
        """Return the severity of an error; the patient's context can change that of a missing or false finding."""
        severity = SEVERITY[rate(difference)]
        claim = difference.reference or difference.candidate
        alone = difference.reference is None or difference.candidate is None
        if self.context is None or claim is None or not alone:
            return severity, ""
        text = (self.reference if difference.reference else self.candidate).text
        level, changes = context_table().adjust(significance(claim, text), claim, self.context, self.reference.lexicon)
        if not changes:
            return severity, ""
        return max(_LEVEL[level], severity if _LEVEL[level] == 3 else 0), f"in this patient: {changes[-1].rule.why}"


def say(difference: Difference) -> str:
    """Return an error in words, without its category."""
    if difference.category == FALSE_FINDING and difference.reference is None:
        return f"{difference.about}: {'denied by' if difference.denial else 'not in'} the reference"
    if difference.category == MISSING_FINDING and difference.candidate is None:
        return f"{difference.about}: {'denied' if difference.denial else 'not mentioned'}"
    if difference.candidate is None or difference.reference is None:
        return f"{difference.about}: {in_words(difference.category)}"
    return difference.about


def _matched(comparison: Comparison, candidate: ParsedReport) -> tuple[Span, ...]:
    """Return what agrees with the reference: findings without any difference, and shared normal statements."""
    every = (*comparison.differences, *comparison.shortfalls)
    wrong = {id(d.candidate) for d in every}
    spans = [_spans(ours, candidate) for _, ours in comparison.matched if id(ours) not in wrong]
    found = [span for group in spans for span in group]
    denied = {d.denial.sentence_start for d in comparison.differences if d.denial and d.candidate is None}
    found += [
        (f.start, f.end)
        for f in candidate.every
        if (f.kind == "normality" or f.polarity == "absent")
        and not f.implied
        and f.finding in comparison.normal
        and f.sentence_start not in denied
    ]
    return tuple(sorted(set(found)))


def _spans(claim: Claim, candidate: ParsedReport) -> list[Span]:
    return [phrase_span(candidate, mention) for mention in claim.mentions]
