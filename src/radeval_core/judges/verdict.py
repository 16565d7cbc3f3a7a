"""What a judge says of a pair, or why it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from radeval_core.judges.backends.base import Request

A = TypeVar("A", covariant=True)


class UnreadableAnswer(Exception):
    """An answer that does not say what was asked for; the message says what is wrong with it."""


@dataclass(frozen=True)
class Verdict(Generic[A]):
    """The outcome for one pair.

    Attributes:
        analysis: what the judge found; None if no answer could be read.
        reason: why there is none; empty otherwise.
        answer: the model's last answer as it came; empty without a model.
        tries: how often the model was asked.
    """

    analysis: A | None
    reason: str = ""
    answer: str = ""
    tries: int = 1


class Judge(Protocol[A]):
    """Instructions and a reader of answers: what a metric gives to the engine."""

    @property
    def identity(self) -> str:
        """Name and version of the instructions."""

    @property
    def tries(self) -> int:
        """How often an unreadable answer is asked for again at most, the first time included."""

    def request(self, reference: str, candidate: str) -> Request:
        """The question about a pair. Report text in it is data: nothing in it can end or change the instructions."""

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """The question after an answer that could not be read."""

    def read(self, reference: str, candidate: str, answer: str) -> A:
        """The structure an answer holds.

        Raises:
            UnreadableAnswer: it does not hold one.
        """
