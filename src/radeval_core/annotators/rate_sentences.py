"""Splits a report into sentences like medspaCy's splitter PyRuSH, which RaTE-NER was trained and is run with.

PyRuSH marks positions where a sentence may begin or end, each from the few characters around it, and then pairs begins
with ends. The marks and the pairing below reproduce its observed behaviour (medspaCy 1.3.1 with PyRuSH 1.0.13, as
RaTEScore 0.6.0 runs it), including its oddities, because the model must see the sentences it was trained on. The rules
cover what is common in radiology reports, but not PyRuSH's hundreds of rules for other clinical notes.
"""

from __future__ import annotations

import re
from itertools import pairwise

from radeval_core.findings.types import Span

_LOWER = "a-zµß-öø-ÿ"
_UPPER = "A-ZÀ-ÖØ-Þ"
_SPACE = r"[ \t\xa0]"
_LINE = r"[\n\r]"
#: words that begin a sentence after any full stop
_OPENERS = (
    "(?:He|His|Her|She|We|Our|They|Their|I|My|But|Now|Discharge|This|That"
    "|he|his|her|she|we|our|they|their|my|but|this|that)[ ]"
)
#: the capital after `1. `; if an opener follows, the sentence begins there and the number belongs to the one before
_LISTED = rf"(?!{_OPENERS})[{_UPPER}]"

#: a match ends where a sentence may begin
_BEGIN = re.compile(
    rf"""
      \A{_SPACE}*(?=[{_UPPER}\d])
    | [{_LOWER}\d)]\.{_SPACE}+(?=[{_UPPER}])
    | [{_UPPER}]{{3}}\.{_SPACE}+(?=[{_UPPER}][{_LOWER}])
    | [{_LOWER}]{_SPACE}+\.{_SPACE}+(?=[{_UPPER}][{_LOWER}])
    | \d{_SPACE}+\.{_SPACE}+(?=[{_UPPER}])
    | [{_LOWER}]{{2}}\.\s+(?=[{_LOWER}])
    | \.{_SPACE}+(?=The|\d\.{_SPACE}*{_LISTED})
    | \.\s+(?={_OPENERS}|")
    | [{_LOWER}]\."{_SPACE}+(?=[{_UPPER}])
    | [{_LOWER}]\.?\s+(?=\d\){_SPACE}+[{_UPPER}])
    | [?!]{_SPACE}+(?=[{_UPPER}][{_LOWER}]|\d)
    | {_LINE}{_SPACE}{{0,4}}(?=[{_UPPER}])
    | {_LINE}{_LINE}{_SPACE}+(?=[{_UPPER}])
    | {_LINE}{_SPACE}*(?=\d\d?\.{_SPACE}*{_LISTED})
    | {_LINE}(?=-{_SPACE}?[{_UPPER}{_LOWER}]|[\#*?][ ][{_UPPER}{_LOWER}])
    | [{_LOWER}]{{2}}\.{_LINE}+(?=\d(?!\.{_SPACE}*{_OPENERS}))
    | [{_LOWER}]:{_SPACE}*{_LINE}+(?=\S)
    | [{_UPPER}]{{3}}:{_LINE}+(?=[{_LOWER}])
    | [{_UPPER}\d]:{_SPACE}*{_LINE}+(?=\d)
    | \s(?=FINDINGS:)
    """,
    re.VERBOSE,
)
#: a match ends where a sentence may end
_END = re.compile(
    rf"""
      \.(?={_SPACE}+\d\.{_SPACE}+[{_UPPER}])
    | (?<!\.[ ]\d)(?<!{_LINE}\d)(?<!{_LINE}[ ]\d)(?<!{_LINE}\d\d)(?<=\S)\.(?=[ ])
    | (?<=[{_LOWER})])\.(?={_SPACE}+[{_UPPER}])
    | (?<=[{_LOWER}]\.)"(?={_SPACE}+[{_UPPER}])
    | (?<=\.[ ]\d)\.(?=[ ][^{_UPPER}])
    | (?<=[{_LOWER}][ ])\.(?={_SPACE}+[{_UPPER}][{_LOWER}])
    | (?<=[ ])\.(?={_SPACE}+The)
    | (?<=[{_UPPER}{_LOWER}\d])\?(?=\s)
    | (?<=[{_UPPER}{_LOWER}\d)\]])\.(?={_SPACE}*{_LINE})
    | (?<=[{_UPPER}{_LOWER}\d]):(?={_SPACE}*{_LINE})
    | (?<=[{_LOWER}])[{_LOWER}](?={_SPACE}*{_LINE}+[ ]?[{_UPPER}])
    | [{_LOWER}\d](?=\s+\d\d?\))
    | \d(?={_LINE}+[{_UPPER}]{{2}})
    | [\w.,;:](?=\s+(?:FINDINGS|INDICATION):)
    | \S(?={_SPACE}*{_LINE}{_LINE}|{_LINE}+[{_UPPER}][{_LOWER}{_UPPER}]+:|{_LINE}+\d\.{_SPACE}+[{_UPPER}]|\s+\Z)
    """,
    re.VERBOSE,
)
#: false ends, with `¦` at the position of the end: a title, or a line that continues in lower case
_NO_END = re.compile(
    rf"""
      (?:\s(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|phd)|Miss)\.¦
    | [{_LOWER}]¦\s+[{_LOWER}]
    """,
    re.VERBOSE,
)
#: marks that extend beyond the end, which matters for the pairing
_WIDE = re.compile(rf"\.{_SPACE}+\d\.{_SPACE}+[{_UPPER}]|\S{_SPACE}*{_LINE}{_LINE}")
#: text between two sentences is a separate sentence if it is longer than this, else part of the first
_SHORT = 5
#: upstream drops fragments of fewer characters
_SHORTEST = 3


