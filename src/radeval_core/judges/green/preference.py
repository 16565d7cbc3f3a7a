"""Choose between two candidate reports (section 4.3.2 of the GREEN paper).

`prefer` compares their GREEN scores, error counts or, with the embedded judge, weighted scores. `ask_preference` asks a
model directly which one is better, with the prompt of appendix A.3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from radeval_core.engine.cache import cache_from
from radeval_core.errors import InputError, unknown_name
from radeval_core.judges.backends.base import Backend, Message, Request
from radeval_core.judges.backends.select import make_backend
from radeval_core.judges.green.paper_prompts import MAX_WORDS, paper_prompt, prompt_identity_of
from radeval_core.judges.model_judge import answers_to
from radeval_core.judges.pair_prompt import fill, labels
from radeval_core.judges.prompt_safety import as_shown
from radeval_core.pairs import is_blank

#: the value that decides, and whether a higher one is better
RULES = {"green": True, "error_count": False, "weighted": True}
_MAX_ANSWER = 1024
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
#: the three labels of the prompt, also the other way round, with quotes or Markdown around their words
_LABEL = re.compile(
    r"assistant\W*([12])\W+is\W+(better\W+than|worse\W+than|equal\W+to)\W+assistant\W*([12])", re.IGNORECASE
)


@dataclass(frozen=True)
class Preference:
    """A choice between two candidates.

    Attributes:
        choice: `one`, `other`, `equal`, or None if a candidate could not be scored.
        scores: the deciding score of each candidate.
        why: what is wrong with each, in words.
    """

    choice: str | None
    scores: tuple[float, float]
    why: tuple[str, str]


class Green(Protocol):
    """A loaded `green`: `radeval_core.load("green")`."""

    def compute(self, predictions: Sequence[str], references: Sequence[str], detailed: bool) -> dict[str, Any]:
        """Score parallel lists."""


def prefer(green: Green, reference: str, one: str, other: str, by: str = "green") -> Preference:
    """Return which of two candidates for a reference is better.

    Args:
        green: the loaded metric, `radeval_core.load("green")`, in any config.
        reference: the report to compare with.
        one: a candidate.
        other: another candidate.
        by: `green`, the higher score, which the paper uses (table 6); `error_count`, the lower number of errors; or
            `weighted`, the higher score with clinical weights, which agrees best with radiologists on RadPref. Only the
            embedded judge gives weights.
    """
    return prefer_all(green, [reference], [one], [other], by)[0]


def prefer_all(
    green: Green, references: Sequence[str], ones: Sequence[str], others: Sequence[str], by: str = "green"
) -> list[Preference]:
    """Return the preference of each row of parallel lists: all pairs go to the judge together."""
    if by not in RULES:
        raise unknown_name("rule of preference", by, RULES)
    _check_lengths(references, ones, others)
    result = green.compute([*ones, *others], [*references, *references], detailed=True)
    if by not in ("green", *result):
        raise InputError(f"a model gives no weights: use by='green' or by='error_count', not by={by!r}")
    values = result["scores" if by == "green" else f"{by}_scores"]
    details = [detail.get("explanation") or detail["reason"] for detail in result["details"]]
    n = len(references)
    return [
        Preference(
            _choice(values[i], values[n + i], RULES[by]), (values[i], values[n + i]), (details[i], details[n + i])
        )
        for i in range(n)
    ]


def _choice(one: float, other: float, higher_is_better: bool) -> str | None:
    if math.isnan(one) or math.isnan(other):
        return None
    if math.isclose(one, other, abs_tol=1e-9):
        return "equal"
    return "one" if (one > other) == higher_is_better else "other"


@dataclass(frozen=True)
class DirectPreference:
    """What a model said about two candidates.

    Attributes:
        choice: `one`, `other`, `equal`, or None if the answer states no preference.
        answer: the model's answer, unchanged; empty if there is none.
        reason: why there is no choice; empty if there is one.
    """

    choice: str | None
    answer: str
    reason: str = ""


def ask_preference(
    model: str | Backend, reference: str, one: str, other: str, cache: str | Path | None = None
) -> DirectPreference:
    """Ask a model which of two candidates for a reference is better, with the prompt of appendix A.3.

    Args:
        model: `http:MODEL`, `anthropic:MODEL`, `vllm:MODEL`, a Hub id or a folder; or a backend.
        reference: the report to compare with.
        one: a candidate, the paper's "Assistant 1".
        other: another candidate, "Assistant 2".
        cache: folder that keeps answers, encrypted; also taken from the environment variable RADEVAL_CACHE.
    """
    return ask_preferences(model, [reference], [one], [other], cache)[0]


def ask_preferences(
    model: str | Backend,
    references: Sequence[str],
    ones: Sequence[str],
    others: Sequence[str],
    cache: str | Path | None = None,
) -> list[DirectPreference]:
    """Return what a model says about each row of parallel lists. Rows with an empty report are not asked about."""
    _check_lengths(references, ones, others)
    rows = list(zip(references, ones, others, strict=True))
    asked = [i for i, row in enumerate(rows) if not any(map(is_blank, row))]
    backend = make_backend(model) if isinstance(model, str) else model
    requests = [_question(*rows[i]) for i in asked]
    identity = prompt_identity_of("preference")
    readable = lambda text: read_preference(text) is not None  # noqa: E731
    answers = answers_to(requests, backend, identity, cache_from(cache), readable)
    found = [DirectPreference(None, "", "a report is empty: the model was not asked")] * len(rows)
    for i, answer in zip(asked, answers, strict=True):
        choice = read_preference(answer.text or "")
        reason = "" if choice else answer.reason or "the answer states no preference, or several"
        found[i] = DirectPreference(choice, answer.text or "", reason)
    return found


def read_preference(answer: str) -> str | None:
    """Return the choice in an answer: the label on its last line, else the only label in it; None if unclear."""
    lines = [line for line in _THOUGHT.sub("", answer).splitlines() if any(map(str.isalnum, line))]
    for text in (lines[-1] if lines else "", "\n".join(lines)):
        stated = {_choice_of(*match.groups()) for match in _LABEL.finditer(text)}
        if stated:
            return stated.pop() if len(stated) == 1 else None
    return None


def _choice_of(first: str, relation: str, second: str) -> str | None:
    if first == second:
        return None
    word = relation.lower()[:5]
    if word == "equal":
        return "equal"
    return "one" if (word == "bette") == (first == "1") else "other"


def _question(reference: str, one: str, other: str) -> Request:
    template = paper_prompt("preference")
    given = {"reference": reference, "one": one, "other": other}
    texts = {name: as_shown(text, MAX_WORDS, labels(template)).text for name, text in given.items()}
    return Request((Message("user", fill(template, texts)),), max_tokens=_MAX_ANSWER)


def _check_lengths(references: Sequence[str], ones: Sequence[str], others: Sequence[str]) -> None:
    if not len(references) == len(ones) == len(others):
        raise InputError(
            f"references, ones and others must have the same length: got {len(references)}, {len(ones)}, {len(others)}"
        )
