"""Turn a question into token ids. No text inside a message can become a special token of the model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from radeval_core.errors import CheckpointError, needs_extra
from radeval_core.judges.backends.base import Message, Request

#: a fixed date, because a template that prints today's date would change the question every day; and no thinking,
#: because it would use up the tokens of the answer. Templates without these options ignore them.
_TEMPLATE_OPTIONS = {"date_string": "01 Jan 2024", "enable_thinking": False}
#: the end token of Llama and Mistral
_USUAL_END = "</s>"


@dataclass(frozen=True)
class Prompt:
    """The input of a model on this machine.

    Attributes:
        ids: token ids, including special tokens.
        limit: the most tokens the answer may have; 0 or less if the prompt is too long.
        room: the most tokens prompt and answer may have together.
        schema: JSON schema the answer must follow.
    """

    ids: tuple[int, ...]
    limit: int
    room: int
    schema: dict[str, Any] | None = field(default=None, hash=False)

    @property
    def too_long(self) -> str:
        """Return why the prompt is too long to be answered; an empty text if it is not."""
        if self.limit > 0:
            return ""
        return f"the prompt has {len(self.ids)} tokens: prompt and answer together may have {self.room}"


class PromptMaker:
    """Renders and tokenises questions for one model.

    Args:
        tokenizer: the model's tokenizer.
        context: the most tokens the model takes, prompt and answer together.
        name: the model's name, for messages.
    """

    def __init__(self, tokenizer: Any, context: int, name: str) -> None:
        self.tokenizer = tokenizer
        self.context = context
        self.name = name
        added = getattr(tokenizer, "added_tokens_decoder", {}).values()
        written = {token.content for token in added if token.special} | set(tokenizer.all_special_tokens)
        self.special = sorted((token for token in written if len(token) > 1), key=len, reverse=True)

    @property
    def template_version(self) -> str:
        """Return a short hash of the chat template, and an unusual end token: both change the questions."""
        digest = hashlib.sha256(str(self.tokenizer.chat_template or "").encode()).hexdigest()[:8]
        return digest if self.tokenizer.eos_token in (None, _USUAL_END) else f"{digest}|end:{self.tokenizer.eos_token}"

    def prompt(self, request: Request) -> Prompt:
        if request.rendered is not None:
            bos = self.tokenizer.bos_token
            text = self._with_own_end(request.rendered, request.end)
            ids = self._ids(text, add_special_tokens=not (bos and text.startswith(bos)))
        else:
            ids = self._ids(self._render(request.messages), add_special_tokens=False)
        room = min(request.max_total or self.context, self.context)
        return Prompt(tuple(ids), min(request.max_tokens, room - len(ids)), room, request.schema)

    def _with_own_end(self, rendered: str, end: str) -> str:
        """Return a rendered prompt with the model's own end token."""
        own = self.tokenizer.eos_token
        return rendered.replace(end, own) if end and own else rendered

    def _ids(self, text: str, add_special_tokens: bool) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=add_special_tokens)["input_ids"]
        return ids

    def _render(self, messages: Sequence[Message]) -> str:
        if not self.tokenizer.chat_template:
            raise CheckpointError(f"{self.name} has no chat template, so it cannot answer this: give a chat model")
        try:
            from jinja2 import TemplateError
        except ImportError as error:
            raise needs_extra("judges", "a chat template") from error
        turns = [{"role": message.role, "content": self.inert(message.content)} for message in messages]
        try:
            return self._apply(turns)
        except TemplateError:
            if len(turns) < 2 or turns[0]["role"] != "system":
                raise
            # some templates have no system turn: put the instructions at the start of the first user turn
            first = {"role": "user", "content": f"{turns[0]['content']}\n\n{turns[1]['content']}"}
            return self._apply([first, *turns[2:]])

    def _apply(self, turns: list[dict[str, str]]) -> str:
        text: str = self.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True, **_TEMPLATE_OPTIONS
        )
        return text

    def inert(self, text: str) -> str:
        """Return the text with the model's special tokens broken up: `</s>` becomes `< /s>`."""
        while found := next((token for token in self.special if token in text), None):
            text = text.replace(found, f"{found[0]} {found[1:]}")
        return text
