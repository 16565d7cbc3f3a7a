"""Split a report into sentences of normalised tokens, with offsets into the original.

Letter case does not matter; plural, hyphen and British spelling variants become the same token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from radeval_core.findings.exams import is_title, title_line
from radeval_core.findings.quick_frozen import built_quickly

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?|_+|[^\w\s]")
_HYPHENS = frozenset("-–—‐‑")
#: token for text removed by de-identification: XXXX or ___
GAP = "~"
#: a period after these does not end a sentence
_ABBREVIATIONS = frozenset({"dr", "mr", "mrs", "approx", "vs", "e", "g", "i"})
#: longer sentences are cut: no real sentence is longer, and run time must not grow with the square of the length
_LONGEST_SENTENCE = 1000
#: maximum characters in which the colon of a heading is searched
_LONGEST_HEADING = 60
#: a shorter line is a separate statement; a longer one is wrapped text
_WRAPPED_LINE = 50

#: irregular forms and British spellings, which `normalise` cannot derive by rule
SPELLING = Path(__file__).with_name("spelling.yaml")
_TABLES: dict[str, dict[str, str]] = yaml.load(
    SPELLING.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
)
_IRREGULAR, _AMERICAN = _TABLES["irregular"], tuple(_TABLES["american"].items())
_BRITISH = re.compile("|".join(re.escape(british) for british, _ in _AMERICAN))


def normalise(word: str) -> str:
    """Return a word as the lexicon writes it: lower case, singular, American spelling."""
    word = word.lower()
    if len(word) >= 3 and (word.strip("x") == "" or word.strip("_") == ""):
        return GAP
    if word == "__":
        return GAP
    if len(word) > 4 and _BRITISH.search(word):
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


class WordForms(dict[str, tuple[str, bool]]):
    """Written words with their normalised form and whether they are in the plural, looked up with `forms[written]`.

    It remembers the written forms of known words, never another word of a report.

    Args:
        known: the normalised words whose written forms it may remember.
        correct: returns the right spelling of a normalised word that is not known.
    """

    def __init__(self, known: Container[str] = (), correct: Callable[[str], str] = str) -> None:
        super().__init__()
        self._known, self._correct = known, correct

    def __missing__(self, written: str) -> tuple[str, bool]:
        """Return the form of a word that is looked up for the first time or is not known."""
        word = normalise(written)
        plural = _is_plural(written.lower(), word)
        if word not in self._known:
            return self._correct(word), plural
        if written == written.lower():  # every mixture of cases would be too many
            self[written] = word, plural
        return word, plural


_FORMS = WordForms()


def tokenize(sentence: str, forms: WordForms = _FORMS) -> Tokens:
    """Return the tokens of a sentence; a hyphen between words is dropped, so both spellings give the same tokens."""
    # lower case keeps all offsets of ASCII text; `normalise` takes care of other text
    found = list(_TOKEN.finditer(sentence.lower() if sentence.isascii() else sentence))
    if not _HYPHENS.isdisjoint(sentence):
        found = [m for m in found if not _joins_words(m, sentence)]
    if not found:
        return Tokens((), (), (), ())
    words, plural = zip(*[forms[m.group()] for m in found], strict=True)
    starts, ends = zip(*[m.span() for m in found], strict=True)
    return Tokens(words, starts, ends, plural)


def _joins_words(match: re.Match[str], sentence: str) -> bool:
    """Return whether a token is a hyphen between two words."""
    start, end = match.span()
    return (
        match.group() in _HYPHENS
        and start > 0
        and end < len(sentence)
        and not sentence[start - 1].isspace()
        and not sentence[end].isspace()
    )


def _is_plural(written: str, word: str) -> bool:
    """Return whether a word was written in the plural: normalising changed it, and it ends like a plural."""
    return written != word and written[-1:] in ("s", "e", "a", "i") and len(written) >= 4


def normalise_form(form: str) -> tuple[str, ...]:
    """Return a lexicon form as normalised tokens."""
    return tokenize(form).words


_BULLET = re.compile(r"(?:\(?\d{1,2}[.)](?!\d)|[-*•–—·])\s*")
_ITEM_MARKS = frozenset('"“”•')
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


@built_quickly
@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """The offsets of a sentence in the report, and where it is.

    Attributes:
        start: where it begins.
        end: where it ends.
        heading: the section it is in; empty if it has no heading.
        opens: True if it is the first sentence after its heading.
        breaks: number of line breaks between it, or its heading, and the sentence before.
        exam: the last title of a study before it, or empty.
    """

    start: int
    end: int
    heading: str
    opens: bool = False
    breaks: int = 0
    exam: str = ""


#: sections without findings: indication, technique and the like, the title of the study, and what follows the findings
OTHER, TITLE, CLOSING = "other", "title", "closing"
#: sections that state findings
REPORTED = ("findings", "impression")
_AFTER_TITLE = "after the title"
_HEADING = re.compile(r"\s*([^\W\d_][^\W\d_]*(?:[ /&-]{1,3}[^\W\d_]+){0,4})\s*:(?!\d)")
_INNER_HEADING = re.compile(r"(?<=\w)(?<!\band)(?<!\bfinal)\s+((?:findings|impression|conclusion)\s*:)", re.IGNORECASE)
#: a mark between the items of a list in running text: `" Emphysema " Hiatal hernia`, `Emphysema • Hiatal hernia`
_ITEM = r"(?<=\s)[\"“”](?=\s)|(?<=\w)[\"“”](?=\s+[A-Z])|(?<=\s)[\"“”](?=[A-Z])|•"
_BREAK = re.compile(r"[.!?]+(?=\s|$|[^\W\d_]|[\"')\]])|[\r\n]+")
_BREAK_OR_ITEM = re.compile(rf"{_BREAK.pattern}|{_ITEM}")


def sentence_spans(text: str, is_heading: dict[str, str]) -> list[SentenceSpan]:
    """Cut a report into sentences.

    Args:
        text: the report.
        is_heading: known headings and the section each one opens; an unknown `Word:` is not a heading.
    """
    spans: list[SentenceSpan] = []
    heading, exam, opens, titled = "", "", False, False
    position, size, last = 0, len(text.rstrip()), 0
    # few reports have such marks, and looking for them takes time
    breaking = _BREAK_OR_ITEM if any(mark in text for mark in _ITEM_MARKS) else _BREAK
    while position < size:
        if text[position].isspace():
            position += 1
            continue
        if not opens and (title := title_line(text, position, size)):
            exam, position, titled = text[position:title], title, True
            continue
        end, following = _sentence_end(text, position, size, breaking)
        if (cut := _inner_heading(text, position, end)) > 0:
            end = following = cut
        if end - position > _LONGEST_SENTENCE:
            end = following = _cut(text, position, position + _LONGEST_SENTENCE)
        start = _skip_bullets(text, position, end)
        while text.find(":", start, min(end, start + _LONGEST_HEADING)) > 0:
            match = _HEADING.match(text, start, end)
            name = _heading_key(match.group(1)) if match else ""
            if match is None:
                break
            if name in is_heading:
                heading, opens = is_heading[name], True
            elif not opens and is_title(match.group(1)):
                exam, titled = match.group(1), True
            else:
                break
            start = _skip_bullets(text, match.end(), end)
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            if titled and not opens and heading == OTHER:
                heading = _AFTER_TITLE
            section = heading if opens or heading != TITLE else _AFTER_TITLE
            exam = text[start:end] if section == TITLE else exam
            spans.append(SentenceSpan(start, end, section, opens, _line_breaks(text, last, position), exam))
            opens, titled, last = False, False, end
        position = following
    return _with_body(spans)


def _inner_heading(text: str, start: int, end: int) -> int:
    """Return where a heading begins inside a sentence, or 0: `INDICATION: Cough IMPRESSION: Effusion`."""
    if text.find(":", start, end) < 0:
        return 0
    match = _INNER_HEADING.search(text, start, end)
    return match.start(1) if match else 0


def _line_breaks(text: str, start: int, end: int) -> int:
    between = text[start:end]
    return max(between.count("\n"), between.count("\r"))


def _with_body(spans: list[SentenceSpan]) -> list[SentenceSpan]:
    """Treat the sentences after the title as the body of the report, unless the findings have a heading.

    Example: `EXAM: Chest radiograph. Small effusion.`
    """
    if not any(span.heading == _AFTER_TITLE for span in spans):
        return spans
    body = TITLE if any(span.heading == "findings" for span in spans) else ""
    return [replace(span, heading=body) if span.heading == _AFTER_TITLE else span for span in spans]


def _heading_key(text: str) -> str:
    return " ".join(text.lower().replace("/", " ").replace("&", " ").replace("-", " ").split())


def _skip_bullets(text: str, start: int, end: int) -> int:
    """Return the offset after white space, stray punctuation and list numbers at the start of a sentence."""
    while start < end:
        if text[start].isalpha():
            break
        if text[start].isspace() or text[start] in '.,;"“”':
            start += 1
        elif (match := _BULLET.match(text, start, end)) and match.end() > start:
            start = match.end()
        else:
            break
    return start


def _sentence_end(text: str, start: int, size: int, breaking: re.Pattern[str]) -> tuple[int, int]:
    """Return where the sentence that begins at `start` ends, and where the next one begins.

    Args:
        text: the report.
        start: where the sentence begins.
        size: where the report ends.
        breaking: finds what may end a sentence.
    """
    line_start = start
    limit = min(size, start + 2 * _LONGEST_SENTENCE)
    at = start
    while match := breaking.search(text, at, limit):
        at = match.end()
        mark = match.group()
        if mark[0] == "?" and _doubts(text, match.start(), start):
            continue
        if mark[0] in ".!?":
            if mark == ".":
                token = text[max(start, match.start() - 8) : match.start()].rpartition(" ")[2].strip("(").lower()
                if token in _ABBREVIATIONS:
                    continue
                if token.isdigit() and len(token) <= 2 and match.start() - start <= len(token) + 1:
                    continue  # a list number
            return match.end(), match.end()
        if mark in _ITEM_MARKS:
            if not text[start : match.start()].strip():
                continue
            return match.start(), match.end()
        line = text[line_start : match.start()]
        line_start = match.end()
        paragraph = mark.count("\n") > 1 or mark.count("\r") > 1 or not line.strip()
        if (
            paragraph
            or _opens_line(text, match.end())
            or (len(line) < _WRAPPED_LINE and not _is_unfinished(line, text, match.end()))
        ):
            return match.start(), match.end()
    return limit, limit


def _doubts(text: str, at: int, start: int) -> bool:
    """Return whether a question mark doubts the words after it and ends no sentence: `opacity ? pneumonia`."""
    before = text[at - 1] if at > start else " "
    return (before.isspace() or before in "(,:;/-") and bool(_WORD_FOLLOWS.match(text, at + 1))


_WORD_FOLLOWS = re.compile(r"[ \t]{0,2}[^\W\d_]")


def _cut(text: str, start: int, limit: int) -> int:
    """Return where to cut a sentence that is too long: at the last `;`, comma, `and` or space."""
    for mark in (";", ",", " and ", " "):
        cut = text.rfind(mark, start + 1, limit)
        if cut > 0:
            return cut
    return limit


def _is_unfinished(line: str, text: str, following: int) -> bool:
    """Return whether a short line is only the start of a sentence, not a complete statement."""
    words = line.split()
    return (
        (len(words) < 3 and ":" not in line and not _STATEMENT.match(text, following))
        or words[-1].lower().strip(",") in _OPEN_ENDS
        or line.rstrip().endswith(",")
    )


#: a line that begins a statement of its own
_STATEMENT = re.compile(r"(?:(?:the|both) )?\w+ (?:is|are|appears?|remains?)\b|there (?:is|are)\b", re.IGNORECASE)
_OPEN_ENDS = frozenset(
    {"or", "and", "of", "the", "a", "an", "with", "no", "in", "without", "for", "to", "is", "are", "at"}
)


def _opens_line(text: str, position: int) -> bool:
    """Return whether a line begins with a bullet or something like a heading."""
    line = _LINE.match(text, position)
    if line is None:
        return False
    stripped = line.group().strip()
    return bool(_BULLET.match(stripped)) or bool(_HEADING.match(stripped))
