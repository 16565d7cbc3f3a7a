"""What a judge asks and what it gets back, whichever model answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Message:
    """One turn of a conversation: `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class Request:
    """One question to a model.

    Attributes:
        messages: the conversation so far.
        rendered: the exact text a checkpoint was trained on, special tokens written out; where a model on this
            machine answers it is used as it is, instead of the model's chat template.
        max_tokens: the longest answer.
        max_total: the longest prompt and answer together, where the checkpoint was trained so; None for no such limit.
        schema: JSON schema the answer must follow, where the backend can enforce one.
    """

    messages: tuple[Message, ...]
    rendered: str | None = None
    max_tokens: int = 1024
    max_total: int | None = None
    schema: dict[str, Any] | None = None


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        text: the answer; None if there is none.
        reason: why there is none, or that it was cut.
        prompt_tokens: length of the prompt, where known.
        answer_tokens: length of the answer, where known.
    """

    text: str | None
    reason: str = ""
    prompt_tokens: int = 0
    answer_tokens: int = 0


class Backend(Protocol):
    """Answers requests."""

    @property
    def identity(self) -> str:
        """Everything that can change an answer: backend, model, revision, number format, decoding."""

    @property
    def fields(self) -> dict[str, object]:
        """The same for a signature: `backend`, `model`, `dtype`, `decoding`."""

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """The place of each request and its answer, as soon as it is there, in any order; none is left out."""