def rate_sentences(text: str) -> list[Span]:
    """Return start and end of the sentences to read, in order, without surrounding white space.

    Upstream drops fragments of one or two characters. We drop only those without a letter (`.`, `1.`) and keep words
    (`OK`).
    """
    return [(a, b) for a, b in all_sentences(text) if b - a >= _SHORTEST or any(map(str.isalpha, text[a:b]))]


def upstream_sentences(text: str) -> list[Span]:
    """Return start and end of the sentences that RaTEScore 0.6.0 reads: all with three or more characters."""
    return [(a, b) for a, b in all_sentences(text) if b - a >= _SHORTEST]


def all_sentences(text: str) -> list[Span]:
    """Return every sentence and fragment; together they contain every character that is not white space."""
    edges = sorted({0, len(text), *(edge for span in _spans(text) for edge in span)})
    found = []
    for start, end in pairwise(edges):
        piece = text[start:end]
        if stripped := piece.strip():
            start += len(piece) - len(piece.lstrip())
            found.append((start, start + len(stripped)))
    return found


def _spans(text: str) -> list[Span]:
    """Return the sentences, each from a begin to the last end before the next begin."""
    begins = [match.end() for match in _BEGIN.finditer(text)]
    ends = _ends(text)
    last = len(ends) - 1
    spans: list[Span] = []
    opened: int | None = None  # a begin without an end so far
    end = first = 0
    for begin, following in zip(begins, [*begins[1:], None], strict=False):
        if begin < end:
            continue
        start = opened = begin if opened is None else opened
        _fill_gap(text, spans, start)
        for k in range(first, len(ends)):
            # A begin never stops the search before the last end of a report: an oddity of upstream, kept.
            if following is not None and k < last and following < ends[k][0]:
                break
            end, first = ends[k][0], k
            if end < start:
                continue
            if opened is None:
                spans[-1] = (start, end)
                continue
            spans.append((start, end))
            opened = None
            if following is not None and (k == last or following <= ends[k + 1][1]):
                break
    return _with_borders(text, spans, ends[0][0] if ends else 0)


def _ends(text: str) -> list[Span]:
    """Return the positions where sentences may end, each with the end of its mark."""
    found: list[Span] = []
    for match in _END.finditer(text):
        end = match.end()
        if not _NO_END.search(f"{text[max(0, end - 8) : end]}¦{text[end : end + 4]}"):
            wide = _WIDE.match(text, end - 1)
            found.append((end, wide.end() if wide else end))
    return found


def _fill_gap(text: str, spans: list[Span], start: int) -> None:
    """Add the text between the last sentence and `start` as a sentence, or to the last one if it is short."""
    gap = _trim(text, spans[-1][1] if spans else 0, start)
    if gap is None:
        return
    if gap[1] - gap[0] > _SHORT:
        spans.append(gap)
    elif spans:
        spans[-1] = (spans[-1][0], gap[1])


def _with_borders(text: str, spans: list[Span], first_end: int) -> list[Span]:
    """Add the text before the first sentence and after the last one."""
    if spans and (before := _trim(text, 0, spans[0][0])):
        if spans[0][0] < first_end:
            spans[0] = (before[0], spans[0][1])
        else:
            spans.insert(0, before)
    _fill_gap(text, spans, len(text))
    return spans


def _trim(text: str, start: int, end: int) -> Span | None:
    """Trim a gap to its first and last relevant character; return None if fewer than two are left."""
    while start < end and text[start].isspace():
        start += 1
    for at in range(end - 1, start, -1):
        if text[at].isalnum() or text[at] in '.!?)]"':
            return start, at + 1
    return None
