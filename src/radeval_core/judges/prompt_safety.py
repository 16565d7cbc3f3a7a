"""Neutralise report text that a model could mistake for a chat turn or for the headings of our prompt.

Ordinary report text stays exactly the same, including `[2.5 cm]`, `<1 cm` and any script.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

#: markers of chat templates without a bar (`<|` and `|>` match all markers with a bar)
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
_CHAT = rf"""
    [<＜]\s*[|｜] | [|｜]\s*[>＞]                                  # <|im_start|>, <｜User｜>
    | [<＜]{{1,2}}\s*/?\s*(?:{_ANGLE_TOKENS})\s*/?\s*[>＞]{{1,2}}   # </s>, <<SYS>>, <start_of_turn>
    | \[\s*/?\s*(?:{_SQUARE_TOKENS})\s*\]                          # [INST]
    """
_CHAT_MARKER = re.compile(_CHAT, re.VERBOSE | re.IGNORECASE)
_INERT = re.compile(
    rf"""
    {_CHAT}
    | \[\s*(?:{_HEADINGS})\s*\]\s*:                                # [Matched Findings]:
    | (?m:^)[^\S\n]*\#{{2,}}(?=[^\S\n]*\w)                         # ### Response
    | (?m:^)[^\S\n]*(?:system|user|assistant|human)[^\S\n]*:       # Human: at the start of a line
    | `{{3,}} | ~{{3,}}                                            # fences
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: replacements for the characters that make a marker
_PLAIN = str.maketrans({"<": "(", ">": ")", "＜": "(", "＞": ")", "[": "(", "]": ")", "|": "", "｜": "", "`": "'",
                        "~": "-", "#": "-", ":": " -"})  # fmt: skip
_HEADING = re.compile(_HEADINGS, re.IGNORECASE)
_KEPT_CONTROLS = "\t\n\r"
#: characters allowed per word when a text is cut, so that a text without spaces is cut too
_LONGEST_MEAN_WORD = 30


def neutralise(text: str, own: Sequence[str] = ()) -> tuple[str, int]:
    """Neutralise everything in a text that could end or change the instructions around it.

    Markers keep their words but lose their special characters: `<|user|>` becomes `(user)`, `[Matched Findings]:`
    becomes `(Matched Findings):`. Control, zero-width and direction characters are removed first, because they can hide
    a marker.

    Args:
        text: a report.
        own: more literal texts that structure a judge's prompt, such as its delimiters.

    Returns:
        The text, and the number of changes; with 0 the text is unchanged.
    """
    text, count = _visible(text)
    for literal in own:
        found = text.count(literal)
        if found:
            text, count = text.replace(literal, _plain(literal)), count + found
    # repeat: a change can join two parts into another marker
    while True:
        text, found = _INERT.subn(lambda match: _plain(match[0]), text)
        if not found:
            return text, count
        count += found


def has_chat_marker(text: str) -> bool:
    """Return True if a text contains a marker of a chat template, such as `</s>` or `<|user|>`."""
    return bool(_CHAT_MARKER.search(_visible(text)[0]))


@dataclass(frozen=True)
class ShownReport:
    """A report as the model sees it.

    Attributes:
        text: the report on one line, without anything a model could mistake for instructions.
        cut: True if it was too long and its end was left out.
        neutralised: number of changes made by `neutralise`.
    """

    text: str
    cut: bool
    neutralised: int


def as_shown(report: str, words: int, own: Sequence[str] = ()) -> ShownReport:
    """Return a report as data for a prompt. In ordinary text only white space changes.

    Args:
        report: the report.
        words: maximum number of words to show.
        own: see `neutralise`.
    """
    inert, changed = neutralise(report, own)
    text, cut = cut_words(" ".join(inert.split()), words)
    return ShownReport(text, cut, changed)


def cut_words(text: str, limit: int) -> tuple[str, bool]:
    """Return the first `limit` words of a text with their spacing, and whether anything was cut.

    A text with hardly any spaces is cut after 30 characters per allowed word.
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
    """Remove invisible characters: controls become spaces, formatting is dropped, broken characters are marked."""
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
    if _HEADING.search(marker):  # without its brackets, the colon of a heading is ordinary punctuation
        return marker.replace("[", "(").replace("]", ")")
    plain = marker.translate(_PLAIN)
    return plain if plain != marker else " ".join(marker)
