"""CheXprompt's question to a model about a pair of reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources

from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.chexprompt.analysis import ErrorCounts
from radeval_core.judges.chexprompt.answer import INSIGNIFICANT, SIGNIFICANT, read_answer
from radeval_core.judges.examples import (
    INVENTED,
    Example,
    check_with,
    choose_examples,
    examples_from,
    shots_text,
    yaml_rows,
)
from radeval_core.judges.green.analysis import NO_ERRORS
from radeval_core.judges.pair_prompt import PairPrompt, fill, labels, prompt_identity, read_prompt
from radeval_core.judges.prompt_safety import ShownReport, as_shown
from radeval_core.judges.verdict import Verdict
from radeval_core.pairs import is_blank
from radeval_core.patient_context import PatientContext

#: maximum number of words of a report that are judged; the longest real reports have a few hundred
MAX_WORDS = 600
#: tokens of the answer: the authors allow 128, which cuts off a model that explains itself first
MAX_ANSWER = 1024
PROMPT_VERSION = 1
PAPER = "paper"
check_answer = check_with(read_answer, "CheXprompt")
#: what structures the question; a report must not contain it
_MARKS = ('"""', "##", "Reference Findings:", "Candidate Findings:", "Errors:")
_EXAMPLE = '##\nReference Findings: """{reference}"""\n\nCandidate Findings: """{candidate}"""\n\nErrors: {answer}\n'


@cache
def paper_prompt() -> PairPrompt:
    """Return the authors' wording."""
    return PairPrompt(PAPER, system=_file("system.txt"), question=_file("question.txt"))


@cache
def our_examples() -> tuple[Example, ...]:
    """Return the invented examples."""
    return examples_from(yaml_rows("examples.yaml", _file("examples.yaml")), check_answer)


@dataclass(frozen=True)
class ChexpromptInstructions:
    """CheXprompt's instructions and the reader of its answers.

    Attributes:
        prompt: the wording.
        examples: shown inside the question; five by default, as in the original.
        tries: number of questions about a pair: the authors ask once more after an unreadable answer.
    """

    prompt: PairPrompt = field(default_factory=paper_prompt)
    examples: tuple[Example, ...] = field(default_factory=our_examples)
    tries: int = 2

    @property
    def identity(self) -> str:
        """Return the names, the version and a hash of everything the model is told."""
        name = "" if self.prompt.name == PAPER else self.prompt.name
        shots = "few-shot" if self.examples == our_examples() else shots_text(self.examples)
        told = (self.prompt.system, self.prompt.question, self._shown_examples)
        return prompt_identity("chexprompt", name, shots, PROMPT_VERSION, told)

    @cached_property
    def _shown_examples(self) -> str:
        """Return the examples as one text; the mark between them opens and closes it, as in the original."""
        texts = [
            fill(_EXAMPLE, {"reference": e.reference, "candidate": e.candidate, "answer": e.answer})
            for e in self.examples
        ]
        return f"{''.join(texts)}##" if texts else ""

    @cached_property
    def _own(self) -> tuple[str, ...]:
        return (*_MARKS, *labels(self.prompt.question))

    def settled(self, reference: str, candidate: str) -> Verdict[ErrorCounts] | None:
        """Return no errors for two empty reports; every other pair goes to the model."""
        both = is_blank(reference) and is_blank(candidate)
        return Verdict(ErrorCounts(NO_ERRORS, NO_ERRORS), tries=0) if both else None

    def shown(self, report: str) -> ShownReport:
        """Return a report as the prompt contains it."""
        return as_shown(report, MAX_WORDS, self._own)

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about a pair. No character of a report can end it."""
        texts = {"reference": self.shown(reference).text, "candidate": self.shown(candidate).text}
        question = fill(self.prompt.question, {"examples": self._shown_examples, **texts})
        system = (Message("system", self.prompt.system),) if self.prompt.system else ()
        return Request((*system, Message("user", question)), max_tokens=MAX_ANSWER)

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """Return the same question, as the authors do."""
        return request

    def read(self, reference: str, candidate: str, answer: str) -> ErrorCounts:
        """Return the counts in an answer."""
        counts = read_answer(answer)
        return ErrorCounts(counts[SIGNIFICANT], counts[INSIGNIFICANT])


def choose_instructions(instructions: str | None, examples: str | None, shots: int | None) -> ChexpromptInstructions:
    """Return what the options `instructions`, `examples` and `shots` choose.

    Args:
        instructions: `paper`, a text file, or None for the default.
        examples: `invented`, `none`, a file, or None for the default.
        shots: how many examples to show; all if None.
    """
    if instructions in (None, PAPER):
        prompt = paper_prompt()
    else:
        prompt = read_prompt("chexprompt.instructions", str(instructions), (PAPER,), needs_places=True)
    chosen = choose_examples("chexprompt", examples, shots, our_examples, check_answer, INVENTED)
    return ChexpromptInstructions(prompt, chosen)


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
