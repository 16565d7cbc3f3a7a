"""Recognise the title of a study: `MRI RIGHT KNEE`, `CT PE PROTOCOL:`. Its words are in exams.yaml."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

EXAMS = Path(__file__).with_name("exams.yaml")
_TABLES = yaml.load(EXAMS.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
_MODALITIES = frozenset(_TABLES["modalities"])
_NOT_THIS_STUDY = frozenset(_TABLES["not_this_study"])
_SENTENCE_WORDS = frozenset(_TABLES["sentence_words"])
_BEFORE_LAST = frozenset(_TABLES["before_no_modality"])
#: studies whose name implies the part of the body, and that part
EXAM_REGIONS: dict[str, str] = _TABLES["regions"]
_WORD = re.compile(r"[^\W_]+")
_LINE = re.compile(r"[^\W\d_][^\r\n.:;!?]{1,70}(?=[ \t]*[\r\n])")
#: a title has at most this many words
_LONGEST = 9


def is_title(label: str) -> bool:
    """Return whether a label or a line names a study: it begins or ends with a modality and is no sentence."""
    words = _WORD.findall(label.lower())
    if not 1 < len(words) <= _LONGEST and words not in ([m] for m in _MODALITIES):
        return False
    if words[0] in _NOT_THIS_STUDY or not _SENTENCE_WORDS.isdisjoint(words):
        return False
    if "us" in words and "US" not in label:
        return False
    if words[0] in _MODALITIES or " ".join(words[:2]) in _MODALITIES:
        return True
    last = words[-1] in _MODALITIES or " ".join(words[-2:]) in _MODALITIES
    return last and _BEFORE_LAST.isdisjoint(words)


def title_line(text: str, start: int, size: int) -> int:
    """Return where the title that fills a line from `start` ends, or 0 if the line is no title.

    The last line of a report is never a title, so that a report of one line is read.
    """
    match = _LINE.match(text, start, size) if _begins_line(text, start) else None
    return match.end() if match and is_title(match.group()) else 0


def _begins_line(text: str, start: int) -> bool:
    """Return whether only white space is between `start` and the line break before it."""
    # step by step: a search for the line break would read all of a long line, at each of its sentences
    while start > 0 and text[start - 1] not in "\r\n":
        if not text[start - 1].isspace():
            return False
        start -= 1
    return True
