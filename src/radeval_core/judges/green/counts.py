"""Read a count and its entries: `2. First; second`, and the variants that models write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from radeval_core.judges.green.analysis import NONE, Counted, GreenItem
from radeval_core.judges.verdict import UnreadableAnswer

_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
#: the most digits of a count; a model that repeats a digit without end writes no number
_LONGEST_COUNT = 6
#: a number that is a count: not a decimal, a range, an ordinal, a measurement or `one of the nodules`
_COUNT = re.compile(
    r"[<(\[\"']?(?P<number>\d{1,3}(?:,\d{3})+|\d+|" + "|".join(_WORDS) + r")\b[>)\]\"']?"
    r"(?![.,]\d|-\d|\s*(?:mm|cm|ml|cc|%|x\s*\d|of\s)|[/\u2013]\d)",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"[-\u2212]\s?\d+\s*(?:[.:;]|$)")
#: words between a count and the first entry: `2 errors:`, `3 matched findings.`
_NOUN = re.compile(
    r"\s*(?:(?:matched|clinically|significant|insignificant)\s+)*(?:errors?|findings?)?\s*[.:;,]?\s*", re.I
)
#: `Matched: 3. …`, `Number of errors: 2`
_LABEL = re.compile(r"[^:;.\n]{1,60}:\s*")
_NOTHING = re.compile(
    r"(?:there (?:is|are|were|was)\s+)?(?:none|nil|n\s*/?\s*a|nothing|not applicable|no)"
    r"(?:\s+(?:clinically|significant|insignificant|such|matche[sd]|matching|new|other|additional))*"
    r"(?:\s+(?:errors?|findings?|matches|issues?|mistakes?|discrepanc\w+|differences?|comparisons?|instances?))?"
    r"(?:\s+(?:were|was|are|is)?\s*(?:found|identified|noted|detected|reported|present|observed|listed|applicable))?"
    r"\W*",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"<\s*(?:the number of|error|finding)\b", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)]|\(\d{1,2}\))\s+")
_NUMBERED = re.compile(r"\s*\(?(\d{1,2})[.)]\s+\S")
_NUMBERED_INLINE = re.compile(r"(?:^|(?<=[\s;,]))\(?(\d{1,2})[.)]\s+(?=[A-Z])")


def is_nothing(text: str) -> bool:
    """Return whether a text means none: `None`, `N/A`, or `No significant errors found`."""
    return _NOTHING.fullmatch(text.strip()) is not None


def read_counted(text: str, what: str) -> Counted:
    """Read a count with optional entries, or entries alone, which are then counted.

    Args:
        text: the text after the category's name, or under the heading.
        what: what is counted, for error messages.

    Raises:
        UnreadableAnswer: the form is not filled in, or the count is negative or absurdly large.
    """
    lines = _first_block([line.strip() for line in text.strip().splitlines()])
    if not lines or is_nothing(" ".join(lines)):
        return NONE
    if _PLACEHOLDER.search(lines[0]):
        raise UnreadableAnswer(f"the form is repeated, not filled in, at {what}")
    if (numbered := _numbered(lines)) is not None:
        return Counted(len(numbered), _entries(numbered))
    head = lines[0]
    if _NEGATIVE.match(head):
        raise UnreadableAnswer(f"a count below zero of {what}")
    found = _COUNT.match(head)
    label = _LABEL.match(head)
    if found is None and label:
        found = _COUNT.match(head, label.end())
    if found is None:
        entries = _entries(_split(lines))
        return Counted(len(entries), entries)
    rest = head[_noun_end(head, found.end()) :]
    texts = _split([line for line in (rest, *lines[1:]) if line])
    return Counted(_value(found["number"], what), _entries(texts))


def _value(number: str, what: str) -> int:
    word = number.lower()
    if word in _WORDS:
        return _WORDS.index(word)
    digits = number.replace(",", "")
    if len(digits) > _LONGEST_COUNT:
        raise UnreadableAnswer(f"a count with {len(digits)} digits of {what}")
    return int(digits)


def _noun_end(head: str, end: int) -> int:
    found = _NOUN.match(head, end)
    return found.end() if found else end


def _first_block(lines: Sequence[str]) -> list[str]:
    """Return the lines up to the first blank one, and after it those that are items of a list."""
    block: list[str] = []
    after_blank = False
    for line in lines:
        if not line:
            after_blank = bool(block)
        elif not after_blank or _BULLET.match(line):
            block.append(line)
        else:
            break
    return block


def _numbered(lines: Sequence[str]) -> list[str] | None:
    """Return the items if the text is a list numbered from 1, with one item per line or all in one line, else None."""
    numbers = [_NUMBERED.match(line) for line in lines]
    if len(lines) > 1 and [int(n[1]) for n in numbers if n] == list(range(1, len(lines) + 1)):
        return [_BULLET.sub("", line, count=1) for line in lines]
    text = " ".join(lines)
    starts = list(_NUMBERED_INLINE.finditer(text))
    if len(starts) > 1 and starts[0].start() == 0 and [int(s[1]) for s in starts] == list(range(1, len(starts) + 1)):
        ends = [s.start() for s in starts[1:]] + [len(text)]
        return [text[start.end() : end].strip(" ;,") for start, end in zip(starts, ends, strict=True)]
    return None


def _split(lines: Sequence[str]) -> list[str]:
    """Return the items if the lines are a list, else the parts between semicolons."""
    if len(lines) > 1 and all(_BULLET.match(line) for line in lines[1:]):
        lead = [] if _BULLET.match(lines[0]) else _split(lines[:1])
        items = lines if not lead else lines[1:]
        return lead + [_BULLET.sub("", line, count=1) for line in items]
    text = " ".join(_BULLET.sub("", line, count=1) if line.startswith(("-", "*", "•")) else line for line in lines)
    return text.split(";")


def _entries(texts: Sequence[str]) -> tuple[GreenItem, ...]:
    clean = (text.strip().strip("\"'").rstrip(".").strip() for text in texts)
    return tuple(GreenItem(text) for text in clean if text and not is_nothing(text))
