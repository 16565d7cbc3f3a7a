"""FineRadScore's question to a model about a pair of reports, and the question after an unreadable answer.

The instructions are ours, the paper's, or the user's; the examples are ours, the user's, or none.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any

import yaml

from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import Analysis
from radeval_core.errors import InputError
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.examples import INVENTED, Example, choose_examples, examples_from, shots_text, yaml_rows
from radeval_core.judges.fineradscore.answer import read_answer
from radeval_core.judges.fineradscore.schema import NEW_LINE, answer_schema
from radeval_core.judges.pair_prompt import PairPrompt, prompt_identity, read_prompt
from radeval_core.judges.prompt_safety import ShownReport, as_shown, neutralise
from radeval_core.judges.verdict import UnreadableAnswer, Verdict
from radeval_core.pairs import is_blank
from radeval_core.patient_context import PatientContext

log = logging.getLogger(__name__)
#: maximum number of words of a report that are judged; the longest real reports have a few hundred
MAX_WORDS = 600
MAX_ANSWER = 2048
PROMPT_VERSION = 1
#: names of the instructions, the default first
OURS, PAPER = "radeval", "paper"
#: maximum number of characters of an unreadable answer that are shown to the model again
_SHOWN_AGAIN = 4000
#: the number of a line in the paper's form of a question; a report must not contain one
_NUMBER = re.compile(r"\[(\d+)\]")


@cache
def our_examples() -> tuple[Example, ...]:
    """Return the invented examples."""
    return examples_from(yaml_rows("examples.yaml", _file("examples.yaml")), check_answer)


@cache
def our_prompt() -> PairPrompt:
    """Return our instructions; the pair follows as JSON."""
    return PairPrompt(OURS, system=_file("instructions.md").strip())


@cache
def paper_prompt(few_shot: bool) -> PairPrompt:
    """Return the paper's instructions (appendix A), with the form of the answer (A.1) if there are no examples."""
    texts: dict[str, str] = yaml.safe_load(_file("paper.yaml"))
    if few_shot:
        return PairPrompt(PAPER, system=texts["instructions"].strip(), question=texts["question"])
    return PairPrompt(PAPER, question="\n".join((texts["instructions"], texts["zero_shot"], texts["question"])))


@dataclass(frozen=True)
class FineRadInstructions:
    """FineRadScore's instructions and the reader of its answers.

    Attributes:
        prompt: the wording.
        examples: shown before the first pair; five by default, as the paper recommends (section 3.2).
        tries: number of questions about a pair, as in the paper (section 5).
    """

    prompt: PairPrompt = field(default_factory=our_prompt)
    examples: tuple[Example, ...] = field(default_factory=our_examples)
    tries: int = 5

    @property
    def identity(self) -> str:
        """Return the names, the version and a hash of everything the model is told."""
        name = "" if self.prompt.name == OURS else self.prompt.name
        shots = "few-shot" if self.examples == our_examples() else shots_text(self.examples)
        told = json.dumps([(m.role, m.content) for m in self._opening])
        return prompt_identity("fineradscore", name, shots, PROMPT_VERSION, (told, self.prompt.question))

    @cached_property
    def _opening(self) -> tuple[Message, ...]:
        """Return all messages before the question: the same for every pair."""
        messages = [Message("system", self.prompt.system)] if self.prompt.system else []
        for example in self.examples:
            shown = self._question(self.shown(example.reference).text, self.shown(example.candidate).text)
            messages += [Message("user", shown), Message("assistant", example.answer)]
        return tuple(messages)

    def settled(self, reference: str, candidate: str) -> Verdict[Analysis] | None:
        """Return no corrections for two empty reports; every other pair goes to the model."""
        return Verdict(Analysis(()), tries=0) if is_blank(reference) and is_blank(candidate) else None

    def shown(self, report: str) -> ShownReport:
        """Return a report as the prompt contains it."""
        shown = as_shown(report, MAX_WORDS, self.prompt.labels)
        if not self.prompt.question:
            return shown
        text, numbers = _NUMBER.subn(r"(\1)", shown.text)
        return ShownReport(text, shown.cut, shown.neutralised + numbers)

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about a pair. No character of a report can end it. The context is not used."""
        shown = self.shown(candidate).text
        question = Message("user", self._question(self.shown(reference).text, shown))
        # the authors let their models write freely
        schema = None if self.prompt.name == PAPER else answer_schema(len(split_lines(shown)))
        return Request((*self._opening, question), max_tokens=MAX_ANSWER, schema=schema)

    def _question(self, reference: str, candidate: str) -> str:
        """Return the question about two reports as shown: as JSON strings, or in the wording's form."""
        lines = {str(line.number): line.text for line in split_lines(candidate)}
        if not self.prompt.question:
            return json.dumps({"candidate": lines, "reference": reference}, ensure_ascii=False)
        return self.prompt.fill(reference, " ".join(f"[{number}] {text}" for number, text in lines.items()))

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


def choose_instructions(instructions: str | None, examples: str | None, shots: int | None) -> FineRadInstructions:
    """Return what the options `instructions`, `examples` and `shots` choose.

    Args:
        instructions: `radeval`, `paper`, a text file, or None for the default.
        examples: `invented`, `none`, a file, or None for the default.
        shots: how many examples to show; all if None.
    """
    chosen = choose_examples("fineradscore", examples, shots, our_examples, check_answer, INVENTED)
    if instructions in (None, OURS):
        prompt = our_prompt()
    elif instructions == PAPER:
        prompt = paper_prompt(few_shot=bool(chosen))
    else:
        prompt = read_prompt("fineradscore.instructions", str(instructions), (OURS, PAPER), needs_places=False)
    return FineRadInstructions(prompt, chosen)


def check_answer(where: str, candidate: str, answer: Any) -> str:
    """Return the answer of an example as JSON text: an object with the numbers of lines as keys.

    An answer that our reader would refuse is shown as it is, with a warning: a published example has such an answer.
    """
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except ValueError:
            raise InputError(f"{where} is not valid JSON") from None
    if not isinstance(answer, Mapping):
        raise InputError(f"{where} must be an object with numbers of lines as keys, got {type(answer).__name__}")
    lines = split_lines(as_shown(candidate, MAX_WORDS).text)
    for key in map(str, answer):
        if key != NEW_LINE and not (key.isdecimal() and len(key) < 10 and int(key) < len(lines)):
            numbers = f"0 to {len(lines) - 1}" if lines else "none"
            raise InputError(f"{where}: a key is neither the number of a line of the candidate, {numbers}, nor None")
    text = json.dumps({str(key): value for key, value in answer.items()}, ensure_ascii=False)
    try:
        read_answer(text, lines)
    except UnreadableAnswer:
        log.warning("%s is shown to the model, but it could not be scored: check its severities and categories", where)
    return text


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
