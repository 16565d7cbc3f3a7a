"""The questions of a judge and the answers of a model, the same for every backend."""

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
        rendered: the prompt exactly as in the checkpoint's training, with special tokens; a model on this machine
            gets it instead of the messages in its chat template.
        end: the token in `rendered` that ends a turn; a model with another end token gets that one in its place. Empty
            if `rendered` is the same for every model.
        max_tokens: the most tokens an answer may have.
        max_total: the most tokens prompt and answer may have together, if the checkpoint was trained with such a
            limit; None for no limit.
        schema: JSON schema of the answer; enforced if the backend can.
    """

    messages: tuple[Message, ...]
    rendered: str | None = None
    end: str = ""
    max_tokens: int = 1024
    max_total: int | None = None
    schema: dict[str, Any] | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to a request.

    Attributes:
        text: the answer; None if the model gave none.
        reason: why the answer is missing or incomplete; empty if it is complete.
        prompt_tokens: length of the prompt; 0 if unknown.
        answer_tokens: length of the answer; 0 if unknown.
        decoding: how the answer was decoded, if that differs from the backend's `decoding` field; else empty.
    """

    text: str | None
    reason: str = ""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    decoding: str = ""


class Backend(Protocol):
    """Answers requests."""

    @property
    def identity(self) -> str:
        """Return everything that can change an answer: backend, model, revision, number format, decoding."""

    @property
    def fields(self) -> dict[str, object]:
        """Return the same as fields of a signature: `backend`, `model`, `context` if known, `dtype`, `decoding`."""

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """Yield the index and the answer of every request, each as soon as it is ready, in any order."""
