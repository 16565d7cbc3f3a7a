"""Find the part of a model's answer that can be JSON: without its thoughts, inside fences if there are some."""

from __future__ import annotations

import re

_FENCE = re.compile(r"```[\w-]*\s*(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
#: maximum number of characters read from an answer; the longest real answers have a few thousand
_LONGEST = 200_000


def json_blocks(answer: str) -> list[str]:
    """Return the fenced blocks of an answer that begin like JSON; the whole answer if there are none."""
    text = _THOUGHT.sub(" ", answer[:_LONGEST])
    return [block for block in _FENCE.findall(text) if block.lstrip()[:1] in ("{", "[")] or [text]
