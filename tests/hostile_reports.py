"""Invented reports that make trouble: a small grammar, mutations of its reports, and 24 kinds of Unicode trouble.

Everything is drawn from a `random.Random`, so that hypothesis (`hostile_pairs`) and `tools/soak_hostile.py` draw the
same reports.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import strategies as st

FINDINGS = (
    "pleural effusion",
    "pneumothorax",
    "atelectasis",
    "consolidation",
    "cardiomegaly",
    "nodule",
    "rib fracture",
    "opacity",
    "pulmonary edema",
    "mass",
    "pneumonia",
    "endotracheal tube",
    "disc herniation",
    "central venous catheter",
    "emphysema",
    "compression fracture",
    "hiatal hernia",
    "renal cyst",
)
_SIDES = ("left", "right", "bilateral", "")
_DEGREES = ("mild", "moderate", "severe", "small", "large", "mild to moderate", "new", "unchanged", "two", "")
PLACES = (
    "in the lower lobe",
    "in the upper lobe",
    "at the base",
    "in the apex",
    "at L4-L5",
    "at L5-S1",
    "of the sixth rib",
    "in the kidney",
    "above the carina",
    "",
)
_HEADINGS = (
    "FINDINGS:",
    "IMPRESSION:",
    "INDICATION:",
    "TECHNIQUE:",
    "CHEST, TWO VIEWS",
    "MRI RIGHT KNEE",
    "findings",
    "",
)
_FRAMES = (
    "There is {degree} {side} {finding} {place}.",
    "No {side} {finding}.",
    "{finding} {place} measuring {size} {unit}, cannot be excluded.",
    "The {side} lung is clear. The heart is normal in size.",
    "This may represent {finding}.",
    "No change. {degree} {finding} or {finding} {place}",
    "1. {finding} 2. {degree} {finding}",
    "No acute cardiopulmonary process.",
    "Der Patient hat keinen {finding}.",
    "___ XXXX {finding}",
)
_UNITS = ("mm", "cm", "x 3 cm", "", "%", "mm x 4 mm x", "Hounsfield")

#: 24 kinds of trouble, each a text to put between two characters of a report
UNICODE_TROUBLE: dict[str, str] = {
    "high surrogate": "\ud800",
    "low surrogate": "\udfff",
    "surrogates in the wrong order": "\udc00\ud800",
    "combining mark": "e\u0301\u0327",
    "combining mark alone": "\u0338",
    "huge grapheme": "a" + "\u0300" * 60,
    "right-to-left override": "\u202eneg\u202c",
    "right-to-left isolate": "\u2067x\u2069",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "soft hyphen": "\u00ad",
    "null": "\x00",
    "control characters": "\x01\x08\x1b[31m\x7f",
    "byte order mark": "\ufeff",
    "digits of other scripts": "٣٫٥ ५ ３ mm",
    "superscript and circled digits": "10³ mm ② cm ½ cm ㎜",
    "line and paragraph separators": "\u2028\u2029\x85\x0b\x0c\r",
    "odd spaces": "\u00a0\u2003\u3000\u1680",
    "ligatures and wide letters": "ﬁndings ｎｏ ｅｆｆｕｓｉｏｎ ㎝",
    "letters that change length in lower or upper case": "İßŉΐ ſ",
    "emoji sequence": "👩🏽‍⚕️🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "private use and not a character": "\ue000\uffff\U0010ffff",
    "tag and variation selectors": "\U000e0041\ufe0f",
    "other scripts and look-alikes": "左肺 плевра nо effusiоn",
}


def report(random_: random.Random) -> str:
    """Return a report of the grammar, with mutations more often than not."""
    text = _written(random_)
    for _ in range(random_.choice((0, 0, 1, 1, 2, 4))):
        text = random_.choice(_MUTATIONS)(text, random_)
    return text


def pair(random_: random.Random) -> tuple[str, str]:
    """Return two reports: independent, equal, or one a mutation of the other."""
    one = report(random_)
    how = random_.random()
    if how < 0.15:
        return one, one
    return (one, report(random_)) if how < 0.7 else (one, random_.choice(_MUTATIONS)(one, random_))


def hostile_pairs() -> st.SearchStrategy[tuple[str, str]]:
    """Return the strategy of hostile pairs."""
    return st.builds(pair, st.randoms(use_true_random=False))


def _written(random_: random.Random) -> str:
    size = random_.choice((str(random_.randint(0, 99)), "3.5", "1e999", "0", "9" * random_.randint(1, 40), "-4", "2,5"))
    sentences = []
    for _ in range(random_.choice((0, 1, 1, 2, 3, 5, 9))):
        said = {
            "degree": random_.choice(_DEGREES),
            "side": random_.choice(_SIDES),
            "finding": random_.choice(FINDINGS),
            "place": random_.choice(PLACES),
            "size": size,
            "unit": random_.choice(_UNITS),
        }
        sentences += [random_.choice(_HEADINGS)] if random_.random() < 0.2 else []
        sentences.append(random_.choice(_FRAMES).format(**said))
    return random_.choice((" ", "\n", "  ", "\r\n", "")).join(sentences)


def _trouble(text: str, random_: random.Random) -> str:
    at = random_.randint(0, len(text))
    return text[:at] + random_.choice(tuple(UNICODE_TROUBLE.values())) + text[at:]


def _cut(text: str, random_: random.Random) -> str:
    start, end = sorted((random_.randint(0, len(text)), random_.randint(0, len(text))))
    return text[:start] + text[end:]


def _repeated(text: str, random_: random.Random) -> str:
    start, end = sorted((random_.randint(0, len(text)), random_.randint(0, len(text))))
    return text[:end] + text[start:end] * random_.randint(1, 3) + text[end:]


def _shuffled(text: str, random_: random.Random) -> str:
    words = text.split(" ")
    random_.shuffle(words)
    return " ".join(words)


def _recased(text: str, random_: random.Random) -> str:
    return random_.choice((str.upper, str.lower, str.title, str.swapcase))(text)


def _punctuated(text: str, random_: random.Random) -> str:
    at = random_.randint(0, len(text))
    return (
        text[:at]
        + random_.choice((". . .", ":::", "((", "))", "///", "---", "\\", "<b>", "{}", "%s", "?!"))
        + text[at:]
    )


_Mutation = Callable[[str, random.Random], str]
_MUTATIONS: tuple[_Mutation, ...] = (_trouble, _trouble, _trouble, _cut, _repeated, _shuffled, _recased, _punctuated)
