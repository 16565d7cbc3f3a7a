"""Report text as data: what a model could take for a turn of the conversation or for our own headings made inert.

Ordinary report text passes unchanged, character by character, including `[2.5 cm]`, `<1 cm` and any script.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

#: markers of chat templates without a bar in them (those with one are all caught by `<|` and `|>`)
_ANGLE_TOKENS = (
    r"s|bos|eos|pad|unk|mask|sep|cls|sys|system|user|assistant|human|model|tool|think|thinking|tool_call|tool_response|"
    r"start_of_turn|end_of_turn|turn|end_of_text|begin_of_text|start_of_image|end_of_image|image|unused\d+|"
    r"reserved_\w+|\w*header_id|eot_id|eom_id|endoftext"
)
_SQUARE_TOKENS = (
    r"INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG\w*|PREFIX|SUFFIX|MIDDLE|THINK|"
    r"BOS|EOS|PAD|UNK|CLS|SEP|MASK|gMASK|sop"
)
#: the headings of a GREEN answer
_HEADINGS = r"Explanation|(?:Clinically\s+)?(?:In)?significant\s+Errors?|Matched\s+Findings?"
_INERT = re.compile(
    rf"""
    [<＜]\s*[|｜] | [|｜]\s*[>＞]                                  # <|im_start|>, <｜User｜>
    | [<＜]{{1,2}}\s*/?\s*(?:{_ANGLE_TOKENS})\s*/?\s*[>＞]{{1,2}}   # </s>, <<SYS>>, <start_of_turn>
    | \[\s*/?\s*(?:{_SQUARE_TOKENS})\s*\]                          # [INST]
    | \[\s*(?:{_HEADINGS})\s*\]\s*:                                # [Matched Findings]:
    | (?m:^)[^\S\n]*\#{{2,}}(?=[^\S\n]*\w)                         # ### Response
    | (?m:^)[^\S\n]*(?:system|user|assistant|human)[^\S\n]*:       # Human: at the start of a line
    | `{{3,}} | ~{{3,}}                                            # fences
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: what stands in for the characters that make a marker a marker
_PLAIN = str.maketrans({"<": "(", ">": ")", "＜": "(", "＞": ")", "[": "(", "]": ")", "|": "", "｜": "", "`": "'",
                        "~": "-", "#": "-", ":": " -"})  # fmt: skip
_HEADING = re.compile(_HEADINGS, re.IGNORECASE)
_KEPT_CONTROLS = "\t\n\r"
#: no report has words of this length on average: a text without spaces is cut all the same
_LONGEST_MEAN_WORD = 30


def neutralise(text: str, own: Sequence[str] = ()) -> tuple[str, int]:
    """The text with everything inert that could end or change the instructions around it.

    Markers keep their words and lose what makes them markers: `<|user|>` becomes `(user)`, `[Matched Findings]:`
    becomes `(Matched Findings):`. Control, zero-width and direction characters, which can hide one, go first.

    Args:
        text: a report.
        own: further literal texts that structure a judge's prompt, such as its delimiters.

    Returns:
        The text, and how many places were changed; 0 leaves it exactly as it was.
    """
    text, count = _visible(text)
    for literal in own:
        found = text.count(literal)
        if found:
            text, count = text.replace(literal, _plain(literal)), count + found
    # what was taken out may have kept the parts of another marker apart
    while True:
        text, found = _INERT.subn(lambda match: _plain(match[0]), text)
        if not found:
            return text, count
        count += found


@dataclass(frozen=True)
class ShownReport:
    """A report as a model is shown it.

    Attributes:
        text: on one line, without anything a model could take for instructions.
        cut: whether it was too long and its end left out.
        neutralised: in how many places it was changed.
    """

    text: str
    cut: bool
    neutralised: int


def as_shown(report: str, words: int, own: Sequence[str] = ()) -> ShownReport:
    """A report as data for a prompt. Ordinary text changes in its white space only.

    Args:
        report: the report.
        words: how many words of it are shown at most.
        own: see `neutralise`.
    """
    inert, changed = neutralise(report, own)
    text, cut = cut_words(" ".join(inert.split()), words)
    return ShownReport(text, cut, changed)


def cut_words(text: str, limit: int) -> tuple[str, bool]:
    """The first `limit` words of a text, spacing kept, and whether anything was cut.

    A text with hardly any spaces is cut after as many characters as that many long words have.
    """
    end = 0
    cut = False
    for n, word in enumerate(re.finditer(r"\S+", text)):
        if n == limit:
            cut = True
            break
        end = word.end()
    longest = limit * _LONGEST_MEAN_WORD
    if end > longest:
        return text[:longest], True
    return (text[:end], True) if cut else (text, False)


def _visible(text: str) -> tuple[str, int]:
    """Without the characters nobody sees: controls become spaces, formatting goes, broken ones are marked."""
    if text.isascii() and text.isprintable():
        return text, 0
    parts: list[str] = []
    count = 0
    for character in text:
        kind = unicodedata.category(character)
        if kind in ("Cf", "Cc", "Cs", "Zl", "Zp") and character not in _KEPT_CONTROLS:
            count += 1
            character = {"Cf": "", "Cs": "\ufffd"}.get(kind, " ")
        parts.append(character)
    return "".join(parts), count


def _plain(marker: str) -> str:
    if _HEADING.search(marker):  # the colon of a heading is ordinary punctuation once the brackets are gone
        return marker.replace("[", "(").replace("]", ")")
    plain = marker.translate(_PLAIN)
    return plain if plain != marker else " ".join(marker)
