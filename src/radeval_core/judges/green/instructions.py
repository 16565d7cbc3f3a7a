"""GREEN's question to a model about a pair of reports: the exact prompt its checkpoints were trained on, by default."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from radeval_core.errors import InputError
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.examples import NO_EXAMPLES, Example, choose_examples, examples_from, shots_text, yaml_rows
from radeval_core.judges.green.analysis import GreenAnalysis
from radeval_core.judges.green.answer import read_answer
from radeval_core.judges.pair_prompt import PairPrompt, prompt_identity, read_prompt
from radeval_core.judges.prompt_safety import ShownReport, as_shown
from radeval_core.judges.verdict import UnreadableAnswer, Verdict
from radeval_core.pairs import is_blank
from radeval_core.patient_context import PatientContext

#: maximum number of words of a report that are judged, as in the authors' package
MAX_WORDS = 300
#: maximum number of tokens of prompt and answer together, as in the authors' package
MAX_TOTAL = 2048
#: maximum number of tokens of the answer alone: about twice the longest answer in the training data
MAX_ANSWER = 1024
PROMPT_VERSION = 1
#: the authors' package writes an empty assistant turn and then starts another; the published models expect that
_RENDERED = "<|user|>\n{prompt}</s>\n<|assistant|>\n</s>\n<|assistant|>\n"
#: an example as the same models would have seen it
_TURN = "<|user|>\n{prompt}</s>\n<|assistant|>\n{answer}</s>\n"
#: name of the prompt in appendix A.1
PAPER = "paper"


@cache
def paper_prompt() -> PairPrompt:
    """Return the prompt of appendix A.1."""
    return PairPrompt(PAPER, question=_file("prompt.txt"))


@cache
def our_examples() -> tuple[Example, ...]:
    """Return the invented examples."""
    return examples_from(yaml_rows("examples.yaml", _file("examples.yaml")), check_answer)


@dataclass(frozen=True)
class GreenInstructions:
    """GREEN's instructions and the reader of its answers.

    Attributes:
        prompt: the wording.
        examples: shown before the pair; none by default, because the published models were trained without.
        tries: number of questions about a pair; with greedy decoding, asking again would give the same answer.
    """

    prompt: PairPrompt = field(default_factory=paper_prompt)
    examples: tuple[Example, ...] = ()
    tries: int = 1

    @property
    def identity(self) -> str:
        """Return the names, the version and a hash of everything the model is told."""
        name = "" if self.prompt.name == PAPER else self.prompt.name
        shots = shots_text(self.examples) if self.examples else ""
        examples = [json.dumps([e.reference, e.candidate, e.answer]) for e in self.examples]
        return prompt_identity("green", name, shots, PROMPT_VERSION, (_RENDERED, self.prompt.question, *examples))

    def settled(self, reference: str, candidate: str) -> Verdict[GreenAnalysis] | None:
        """Return no analysis for an empty report: the models were never trained on one."""
        if is_blank(reference) or is_blank(candidate):
            return Verdict(None, "a report is empty: the model was not asked", tries=0)
        return None

    def shown(self, report: str) -> ShownReport:
        """Return a report as the prompt contains it."""
        return as_shown(report, MAX_WORDS, self.prompt.labels)

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about a pair, as text for the checkpoints and as messages; the context is not used."""
        messages: list[Message] = []
        rendered = ""
        for example in self.examples:
            asked = self._question(example.reference, example.candidate)
            messages += [Message("user", asked), Message("assistant", example.answer)]
            rendered += _TURN.format(prompt=asked, answer=example.answer)
        prompt = self._question(reference, candidate)
        trained = self == GreenInstructions()
        return Request(
            messages=(*messages, Message("user", prompt)),
            rendered=rendered + _RENDERED.format(prompt=prompt),
            max_tokens=MAX_ANSWER,
            max_total=MAX_TOTAL if trained else None,
        )

    def _question(self, reference: str, candidate: str) -> str:
        return self.prompt.fill(self.shown(reference).text, self.shown(candidate).text)

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """Return the same question: the checkpoints were trained on no other."""
        return request

    def read(self, reference: str, candidate: str, answer: str) -> GreenAnalysis:
        """Return the analysis in an answer."""
        return read_answer(answer)


def choose_instructions(instructions: str | None, examples: str | None, shots: int | None) -> GreenInstructions:
    """Return what the options `instructions`, `examples` and `shots` choose.

    Args:
        instructions: `paper`, a text file, or None for the default.
        examples: `none`, `invented`, a file, or None for the default.
        shots: how many examples to show; all if None.
    """
    if instructions in (None, PAPER):
        prompt = paper_prompt()
    else:
        prompt = read_prompt("green.instructions", str(instructions), (PAPER,), needs_places=True)
    return GreenInstructions(prompt, choose_examples("green", examples, shots, our_examples, check_answer, NO_EXAMPLES))


def check_answer(where: str, candidate: str, answer: Any) -> str:
    """Return the answer of an example: a text in the form that the prompt asks for."""
    if not isinstance(answer, str):
        raise InputError(f"{where} must be a text, got {type(answer).__name__}")
    try:
        read_answer(answer)
    except UnreadableAnswer as error:
        raise InputError(f"{where} cannot be read as an answer of GREEN: {error}") from None
    return answer.strip()


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
