"""Find the body of a report that has no heading for its findings.

A section such as `INDICATION:` has no written end. If no heading for the findings follows, it ends at the first new
line that reads as findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from radeval_core.findings.text import CLOSING, OTHER, REPORTED, TITLE, SentenceSpan

#: a sentence about the patient's history, even if it names findings
_HISTORY = re.compile(
    r"\b(?:years?[ -]old|y/?o|yo|known|histor(?:y|ies)|h/o|presents?|presenting|complain\w*|admitted"
    r"|underwent|(?:days?|weeks?|months?|years?) ago|last (?:night|week|month|year)|evaluate|rule out|r/o|please"
    r"|concern|patient|pain|cough|fever|symptoms?|suspicion)\b",
    re.IGNORECASE,
)
#: a sentence that describes images: a verb in the present tense, or a denial
_OBSERVES = re.compile(
    r"\b(?:is|are|there|appears?|remains?|shows?|demonstrates?|seen|noted)\b|^(?:no|without)\b", re.I
)
#: last words of a line that the next line goes on from
_GOES_ON = re.compile(
    r"(?:\b(?:known|has|have|had|recent|status|post|new|history|prior|s/p|by|from|on|his|her|their|left|right|for|of|with"
    r"|and|or|the|an?|as|acute|chronic|possible)|[,/&-])$",
    re.IGNORECASE,
)


def with_body(text: str, spans: list[SentenceSpan], reads: Callable[[str], bool]) -> list[SentenceSpan]:
    """Return the sentences, with those of the body moved out of the section before it.

    Args:
        text: the report.
        spans: its sentences.
        reads: return whether a sentence names findings.
    """
    skipped = (OTHER, TITLE, CLOSING)
    if not any(span.heading in skipped for span in spans):
        return spans
    # A heading for the findings shows where they begin. One for the impression does not: the body can be before it.
    headed = ("findings",)
    found = _opened(text, spans, reads, (OTHER,), _begins_line, headed)
    if found == spans and not _has_lines(text):
        found = _opened(text, spans, reads, (OTHER,), _observes, headed)
    if not all(span.heading in skipped for span in found):
        return found
    # Nothing is left to read: take any new line, then sentences in the line of the heading that describe images.
    for begins in (_begins_line, _observes):
        found = _opened(text, spans, reads, (OTHER, CLOSING), begins)
        if not all(span.heading in skipped for span in found):
            return found
    found = _opened(text, spans, lambda sentence: True, (OTHER, CLOSING), _begins_line)
    if not all(span.heading in skipped for span in found):
        return found
    # a report with words is not empty: `TECHNIQUE: The lungs are clear.`
    observed = [bool(_OBSERVES.search(s) and not _HISTORY.search(s)) for s in (text[x.start : x.end] for x in spans)]
    first = observed.index(True) if True in observed else len(spans)
    return [replace(span, heading="") if i >= first else span for i, span in enumerate(spans)]


def _has_lines(text: str) -> bool:
    stripped = text.strip()
    return "\n" in stripped or "\r" in stripped


def _opened(
    text: str,
    spans: list[SentenceSpan],
    reads: Callable[[str], bool],
    sections: tuple[str, ...],
    begins: Callable[[str, SentenceSpan, SentenceSpan], bool],
    ends: tuple[str, ...] = REPORTED,
) -> list[SentenceSpan]:
    """Return the sentences; those from the first one on that reads as findings are no longer in these sections.

    Nothing before the last section of `ends` is opened.
    """
    last = max((i for i, span in enumerate(spans) if span.heading in ends), default=-1)
    found: list[SentenceSpan] = []
    possible = opened = False
    for i, span in enumerate(spans):
        if span.opens or span.heading not in sections or i < last:
            possible = opened = False
            found.append(span)
            continue
        possible = possible or begins(text, spans[i - 1], span)
        sentence = text[span.start : span.end]
        opened = opened or (possible and not _HISTORY.search(sentence) and reads(sentence))
        found.append(replace(span, heading="") if opened else span)
    return found


def _begins_line(text: str, before: SentenceSpan, span: SentenceSpan) -> bool:
    """Return whether a sentence begins a line and does not go on from the line before."""
    if span.breaks == 0:
        return False
    ended = text[before.start : before.end].rstrip()
    if span.breaks > 1 or ended.endswith((".", "!", "?")) or not ended:
        return True
    sentence = text[span.start : span.end]
    if _GOES_ON.search(ended):
        return False
    return bool(_OBSERVES.search(sentence)) or (sentence[:1].isupper() and sentence.endswith("."))


def _observes(text: str, before: SentenceSpan, span: SentenceSpan) -> bool:
    """Return whether a sentence describes images, wherever it begins."""
    return bool(_OBSERVES.search(text[span.start : span.end]))
