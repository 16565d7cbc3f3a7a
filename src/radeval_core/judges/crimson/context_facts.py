"""Read what a patient's context says, as terms of context.yaml: stated, asked about, denied, recent.

Indications are short and telegraphic: `75M s/p CABG POD 2, r/o ptx, no fever`. A term counts as denied after `no` or
`denies`, as asked about after `rule out` or before a question mark, else as stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from radeval_core.patient_context import PatientContext, age_in_years

_SENTENCE_END = re.compile(r"[.;\n](?=\s|$)")
_DENIED = re.compile(r"\b(?:no|not|denies|denied|without|negative|never|none|neither|free of|absence of)\b|\bnon-$")
_ASKED = re.compile(
    r"\b(?:r/o|rule out|ruling out|evaluate for|eval for|evaluation for|assess for|check for|concern for|"
    r"concerning for|suspected|suspect|suspicion of|suspicious for|possible|probable|query|question of|exclude|"
    r"looking for|versus|vs)\b|\?\s*\w{0,2}$"
)
#: what ends the reach of a denial or a question: another statement begins
_NEXT_STATEMENT = re.compile(
    r"\b(?:but|now|presents|presenting|s/p|status post|known|with|because)\b|:|,\s*(?:\d|on\b)"
)
#: a denial or a question reaches over a list of items with at most this many words each
_ITEM_WORDS = 3
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_WORDS)}
_UNIT_DAYS = {"hour": 0.04, "day": 1, "week": 7, "month": 30, "year": 365}
_TIME = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(_NUMBERS)})[\s-]*(hour|day|week|month|year)s?\b(?![\s-]*old|[\s-]*gestation|/o)"
    r"|\bpod\s*#?\s*(\d{1,3})|\bpost[\s-]?op(?:erative)? day\s*#?\s*(\d{1,3})"
)
_NOW = re.compile(r"\b(?:today|yesterday|this morning|last night|recent|recently|immediate|just|new|newly)\b")
_LONG_AGO = re.compile(
    r"\b(?:years ago|remote|remotely|childhood|(?:in |since )?(?:19|20)\d\d)\b"
    r"|(?<!year )(?<!years )(?<!year-)(?<!month )(?<!months )\bold\b"
)
_LONG = 3650.0
_AGE = re.compile(r"\b(\d{1,3}[\s-]*(?:years?|yrs?|y|months?|mos?|weeks?|days?)[\s-]*(?:old\b|/?o\b))")
_AGE_SEX = re.compile(r"\b(\d{1,3})\s?([mf])\b")


@dataclass(frozen=True)
class ContextFacts:
    """What a context says.

    Attributes:
        years: the age in years; None if it is not known.
        sex: male, female, or empty.
        stated: terms that are stated.
        mentioned: terms that are stated or asked about.
        since: for each stated term the days since, 0 if the context makes it current; infinite if it gives no time.
    """

    years: float | None = None
    sex: str = ""
    stated: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()
    since: Mapping[str, float] = field(default_factory=dict)


class FactReader:
    """Finds terms in contexts.

    Args:
        terms: the phrases of each term; `*` at the end of a word stands for any ending.
    """

    def __init__(self, terms: Mapping[str, Sequence[str]]) -> None:
        self._owners: dict[str, list[str]] = {}
        for term, phrases in terms.items():
            for phrase in phrases:
                self._owners.setdefault(phrase, []).append(term)

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {phrase: re.compile(_expression(phrase)) for phrase in self._owners}

    def read(self, context: PatientContext) -> ContextFacts:
        """Return what a context says."""
        stated: set[str] = set()
        asked: set[str] = set()
        since: dict[str, float] = {}
        for text, current in ((context.indication, True), (context.history, False)):
            for term, sentence, start, end in self._found(text.lower()):
                if _reaches(_DENIED, sentence, start):
                    continue
                if _reaches(_ASKED, sentence, start) or sentence[end : end + 2].startswith("?"):
                    asked.add(term)
                    continue
                stated.add(term)
                days = _days(sentence, start, end, current)
                since[term] = min(days, since.get(term, days))
        return ContextFacts(
            _years(context), _sex(context), frozenset(stated), frozenset(stated | asked), dict(sorted(since.items()))
        )

    def _found(self, text: str) -> Iterator[tuple[str, str, int, int]]:
        """Yield each term with its sentence and where it is in it."""
        for sentence in _SENTENCE_END.split(text):
            for phrase, pattern in self._patterns.items():
                for match in pattern.finditer(sentence):
                    for term in self._owners[phrase]:
                        yield term, sentence, *match.span()


def _expression(phrase: str) -> str:
    words = [re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word) for word in phrase.split()]
    return r"(?<![\w-])" + r"[\s-]+".join(words) + r"(?![\w])"


def _reaches(cue: re.Pattern[str], sentence: str, start: int) -> bool:
    """Return whether a cue before a term reaches it: within its items of a list, and before another statement."""
    before = sentence[:start]
    cues = list(cue.finditer(before))
    if not cues:
        return False
    between = before[cues[-1].end() :]
    if _NEXT_STATEMENT.search(between):
        return False
    items = between.split(",")
    return len(items) == 1 or all(len(item.split()) <= _ITEM_WORDS for item in items)


def _days(sentence: str, start: int, end: int, current: bool) -> float:
    """Return the days since what a sentence states; infinite if it gives no time in the history."""
    times = sorted(_TIME.finditer(sentence), key=lambda m: min(abs(m.start() - end), abs(start - m.end())))
    if times:
        number, unit, *post = times[0].groups()
        if number is None:
            return float(next(filter(None, post)))
        return (_NUMBERS[number] if number in _NUMBERS else int(number)) * _UNIT_DAYS[unit]
    if _NOW.search(sentence):
        return 0.0
    if _LONG_AGO.search(sentence):
        return _LONG
    return 0.0 if current else float("inf")


def _years(context: PatientContext) -> float | None:
    """Return the age in years, from the indication if it is not given."""
    if context.age:
        return context.years
    text = context.indication.lower()
    if found := _AGE.search(text):
        return age_in_years(found[1])
    return float(found[1]) if (found := _AGE_SEX.search(text)) else None


def _sex(context: PatientContext) -> str:
    given = context.sex.lower()
    if not given and (found := _AGE_SEX.search(context.indication.lower())):
        given = found[2]
    if given[:1] == "f" or given in ("woman", "girl"):
        return "female"
    return "male" if given[:1] == "m" or given == "boy" else ""
