"""Read the body of a server's reply. It is untrusted: whatever is wrong with it is named, and nothing is quoted."""

from __future__ import annotations

import json
from typing import Any

from radeval_core.judges.backends.base import Answer

#: token counts above this are nonsense
_MOST_TOKENS = 10**9
_JSON_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number",
               float: "a number", type(None): "null"}  # fmt: skip


class NoAnswer(Exception):
    """The server's reply contains no answer; another try may succeed. The message never quotes the reply."""


def openai_answer(body: bytes) -> Answer:
    """Return the answer in the body of a chat completion.

    Raises:
        NoAnswer: the body contains none; the message says what is wrong.
    """
    reply = _reply(body)
    choices = _part(reply, "choices", list)
    if not choices:
        raise NoAnswer("the server's reply has no choices")
    choice = _checked(choices[0], "choices[0]", dict)
    message = _part(choice, "message", dict, "choices[0].")
    tokens = _tokens(reply.get("usage"), "prompt_tokens", "completion_tokens")
    why = choice.get("finish_reason")
    if message.get("refusal") or why == "content_filter":
        return Answer(None, "the model refused to answer", *tokens)
    content = message.get("content")
    text = "" if content is None else _checked(content, "message.content", str)
    return Answer(text, _cut(why == "length", tokens), *tokens)


def anthropic_answer(body: bytes) -> Answer:
    """Return the answer in the body of a message.

    Raises:
        NoAnswer: the body contains none; the message says what is wrong.
    """
    reply = _reply(body)
    blocks = [_checked(block, "a block of content", dict) for block in _part(reply, "content", list)]
    tokens = _tokens(reply.get("usage"), "input_tokens", "output_tokens")
    why = reply.get("stop_reason")
    if why == "refusal":
        return Answer(None, "the model refused to answer", *tokens)
    texts = [_part(block, "text", str, "content.") for block in blocks if block.get("type") == "text"]
    return Answer("".join(texts), _cut(why == "max_tokens", tokens), *tokens)


def _reply(body: bytes) -> dict[str, Any]:
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        raise NoAnswer("the server's reply is not JSON") from None
    if not isinstance(reply, dict):
        raise NoAnswer(f"the server's reply is {_kind(reply)}, not an object")
    return reply


def _part(values: dict[str, Any], name: str, kind: type, where: str = "") -> Any:
    if name not in values:
        raise NoAnswer(f"the server's reply has no {where}{name}")
    return _checked(values[name], f"{where}{name}", kind)


def _checked(value: Any, name: str, kind: type) -> Any:
    if not isinstance(value, kind):
        raise NoAnswer(f"{name} of the server's reply is {_kind(value)}, not {_JSON_KINDS[kind]}")
    return value


def _kind(value: Any) -> str:
    return _JSON_KINDS[type(value)]


def _tokens(usage: Any, prompt: str, answer: str) -> tuple[int, int]:
    """Return both counts, 0 for one that is missing or nonsense: it does not spoil the answer."""
    known = usage if isinstance(usage, dict) else {}
    counts = [known.get(name) for name in (prompt, answer)]
    first, second = (n if type(n) is int and 0 <= n <= _MOST_TOKENS else 0 for n in counts)
    return first, second


def _cut(was_cut: bool, tokens: tuple[int, int]) -> str:
    if not was_cut:
        return ""
    return f"the answer was cut at {tokens[1]} tokens" if tokens[1] else "the answer was cut"
