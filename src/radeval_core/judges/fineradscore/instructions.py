"""FineRadScore's question to a model about a pair of reports, and the question after an unreadable answer."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import Analysis
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.fineradscore.answer import read_answer
from radeval_core.judges.fineradscore.schema import answer_schema
from radeval_core.judges.prompt_safety import ShownReport, as_shown, neutralise
from radeval_core.judges.verdict import Verdict
from radeval_core.pairs import is_blank

#: maximum number of words of a report that are judged; the longest real reports have a few hundred
MAX_WORDS = 600
MAX_ANSWER = 2048
PROMPT_VERSION = 1
#: maximum number of characters of an unreadable answer that are shown to the model again
_SHOWN_AGAIN = 4000


@dataclass(frozen=True)
class FineRadInstructions:
    """FineRadScore's instructions and the reader of its answers.

    Attributes:
        few_shot: show five examples, as the paper recommends (section 3.2).
    """

    few_shot: bool = True
    #: as in the paper (section 5)
    tries: int = 5

    @property
    def identity(self) -> str:
        """Return the version of the instructions and a hash of their text."""
        text = json.dumps([(m.role, m.content) for m in self._opening])
        shots = "few-shot" if self.few_shot else "zero-shot"
        return f"fineradscore-{shots}-{PROMPT_VERSION}@{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def _opening(self) -> tuple[Message, ...]:
        """Return all messages before the question: the same for every pair."""
        return _opening(self.few_shot)

    def settled(self, reference: str, candidate: str) -> Verdict[Analysis] | None:
        """Return no corrections for two empty reports; every other pair goes to the model."""
        return Verdict(Analysis(()), tries=0) if is_blank(reference) and is_blank(candidate) else None

    def shown(self, report: str) -> ShownReport:
        """Return a report as the prompt contains it."""
        return as_shown(report, MAX_WORDS)

    def request(self, reference: str, candidate: str) -> Request:
        """Return the question about a pair. Reports are JSON strings in it, so no character of a report can end it."""
        shown = self.shown(candidate).text
        question = Message("user", question_text(self.shown(reference).text, shown))
        return Request((*self._opening, question), max_tokens=MAX_ANSWER, schema=answer_schema(len(split_lines(shown))))

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """Return the question with the last answer and its problem; earlier answers are left out."""
        asked = request.messages[: len(self._opening) + 1]
        shown, _ = neutralise(answer[:_SHOWN_AGAIN])
        wrong = f"This answer cannot be used: {problem}. Answer again with the whole JSON object and nothing else."
        messages = (*asked, Message("assistant", shown), Message("user", wrong))
        return Request(messages, max_tokens=request.max_tokens, schema=request.schema)

    def read(self, reference: str, candidate: str, answer: str) -> Analysis:
        """Return the corrections in an answer; line numbers are those of the candidate as the model saw it."""
        return read_answer(answer, split_lines(self.shown(candidate).text))


def question_text(reference: str, candidate: str) -> str:
    """Return the two reports as the model sees them."""
    lines = {str(line.number): line.text for line in split_lines(candidate)}
    return json.dumps({"candidate": lines, "reference": reference}, ensure_ascii=False)


@cache
def examples() -> tuple[dict[str, Any], ...]:
    """Return the examples of the few-shot instructions."""
    return tuple(yaml.safe_load(_file("examples.yaml")))


@cache
def _opening(few_shot: bool) -> tuple[Message, ...]:
    messages = [Message("system", _file("instructions.md").strip())]
    for example in examples() if few_shot else ():
        messages.append(Message("user", question_text(example["reference"], example["candidate"])))
        messages.append(Message("assistant", json.dumps(example["corrections"], ensure_ascii=False)))
    return tuple(messages)


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
