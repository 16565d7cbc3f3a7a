"""Read the counts in an answer to CheXprompt's question.

The authors' parser needs both headings at exact places, keeps unknown letters as error types, and can lose a count
without notice. This one reads the same lists wherever they stand, and raises an error if a count is missing or unclear.
"""

from __future__ import annotations

import re

from radeval_core.error_categories import CATEGORIES
from radeval_core.judges.green.analysis import Counted
from radeval_core.judges.verdict import UnreadableAnswer

SIGNIFICANT, INSIGNIFICANT = "significant", "insignificant"
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_HEADING = re.compile(r"clinically\s+(significant|insignificant)\s+errors\s+by\s+type\s*[*_]*:[*_]*", re.IGNORECASE)
_COUNT = r"""["']?([A-F])["']?\s*\)?\s*[,:]\s*([0-9]{1,4})"""
#: `(A, 1)`, and `A: 1` in square or curly brackets
_ENCLOSED = rf"\(\s*{_COUNT}\s*\)"
_ITEM = rf"(?:{_ENCLOSED}|{_COUNT})"
_LIST = re.compile(
    rf"[\s*_`]*(?:\[\s*{_ITEM}(?:\s*,\s*{_ITEM})*[\s,]*\]|\{{\s*{_ITEM}(?:\s*,\s*{_ITEM})*[\s,]*\}}"
    rf"|\(\s*{_ENCLOSED}(?:\s*,\s*{_ENCLOSED})*[\s,]*\))",
    re.IGNORECASE,
)
_LETTERS = "ABCDEF"


def read_answer(answer: str) -> dict[str, tuple[Counted, ...]]:
    """Return the counts of significant and insignificant errors, each in the order of `CATEGORIES`.

    A letter that a list leaves out counts 0, as in the authors' results.

    Raises:
        UnreadableAnswer: a list is missing, cannot be read, or is given twice with different counts.
    """
    text = _THOUGHT.sub("", answer)
    if not text.strip():
        raise UnreadableAnswer("the answer is empty")
    found: dict[str, set[tuple[int, ...]]] = {}
    for heading in _HEADING.finditer(text):
        kind = heading[1].lower()
        found.setdefault(kind, set()).add(_counts(text, heading.end(), kind))
    for kind in (SIGNIFICANT, INSIGNIFICANT):
        if kind not in found:
            raise UnreadableAnswer(f"the answer has no list of clinically {kind} errors")
        if len(found[kind]) > 1:
            raise UnreadableAnswer(f"the answer gives two different lists of clinically {kind} errors")
    return {kind: tuple(Counted(count) for count in counts) for kind, (counts,) in found.items()}


def _counts(text: str, start: int, kind: str) -> tuple[int, ...]:
    found = _LIST.match(text, start)
    if found is None:
        raise UnreadableAnswer(f"the list of clinically {kind} errors is not in the form that was asked for")
    counts: dict[str, int] = {}
    for letter, number in re.findall(_COUNT, found[0], re.IGNORECASE):
        if counts.setdefault(letter.upper(), int(number)) != int(number):
            raise UnreadableAnswer(f"the list of clinically {kind} errors counts {letter.upper()} twice")
    return tuple(counts.get(letter, 0) for letter in _LETTERS[: len(CATEGORIES)])
