"""What FineRadScore asks a model about a pair of reports, and how an unreadable answer is asked for again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.fineradscore.analysis import Analysis
from radeval_core.judges.fineradscore.answer import read_answer
from radeval_core.judges.fineradscore.lines import split_lines
from radeval_core.judges.fineradscore.schema import answer_schema
from radeval_core.judges.neutral import ShownReport, as_shown, neutralise

#: words of a report that are judged; the longest real ones have some hundreds
MAX_WORDS = 600
MAX_ANSWER = 2048
PROMPT_VERSION = 1
#: characters of an unreadable answer that are shown again
_SHOWN_AGAIN = 4000


def shown_report(report: str) -> ShownReport:
    """A report as the prompt holds it."""
    return as_shown(report, MAX_WORDS)


@dataclass(frozen=True)
class FineRadJudge:
    """FineRadScore's instructions and the reader of its answers.

    Attributes:
        few_shot: show five examples, as the paper recommends (section 3.2).
    """

    few_shot: bool = True
    #: as in the paper (section 5)
    tries: int = 5

    @property
    def identity(self) -> str:
        """Version of the instructions, and a hash of their text."""
        text = json.dumps([(m.role, m.content) for m in self._opening])
        shots = "few-shot" if self.few_shot else "zero-shot"
        return f"fineradscore-{shots}-{PROMPT_VERSION}@{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def _opening(self) -> tuple[Message, ...]:
        """All that stands before the question: the same for every pair."""
        return _opening(self.few_shot)

    def request(self, reference: str, candidate: str) -> Request:
        """The question about a pair. The reports stand in it as JSON strings: no character in them can end one."""
        shown = shown_report(candidate).text
        question = Message("user", question_text(shown_report(reference).text, shown))
        return Request((*self._opening, question), max_tokens=MAX_ANSWER, schema=answer_schema(len(split_lines(shown))))

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """The question with the last answer and what is wrong with it; earlier answers are left out."""
        asked = request.messages[: len(self._opening) + 1]
        shown, _ = neutralise(answer[:_SHOWN_AGAIN])
        wrong = f"This answer cannot be used: {problem}. Answer again with the whole JSON object and nothing else."
        messages = (*asked, Message("assistant", shown), Message("user", wrong))
        return Request(messages, max_tokens=request.max_tokens, schema=request.schema)

    def read(self, reference: str, candidate: str, answer: str) -> Analysis:
        """The corrections an answer holds; their lines are those of the candidate as it was shown."""
        return read_answer(answer, split_lines(shown_report(candidate).text))


def question_text(reference: str, candidate: str) -> str:
    """The two reports as the model sees them."""
    lines = {str(line.number): line.text for line in split_lines(candidate)}
    return json.dumps({"candidate": lines, "reference": reference}, ensure_ascii=False)


@cache
def examples() -> tuple[dict[str, Any], ...]:
    """The examples of the few-shot instructions."""
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
