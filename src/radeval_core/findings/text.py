"""Report text to sentences of normalised tokens, with offsets into the original.

Reading never depends on letter case; plural, hyphen and British spelling variants become one token.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?|_+|[^\w\s]")
_HYPHENS = frozenset("-–—‐‑")
#: a de-identified gap: XXXX or ___
GAP = "~"
#: a period after these does not end a sentence
_ABBREVIATIONS = frozenset({"dr", "mr", "mrs", "approx", "vs", "e", "g", "i"})
#: a longer stretch without an end is cut at a space: no real sentence is longer, and no work may grow with its square
_LONGEST_SENTENCE = 1000
#: no heading is longer
_LONGEST_HEADING = 60
#: shorter lines than this are statements of their own, longer ones are wrapped text
_WRAPPED_LINE = 50

#: what `normalise` cannot tell by rule: irregular forms, British spellings
SPELLING = Path(__file__).with_name("spelling.yaml")
_TABLES: dict[str, dict[str, str]] = yaml.load(
    SPELLING.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
)
_IRREGULAR, _AMERICAN = _TABLES["irregular"], tuple(_TABLES["american"].items())


@lru_cache(maxsize=65_536)
def normalise(word: str) -> str:
    """One word as the lexicon writes it: lower case, singular, American spelling."""
    word = word.lower()
    if len(word) >= 3 and (word.strip("x") == "" or word.strip("_") == ""):
        return GAP
    if word == "__":
        return GAP
    if len(word) > 4:
        for british, american in _AMERICAN:
            if british in word:
                word = word.replace(british, american)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or word[-1] != "s":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("oses", "yses", "eses")):
        return word[:-2] + "is"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith(("ss", "us", "is")):
        return word
    return word[:-1]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one sentence.

    Attributes:
        words: normalised tokens.
        starts: where each begins, relative to the sentence.
        ends: where each ends.
        plural: whether each was written in the plural.
    """

    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    plural: tuple[bool, ...]


def tokenize(sentence: str) -> Tokens:
    """Tokens of a sentence; a hyphen between words disappears, so that both spellings read alike."""
    found = list(_TOKEN.finditer(sentence))
    if not _HYPHENS.isdisjoint(sentence):
        found = [m for m in found if not _joins_words(m, sentence)]
    if not found:
        return Tokens((), (), (), ())
    words, plural = zip(*[_read_token(m.group()) for m in found], strict=True)
    starts, ends = zip(*[m.span() for m in found], strict=True)
    return Tokens(words, starts, ends, plural)


def _joins_words(match: re.Match[str], sentence: str) -> bool:
    """Whether a token is a hyphen with words on both sides."""
    start, end = match.span()
    return (
        match.group() in _HYPHENS
        and start > 0
        and end < len(sentence)
        and not sentence[start - 1].isspace()
        and not sentence[end].isspace()
    )


@lru_cache(maxsize=65_536)
def _read_token(text: str) -> tuple[str, bool]:
    word = normalise(text)
    return word, _is_plural(text.lower(), word)


def _is_plural(written: str, word: str) -> bool:
    """Whether a word was written in the plural: its normal form is another, and it ends like a plural."""
    return written != word and written[-1:] in ("s", "e", "a", "i") and len(written) >= 4


def normalise_form(form: str) -> tuple[str, ...]:
    """A lexicon form as normalised tokens."""
    return tokenize(form).words


