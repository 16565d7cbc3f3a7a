"""The verdict on a pair, and the interfaces of judges and of their instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from radeval_core.judges.backends.base import Request
from radeval_core.judges.prompt_safety import ShownReport
from radeval_core.patient_context import PatientContext

A = TypeVar("A", covariant=True)


class Case(NamedTuple):
    """What is judged. Equal cases are judged once.

    Attributes:
        reference: the reference report.
        candidate: the candidate report.
        context: what is known about the patient; None if the metric does not use it or nothing is known.
    """

    reference: str
    candidate: str
    context: PatientContext | None = None


class UnreadableAnswer(Exception):
    """An answer without the requested content; the message says what is wrong."""


@dataclass(frozen=True)
class Verdict(Generic[A]):
    """The outcome for one pair.

    Attributes:
        analysis: the judge's analysis, or None.
        reason: why there is no analysis; empty if there is one.
        answer: the model's last answer, unchanged; empty without a model.
        tries: number of times the model was asked.
        failure: the reason without anything that a model or a server wrote, for logs and counts; empty if there is
            an analysis or the model was not asked.
    """

    analysis: A | None
    reason: str = ""
    answer: str = ""
    tries: int = 1
    failure: str = ""


class Judge(Protocol[A]):
    """Analyses pairs of reports, with our comparison of findings or with a model that follows instructions."""

    @property
    def fields(self) -> dict[str, object]:
        """Return the judge's fields of a signature."""

    def shown(self, report: str) -> str:
        """Return a report as the judge sees it."""

    def asked(self, reference: str, candidate: str, verdict: Verdict[Any]) -> dict[str, Any]:
        """Return what `details` record of the judging itself: nothing, or what a model was shown and answered."""

    @property
    def asks(self) -> str:
        """Return the model that is asked, with its server; empty without a model."""

    def watch(self, on_wait: Callable[[str], None]) -> None:
        """Call a function with what the judge waits for, about once a second."""

    def verdicts(self, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict[A]]]:
        """Yield the index and verdict of every case, in any order."""


class Instructions(Protocol[A]):
    """The questions a metric asks a model, and the reader of the answers."""

    @property
    def identity(self) -> str:
        """Return name and version of the instructions."""

    @property
    def tries(self) -> int:
        """Return how often to ask a model about a pair, at most, until it gives a readable answer."""

    def settled(self, reference: str, candidate: str) -> Verdict[A] | None:
        """Return the verdict on a pair that needs no model, or None."""

    def shown(self, report: str) -> ShownReport:
        """Return a report as the question contains it."""

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about a pair. Report text in it is data: it cannot end or change the instructions.

        Args:
            reference: the reference report.
            candidate: the candidate report.
            context: what is known about the patient, for metrics that use it.
        """

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """Return the question to ask after an unreadable answer."""

    def read(self, reference: str, candidate: str, answer: str) -> A:
        """Return the analysis in an answer.

        Raises:
            UnreadableAnswer: the answer contains none.
        """
