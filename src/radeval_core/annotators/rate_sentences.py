"""Sentences of a report as RaTE-NER was trained and is run on them: where medspaCy's splitter PyRuSH would cut.

PyRuSH marks places where a sentence may begin and places where one may end, each from the few characters around them,
and then pairs them up. The marks and the pairing below were written from its behaviour (medspaCy 1.3.1 with PyRuSH
1.0.13, as RaTEScore 0.6.0 runs it), oddities included, because the model must see the sentences it is used to. What is
common in radiology reports is covered; hundreds of its rules for other clinical notes are not.
"""

from __future__ import annotations

import re
from itertools import pairwise

_LOWER = "a-zµß-öø-ÿ"
_UPPER = "A-ZÀ-ÖØ-Þ"
_SPACE = r"[ \t\xa0]"
_LINE = r"[\n\r]"
#: words that begin a sentence after any full stop, whatever stands before it
_OPENERS = (
    "(?:He|His|Her|She|We|Our|They|Their|I|My|But|Now|Discharge|This|That"
    "|he|his|her|she|we|our|they|their|my|but|this|that)[ ]"
)
#: the capital after `1. `; an opener there begins the sentence itself, and the number stays with the one before
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
#: what looks like an end and is none (`¦` stands where it would be): a title, a line that goes on in lower case
_NO_END = re.compile(
    rf"""
      (?:\s(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|phd)|Miss)\.¦
    | [{_LOWER}]¦\s+[{_LOWER}]
    """,
    re.VERBOSE,
)
#: marks that reach beyond the end itself, which matters when they are paired
_WIDE = re.compile(rf"\.{_SPACE}+\d\.{_SPACE}+[{_UPPER}]|\S{_SPACE}*{_LINE}{_LINE}")
#: what lies between two sentences and is longer than this is a sentence of its own, else it belongs to the first
_SHORT = 5
#: upstream reads no fragment of fewer characters
_SHORTEST = 3

Span = tuple[int, int]


def rate_sentences(text: str) -> list[Span]:
    """Where the sentences worth reading are, in order: start and end, without white space around them.

    Upstream leaves out fragments of one or two characters. Those without a letter (`.`, `1.`) say nothing and are left
    out here too, but a word (`OK`) is kept.
    """
    return [(a, b) for a, b in all_sentences(text) if b - a >= _SHORTEST or any(map(str.isalpha, text[a:b]))]


def all_sentences(text: str) -> list[Span]:
    """Where every sentence and fragment is: together they hold each character that is not white space."""
    edges = sorted({0, len(text), *(edge for span in _spans(text) for edge in span)})
    found = []
    for start, end in pairwise(edges):
        piece = text[start:end]
        if stripped := piece.strip():
            start += len(piece) - len(piece.lstrip())
            found.append((start, start + len(stripped)))
    return found


def _spans(text: str) -> list[Span]:
    """Where the sentences are: each from a begin to the last end before the next begin."""
    begins = [match.end() for match in _BEGIN.finditer(text)]
    ends = _ends(text)
    last = len(ends) - 1
    spans: list[Span] = []
    opened: int | None = None  # a begin that has not met its end yet
    end = first = 0
    for begin, following in zip(begins, [*begins[1:], None], strict=False):
        if begin < end:
            continue
        start = opened = begin if opened is None else opened
        _fill_gap(text, spans, start)
        for k in range(first, len(ends)):
            # The last end of a report is never held back by a begin before it; upstream's oddity, kept.
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
    """Where sentences may end, and how far the mark reaches."""
    found: list[Span] = []
    for match in _END.finditer(text):
        end = match.end()
        if not _NO_END.search(f"{text[max(0, end - 8) : end]}¦{text[end : end + 4]}"):
            wide = _WIDE.match(text, end - 1)
            found.append((end, wide.end() if wide else end))
    return found


def _fill_gap(text: str, spans: list[Span], start: int) -> None:
    """Give what lies between the last sentence and the next one its place."""
    gap = _trim(text, spans[-1][1] if spans else 0, start)
    if gap is None:
        return
    if gap[1] - gap[0] > _SHORT:
        spans.append(gap)
    elif spans:
        spans[-1] = (spans[-1][0], gap[1])


def _with_borders(text: str, spans: list[Span], first_end: int) -> list[Span]:
    """The sentences together with what stands before the first and after the last."""
    if spans and (before := _trim(text, 0, spans[0][0])):
        if spans[0][0] < first_end:
            spans[0] = (before[0], spans[0][1])
        else:
            spans.insert(0, before)
    _fill_gap(text, spans, len(text))
    return spans


def _trim(text: str, start: int, end: int) -> Span | None:
    """A gap from its first to its last telling character; None if it has fewer than two."""
    while start < end and text[start].isspace():
        start += 1
    for at in range(end - 1, start, -1):
        if text[at].isalnum() or text[at] in '.!?)]"':
            return start, at + 1
    return None
