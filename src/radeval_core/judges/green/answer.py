"""Read the answer of a GREEN model, or of any model given GREEN's instructions.

The authors' parser reads a section up to its first blank line, requires exactly `: 2. `, and reads everything else as
0. This one reads what models really write, and raises an error if it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from radeval_core.judges.green.analysis import NO_ERRORS, NONE, TITLES, Counted, GreenAnalysis
from radeval_core.judges.green.counts import is_nothing, read_counted
from radeval_core.judges.verdict import UnreadableAnswer

EXPLANATION, SIGNIFICANT, INSIGNIFICANT, MATCHED = "explanation", "significant", "insignificant", "matched"
_NAMES = (
    r"(?P<explanation>explanation)|(?P<significant>clinically\s+significant\s+errors?)|"
    r"(?P<insignificant>clinically\s+insignificant\s+errors?)|(?P<matched>matched\s+findings?)"
)
#: headings as requested, anywhere; headings without brackets, only at the start of a line
_BRACKETED = re.compile(rf"\[\s*(?:{_NAMES})\s*\]\s*:?", re.IGNORECASE)
_BARE = re.compile(rf"^[ \t#>\d.)]*(?:{_NAMES})[ \t]*(?::|$)", re.IGNORECASE | re.MULTILINE)
_BRACKETS = re.compile(r"[\[\]]")
_MARKUP = re.compile(r"\*\*|__|^[ \t]*```\w*[ \t]*$|<unk>|</?s>", re.MULTILINE)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_TURN = "<|assistant|>"
#: `(a)`, `a)`, `1.`, after a bullet or a word such as `Note:`
_MARKER = r"[ \t]*(?:[-*•>]\s*|[A-Za-z]{1,12}:\s*)?(?:\((?P<round>[a-f1-6])\)|(?P<open>[a-f1-6])[.)])[ \t]*"
_ITEM = re.compile(rf"^{_MARKER}", re.IGNORECASE | re.MULTILINE)
#: the full names of the categories, in any letter case
_TITLES = [re.compile(re.escape(title).replace("'", "['\u2019]"), re.IGNORECASE) for title in TITLES]
_INLINE = re.compile(r"\((?P<round>[a-f1-6])\)[ \t]*(?=" + "|".join(t.pattern for t in _TITLES) + r")", re.IGNORECASE)
#: the first words of each category, enough to recognise it
_KEYS = tuple(
    re.compile(key, re.IGNORECASE)
    for key in (
        r"false\b",
        r"missing\b|missed\b",
        r"misidentif|wrong loc|incorrect loc",
        r"misassess|wrong sev|incorrect sev",
        r"mention",
        r"omit|omission",
    )
)


def read_answer(answer: str) -> GreenAnalysis:
    """Return the errors and matched findings in an answer.

    If the answer fills in the form several times, the last complete form counts, as in the authors' pipeline.

    Raises:
        UnreadableAnswer: the answer does not state the significant errors or the number of matched findings.
    """
    if not answer.strip():
        raise UnreadableAnswer("the answer is empty")
    text = _THOUGHT.sub("", answer).replace("\r\n", "\n").rpartition(_TURN)[2]
    forms = list(_forms(_MARKUP.sub("", text)))
    if not forms:
        raise UnreadableAnswer("the answer has none of the sections that were asked for")
    form = next((f for f in reversed(forms) if SIGNIFICANT in f and MATCHED in f), forms[-1])
    for section, name in ((SIGNIFICANT, "[Clinically Significant Errors]"), (MATCHED, "[Matched Findings]")):
        if section not in form:
            raise UnreadableAnswer(f"the answer has no section {name}")
    if not form[MATCHED].strip():
        raise UnreadableAnswer("the answer ends before the matched findings")
    return GreenAnalysis(
        explanation=" ".join(form.get(EXPLANATION, "").split()),
        significant=_errors(form[SIGNIFICANT], "clinically significant errors"),
        insignificant=_errors(form.get(INSIGNIFICANT, ""), "clinically insignificant errors"),
        matched=read_counted(form[MATCHED], "matched findings"),
    )


def _forms(text: str) -> Iterator[dict[str, str]]:
    """Yield the sections by name, once for each time the answer fills in the form."""
    headings = list(_BRACKETED.finditer(text))
    if not {SIGNIFICANT, MATCHED} <= {h.lastgroup for h in headings}:
        headings = list(_BARE.finditer(_BRACKETS.sub(" ", text)))
    form: dict[str, str] = {}
    for i, heading in enumerate(headings):
        end = headings[i + 1].start() if i + 1 < len(headings) else len(text)
        section = str(heading.lastgroup)
        if section in form:
            yield form
            form = {}
        form[section] = text[heading.end() : end]
    if form:
        yield form


def _errors(text: str, what: str) -> tuple[Counted, ...]:
    """Return the errors of a section by category."""
    items = list(_items(text))
    if not items:
        head = text.strip().split("\n")[0]
        if not head or is_nothing(head) or re.match(r"(?:no|none|0|zero)\b", head, re.IGNORECASE):
            return NO_ERRORS
        raise UnreadableAnswer(f"the {what} are not in the categories that were asked for")
    found: list[list[Counted]] = [[] for _ in TITLES]
    for category, rest in items:
        found[category].append(read_counted(rest, what))
    return tuple(_merged(counted) for counted in found)


def _items(text: str) -> Iterator[tuple[int, str]]:
    """Yield category and text of each item: `(a) <name>: <text>`."""
    items: list[tuple[int, int, int]] = []
    for marker in sorted((*_ITEM.finditer(text), *_INLINE.finditer(text)), key=lambda m: m.end()):
        category = _named(text, marker.end())
        if category is None and (letter := marker["round"]):
            category = "abcdef".find(letter.lower()) if letter.isalpha() else int(letter) - 1
        # `1. Nodule` without the name of a category is an entry of a list; a marker found by both patterns counts once
        if category is not None and not (items and items[-1][2] == marker.end()):
            items.append((category, marker.start(), marker.end()))
    for i, (category, _, start) in enumerate(items):
        end = items[i + 1][1] if i + 1 < len(items) else len(text)
        yield category, _after_name(text[start:end], category)


def _named(text: str, start: int) -> int | None:
    """Return the category whose name begins at `start`, or None."""
    return next((i for i, key in enumerate(_KEYS) if key.match(text, start)), None)


def _after_name(body: str, category: int) -> str:
    """Return the text after the name of the category."""
    whole = _TITLES[category].match(body)
    if whole:
        return body[whole.end() :].lstrip(" \t:")
    name, colon, rest = body.partition(":")
    return rest if colon and "\n" not in name and _KEYS[category].match(body) else body


def _merged(counted: list[Counted]) -> Counted:
    """Merge several statements of one category: the count is the largest stated, or the number of distinct entries."""
    if len(counted) < 2:
        return counted[0] if counted else NONE
    entries = tuple(dict.fromkeys(entry for c in counted for entry in c.entries))
    return Counted(max(len(entries), *(c.count for c in counted)), entries)
