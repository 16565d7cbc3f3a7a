"""Apply marks to a report: the text in which only these errors are corrected."""

from __future__ import annotations

import re
from collections.abc import Iterable

from radeval_core.ui.sheet.marks import Edit, Mark

#: what striking words can leave behind: spaces before a mark, a mark without words before it, doubled marks
_LEFT_OVER = (
    (re.compile(r"[ \t]+([.,;:!?])"), r"\1"),
    (re.compile(r"(?<=[.!?])[ \t]*[.,;]+"), ""),
    (re.compile(r"(?:,|;)(?=[.!?])"), ""),
    (re.compile(r"(?m)^[ \t]*[.,;]+[ \t]*"), ""),
    (re.compile(r"[ \t]{2,}"), " "),
)


def corrected(text: str, marks: Iterable[Mark]) -> str:
    """Return the text after the edits of some marks; if edits overlap, the first one counts.

    Only the space around an edit is tidied, so that a text without edits stays as it is.
    """
    edits = sorted({edit for mark in marks for edit in mark.edits}, key=lambda e: (e.start, -e.end))
    pieces: list[str] = []
    at = 0
    for edit in edits:
        if edit.start < at:
            continue
        pieces += [text[at : edit.start], _spaced(text, edit)]
        at = edit.end
    if not edits:
        return text
    joined = "".join([*pieces, text[at:]])
    for pattern, right in _LEFT_OVER:
        joined = pattern.sub(right, joined)
    return "\n".join(line[:1].upper() + line[1:] if line[:1].isalpha() else line for line in joined.strip().split("\n"))


def _spaced(text: str, edit: Edit) -> str:
    """Return the right words with a space where the text has none."""
    if not edit.right:
        return ""
    before = text[edit.start - 1 : edit.start]
    after = text[edit.end : edit.end + 1]
    words = edit.right.strip()
    if before and not before.isspace() and words[0] not in ",;.":
        words = f" {words}"
    return f"{words} " if after.isalnum() else words
