"""A judge without a model: it parses both reports and compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from radeval_core.findings.types import ParsedReport
from radeval_core.judges.verdict import Case, Verdict
from radeval_core.patient_context import PatientContext

A = TypeVar("A")


@dataclass(frozen=True)
class EmbeddedJudge(Generic[A]):
    """Compares parsed reports.

    Attributes:
        read: returns the parsed report of each text; it uses the run's store, so each text is parsed once.
        lexicon: hash of the lexicon, for the signature.
        analyse: compares a parsed reference with a parsed candidate, given what is known about the patient.
        open_match: how findings beyond the lexicon are compared, for the signature.
    """

    read: Callable[[Sequence[str]], Mapping[str, ParsedReport]]
    lexicon: str
    analyse: Callable[[ParsedReport, ParsedReport, PatientContext | None], A]
    open_match: str = "words"

    @property
    def fields(self) -> dict[str, object]:
        """Return the judge's fields of a signature."""
        return {"backend": "embedded", "lexicon": self.lexicon, "open": self.open_match}

    def shown(self, report: str) -> str:
        """Return the report: this judge sees all of it, unchanged."""
        return report

    def asked(self, reference: str, candidate: str, verdict: Verdict[A]) -> dict[str, Any]:
        """Return nothing: no model was asked."""
        return {}

    @property
    def asks(self) -> str:
        """Return nothing: no model is asked."""
        return ""

    def watch(self, on_wait: Callable[[str], None]) -> None:
        """Do nothing: this judge waits for nobody."""

    def verdicts(self, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict[A]]]:
        """Yield the index and verdict of every case, in order."""
        reports = self.read([text for case in cases for text in (case.reference, case.candidate)])
        for place, (reference, candidate, context) in enumerate(cases):
            yield place, Verdict(self.analyse(reports[reference], reports[candidate], context))