_BULLET = re.compile(r"(?:\(?\d{1,2}[.)](?!\d)|[-*•–—·])\s*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence's place in the report, and the heading it stands under (lower case, empty where none)."""

    start: int
    end: int
    heading: str


#: sections that hold no findings: what was asked and done, and what the study is called
OTHER, TITLE = "other", "title"
_AFTER_TITLE = "after the title"
_HEADING = re.compile(r"\s*([^\W\d_][^\W\d_]*(?:[ /&-]{1,3}[^\W\d_]+){0,4})\s*:(?!\d)")
_BREAK = re.compile(r"[.!?]+(?=\s|$|[^\W\d_]|[\"')\]])|[\r\n]+")


def sentence_spans(text: str, is_heading: dict[str, str]) -> list[Span]:
    """Cut a report into sentences.

    Args:
        text: the report.
        is_heading: the section each known heading opens; an unknown `Word:` is none.
    """
    spans: list[Span] = []
    heading, title_to_come = "", False
    position, size = 0, len(text.rstrip())
    while position < size:
        if text[position].isspace():
            position += 1
            continue
        end, following = _sentence_end(text, position, size)
        if end - position > _LONGEST_SENTENCE:
            end = following = _cut(text, position, position + _LONGEST_SENTENCE)
        start = _skip_bullets(text, position, end)
        while text.find(":", start, min(end, start + _LONGEST_HEADING)) > 0:
            match = _HEADING.match(text, start, end)
            name = _heading_key(match.group(1)) if match else ""
            if match is None or name not in is_heading:
                break
            heading, title_to_come = is_heading[name], True
            start = _skip_bullets(text, match.end(), end)
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            spans.append(Span(start, end, heading if title_to_come or heading != TITLE else _AFTER_TITLE))
            title_to_come = False
        position = following
    return _with_body(spans)


def _with_body(spans: list[Span]) -> list[Span]:
    """`EXAM: Chest radiograph. Small effusion.`: what follows the title is the body, unless findings have a heading."""
    body = TITLE if any(span.heading == "findings" for span in spans) else ""
    return [Span(span.start, span.end, body) if span.heading == _AFTER_TITLE else span for span in spans]


@lru_cache(maxsize=1024)
def _heading_key(text: str) -> str:
    return " ".join(text.lower().replace("/", " ").replace("&", " ").replace("-", " ").split())


def _skip_bullets(text: str, start: int, end: int) -> int:
    """Past white space, stray punctuation and list numbers at the start of a sentence."""
    while start < end:
        if text[start].isalpha():
            break
        if text[start].isspace() or text[start] in ".,;":
            start += 1
        elif (match := _BULLET.match(text, start, end)) and match.end() > start:
            start = match.end()
        else:
            break
    return start


def _sentence_end(text: str, start: int, size: int) -> tuple[int, int]:
    """Where the sentence that begins at `start` ends, and where the next begins."""
    line_start = start
    limit = min(size, start + 2 * _LONGEST_SENTENCE)
    at = start
    while match := _BREAK.search(text, at, limit):
        at = match.end()
        mark = match.group()
        if mark[0] in ".!?":
            if mark == ".":
                token = text[max(start, match.start() - 8) : match.start()].rpartition(" ")[2].strip("(").lower()
                if token in _ABBREVIATIONS:
                    continue
                if token.isdigit() and len(token) <= 2 and match.start() - start <= len(token) + 1:
                    continue  # a list number
            return match.end(), match.end()
        line = text[line_start : match.start()]
        line_start = match.end()
        paragraph = mark.count("\n") > 1 or mark.count("\r") > 1
        if paragraph or _opens_line(text, match.end()) or (len(line) < _WRAPPED_LINE and not _goes_on(line)):
            return match.start(), match.end()
    return limit, limit


def _cut(text: str, start: int, limit: int) -> int:
    """Where to cut a sentence without an end: between parts rather than inside one."""
    for mark in (";", ",", " and ", " "):
        cut = text.rfind(mark, start + 1, limit)
        if cut > 0:
            return cut
    return limit


def _goes_on(line: str) -> bool:
    """Whether a short line is the start of a sentence rather than a statement of its own."""
    words = line.split()
    return (
        (len(words) < 3 and ":" not in line)
        or words[-1].lower().strip(",") in _OPEN_ENDS
        or line.rstrip().endswith(",")
    )


_OPEN_ENDS = frozenset(
    {"or", "and", "of", "the", "a", "an", "with", "no", "in", "without", "for", "to", "is", "are", "at"}
)


def _opens_line(text: str, position: int) -> bool:
    """Whether a line begins with a bullet or something like a heading."""
    line = _LINE.match(text, position)
    if line is None:
        return False
    stripped = line.group().strip()
    return bool(_BULLET.match(stripped)) or bool(_HEADING.match(stripped))
