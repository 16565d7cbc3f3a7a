"""RadFact's questions to a model: split a report, keep its positive phrases, judge one phrase."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from radeval_core.functional.radfact import Verdict as PhraseVerdict
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.pair_prompt import prompt_identity
from radeval_core.judges.prompt_safety import ShownReport, cut_words, neutralise
from radeval_core.judges.radfact.answer import SplitReport, read_filtered, read_phrases, read_verdict
from radeval_core.judges.radfact.wording import RADFACT, Wording, choose_wording, entailment_question
from radeval_core.judges.verdict import Verdict
from radeval_core.pairs import is_blank
from radeval_core.patient_context import PatientContext

PROMPT_VERSION = 1
#: maximum number of words of a report that are split
MAX_WORDS = 2_000
#: most tokens of an answer with phrases (each sentence is written at least twice), and about one phrase
SPLIT_TOKENS, VERDICT_TOKENS = 4096, 1024


@dataclass(frozen=True)
class _Questions:
    """What the three kinds of questions share.

    Attributes:
        wording: what the model is told before the question.
        tries: number of questions; with greedy decoding, asking again would give the same answer.
    """

    wording: Wording = field(default_factory=lambda: choose_wording(None, None, None))
    tries: int = 1

    @property
    def identity(self) -> str:
        """Return name, version and a hash of everything the model is told, the same for all kinds of questions."""
        wording = self.wording
        said = [m.content for part in (wording.phrases, wording.entailment, wording.filtering) for m in part]
        name = "" if wording.name == RADFACT else wording.name
        shots = f"{wording.shots}-shot" if wording.shots else "zero-shot"
        return prompt_identity("radfact", name, shots, PROMPT_VERSION, said)

    def shown(self, report: str) -> ShownReport:
        """Return a report as the question contains it: white space stays."""
        inert, changed = neutralise(report)
        text, cut = cut_words(inert, MAX_WORDS)
        return ShownReport(text, cut, changed)

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """Return the same question."""
        return request


@dataclass(frozen=True)
class SplitInstructions(_Questions):
    """Asks for the phrases of a report, which takes the place of the reference; there is no candidate."""

    def settled(self, reference: str, candidate: str) -> Verdict[SplitReport] | None:
        """Return no phrases for an empty report."""
        return Verdict(SplitReport(()), tries=0) if is_blank(reference) else None

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about a report."""
        return Request((*self.wording.phrases, Message("user", self.shown(reference).text)), max_tokens=SPLIT_TOKENS)

    def read(self, reference: str, candidate: str, answer: str) -> SplitReport:
        """Return the phrases in an answer."""
        return read_phrases(answer, text_before=self.wording.name != RADFACT)


@dataclass(frozen=True)
class FilterInstructions(_Questions):
    """Asks which phrases are positive; the phrases, as JSON, take the place of the reference."""

    def settled(self, reference: str, candidate: str) -> Verdict[list[str]] | None:
        """Return no phrase of none."""
        return Verdict([], tries=0) if not json.loads(reference) else None

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about the phrases of a report."""
        return Request((*self.wording.filtering, Message("user", reference)), max_tokens=SPLIT_TOKENS)

    def read(self, reference: str, candidate: str, answer: str) -> list[str]:
        """Return the positive phrases in an answer."""
        return read_filtered(answer)


@dataclass(frozen=True)
class EntailmentInstructions(_Questions):
    """Asks whether premises, as JSON in place of the reference, entail the phrase in place of the candidate."""

    def settled(self, reference: str, candidate: str) -> Verdict[PhraseVerdict] | None:
        """Return that nothing entails a phrase if there are no premises: no evidence would be possible."""
        return Verdict(PhraseVerdict(False), tries=0) if not json.loads(reference) else None

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about a phrase."""
        question = Message("user", entailment_question(json.loads(reference), candidate))
        return Request((*self.wording.entailment, question), max_tokens=VERDICT_TOKENS)

    def read(self, reference: str, candidate: str, answer: str) -> PhraseVerdict:
        """Return the verdict in an answer."""
        return read_verdict(answer, self.wording.evidence_checked)
