"""Measure how much of a report the parser understood: which sentences, and what share of the content words.

A content word is neither a function word (`the`, `of`) nor a word of reporting (`seen`, `radiograph`), and stands in a
section that states findings. It is understood if a form of the lexicon contains it (a finding, a region, a modifier, a
cue) and its sentence is understood. A sentence is understood if it gave at least one finding or normal statement, or if
no content word in it is unknown: `No change.`
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from radeval_core.findings.languages import foreign_language
from radeval_core.findings.match import FormMatch
from radeval_core.findings.text import GAP, normalise
from radeval_core.findings.types import ParsedReport, Span

_WORDS: dict[str, list[str]] = yaml.load(
    Path(__file__).with_name("coverage.yaml").read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
)
_FUNCTION, _REPORTING = (frozenset(map(normalise, _WORDS[kind])) for kind in ("function", "reporting"))
#: words that do not count outside a form; single letters are abbreviations, marks and gaps are no words
NO_CONTENT = _FUNCTION | _REPORTING | frozenset(string.ascii_lowercase + string.punctuation)
_ENGLISH = frozenset((*_WORDS["function"], *_WORDS["reporting"]))
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_\x00-\u024f]")
#: a report whose share is lower may be in another language
_FOREIGN_BELOW = 0.8


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of one report the parser understood.

    Attributes:
        share: share of the content words that were understood, 0 to 1. It is 1 for a report without content words.
        unread: start and end of each sentence that was not understood.
        language: the language of a report that is not in English, of which nothing counts as understood; else empty.
        reason: why nothing was understood, as the end of a sentence; empty if something was.
    """

    share: float
    unread: tuple[Span, ...] = ()
    language: str = ""
    reason: str = ""


def count_words(
    words: Sequence[str], matches: Sequence[FormMatch], stated: bool, explained: int = 0
) -> tuple[int, int]:
    """Return how many content words a sentence has, and how many of them were understood.

    Args:
        words: its normalised tokens.
        matches: the forms of the lexicon in it.
        stated: True if the sentence gave a finding or a normal statement.
        explained: number of content words outside all forms that an open finding explains.
    """
    content = len([word for word in words if word not in NO_CONTENT and word.isalpha()])
    known = explained
    for match in matches:
        for word in words[match.start : match.end]:
            if word not in _FUNCTION and (word.isalpha() or word == GAP):
                known += 1
                content += word in NO_CONTENT  # such words count only as part of a form
    return content, known if stated or known == content else 0


def is_function_word(word: str) -> bool:
    """Return whether a normalised word belongs to a closed class: article, preposition, pronoun, auxiliary."""
    return word in _FUNCTION


def is_reporting_word(word: str) -> bool:
    """Return whether a normalised word only reports: `seen`, `radiograph`. Single letters count too."""
    return word in _REPORTING or len(word) == 1


def without_content(words: Iterable[str]) -> bool:
    """Return whether all words are function words, words of reporting or marks."""
    return NO_CONTENT.issuperset(words)


def coverage_of(report: ParsedReport) -> Coverage:
    """Return how much of a parsed report was understood."""
    if not report.sentences:
        if not _WORD.search(report.text):
            return Coverage(1.0)
        return Coverage(0.0, reason="has no sentence about findings, only sections such as indication or technique")
    content = sum(sentence.words for sentence in report.sentences)
    known = sum(sentence.understood_words for sentence in report.sentences)
    share = known / content if content else 1.0
    if share < _FOREIGN_BELOW:
        body = " ".join(sentence.text for sentence in report.sentences)  # headings are often English
        if language := foreign_language(body, _ENGLISH):
            everything = tuple((sentence.start, sentence.end) for sentence in report.sentences)
            return Coverage(0.0, everything, language, f"reads like {language}")
    unread = tuple((sentence.start, sentence.end) for sentence in report.sentences if not sentence.understood)
    return Coverage(share, unread, reason="" if share else "has no sentence that the parser understands")
