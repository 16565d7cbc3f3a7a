"""IOB tags: `B-TYPE` begins an entity, `I-TYPE` continues it, `O` is outside."""

from __future__ import annotations

import re
from collections.abc import Sequence

OUTSIDE = "O"
#: a word of a text that is not split into words: a number, a run of letters and digits, or one other character
WORD = re.compile(r"\d+\.\d+|\w+|[^\w\s]")


def misplaced_tag(tags: Sequence[str]) -> str | None:
    """Return what is wrong with the first I- tag that continues no entity of its type; None if all tags are valid."""
    before = OUTSIDE
    for number, tag in enumerate(tags, start=1):
        if tag.startswith("I-") and before[2:] != tag[2:]:
            return f"tag {number} is {tag} after {before}: it must follow B-{tag[2:]} or {tag}"
        before = tag
    return None


def marked_spans(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return first token, last token and type of each entity of valid tags."""
    spans: list[tuple[int, int, str]] = []
    for i, tag in enumerate(tags):
        if tag.startswith("B-"):
            spans.append((i, i, tag[2:]))
        elif tag.startswith("I-"):
            spans[-1] = (spans[-1][0], i, tag[2:])
    return spans
