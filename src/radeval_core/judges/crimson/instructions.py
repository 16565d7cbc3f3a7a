"""CRIMSON's question to a model about a pair of reports and its patient, and the one after an unreadable answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.errors import InputError
from radeval_core.functional.crimson import ERROR_TYPES, LEVELS, SEVERITIES
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.crimson.analysis import CrimsonAnalysis
from radeval_core.judges.crimson.answer import read_answer
from radeval_core.judges.crimson.prompt import build_prompt, sections
from radeval_core.judges.examples import NO_EXAMPLES, Example, choose_examples, shots_text
from radeval_core.judges.pair_prompt import PairPrompt, fill, labels, prompt_identity, read_prompt
from radeval_core.judges.prompt_safety import ShownReport, as_shown, neutralise
from radeval_core.judges.verdict import UnreadableAnswer, Verdict
from radeval_core.pairs import is_blank
from radeval_core.patient_context import PatientContext

#: maximum number of words of a report, and of a field of the context, that are judged
MAX_WORDS, MAX_CONTEXT_WORDS = 600, 200
#: most tokens of an answer, and of prompt and answer together, as the authors run their checkpoint with vLLM
MAX_ANSWER = MAX_TOTAL = 8192
#: most tokens of another model's answer: several times a long one
MAX_OTHER_ANSWER = 4096
PROMPT_VERSION = 1
#: names of the two forms of the authors' prompt
CHECKPOINT, GUIDELINES = "checkpoint", "guidelines"
#: maximum number of characters of an unreadable answer that are shown to the model again
_SHOWN_AGAIN = 4000
_IDS = {"type": "array", "items": {"type": "string"}}


@dataclass(frozen=True)
class CrimsonInstructions:
    """CRIMSON's instructions and the reader of its answers.

    Attributes:
        form: `checkpoint`, `guidelines`, or `file` for the user's own.
        own: the user's own wording, in which `{context}` is optional; None for the authors'.
        examples: shown before the pair; none by default, as in the authors' code.
    """

    form: str = CHECKPOINT
    own: PairPrompt | None = None
    examples: tuple[Example, ...] = ()

    @property
    def tries(self) -> int:
        """Return how often to ask: the checkpoint answers greedily, so asking it again would give the same answer."""
        return 1 if self.form == CHECKPOINT else 3

    @property
    def identity(self) -> str:
        """Return the names, the version and a hash of everything the model is told."""
        shots = shots_text(self.examples) if self.examples else ""
        told = self._question("", "", {"": ""}), self._question("", "", {}), *map(repr, self.examples)
        return prompt_identity("crimson", self.form, shots, PROMPT_VERSION, (sections()["system"], *told))

    def settled(self, reference: str, candidate: str) -> Verdict[CrimsonAnalysis] | None:
        """Return no analysis for an empty report: there is nothing to judge."""
        if is_blank(reference) or is_blank(candidate):
            return Verdict(None, "a report is empty: the model was not asked", tries=0)
        return None

    def shown(self, report: str) -> ShownReport:
        """Return a report as the prompt contains it."""
        return as_shown(report, MAX_WORDS, self._labels)

    def request(self, reference: str, candidate: str, context: PatientContext | None = None) -> Request:
        """Return the question about a pair. No character of a report or of the context can end it."""
        opening = [] if self.own else [Message("system", sections()["system"])]
        for example in self.examples:
            asked = self._question(self.shown(example.reference).text, self.shown(example.candidate).text, {})
            opening += [Message("user", asked), Message("assistant", example.answer)]
        asked = self._question(self.shown(reference).text, self.shown(candidate).text, self.shown_context(context))
        messages = (*opening, Message("user", asked))
        if self.form == CHECKPOINT:  # trained to write such answers freely
            return Request(messages, max_tokens=MAX_ANSWER, max_total=MAX_TOTAL)
        return Request(messages, max_tokens=MAX_OTHER_ANSWER, schema=ANSWER_SCHEMA)

    def shown_context(self, context: PatientContext | None) -> dict[str, str]:
        """Return the context as the prompt contains it: names in lower case, as in the card of the checkpoint."""
        known = context.as_dict() if context else {}
        return {name: as_shown(value, MAX_CONTEXT_WORDS, self._labels).text for name, value in known.items()}

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """Return the question with the last answer and its problem; earlier answers are left out."""
        asked = request.messages[: 2 * len(self.examples) + (1 if self.own else 2)]
        shown, _ = neutralise(answer[:_SHOWN_AGAIN])
        wrong = f"This answer cannot be used: {problem}. Answer again with the whole JSON object and nothing else."
        messages = (*asked, Message("assistant", shown), Message("user", wrong))
        return Request(messages, max_tokens=request.max_tokens, schema=request.schema)

    def read(self, reference: str, candidate: str, answer: str) -> CrimsonAnalysis:
        """Return the evaluation in an answer."""
        return read_answer(answer)

    @property
    def _labels(self) -> tuple[str, ...]:
        """Return the labels of the question, longest first. A report must not contain one."""
        return _AUTHORS_LABELS if self.own is None else self.own.labels

    def _question(self, reference: str, candidate: str, context: Mapping[str, str]) -> str:
        if self.own is None:
            return build_prompt(reference, candidate, context, self.form == GUIDELINES)
        known = "\n".join(f"{name}: {value}" for name, value in context.items())
        texts = {"reference": reference, "candidate": candidate, "context": known or "not known"}
        return fill(self.own.question, texts)


#: headings of the authors' prompt that introduce data
_AUTHORS_LABELS = labels("Reference Findings (Ground Truth):\nPredicted Findings (Candidate):\nPatient Context:\n")


def _object(**properties: Any) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _findings() -> dict[str, Any]:
    text = {"type": "string"}
    finding = _object(id=text, finding=text, clinical_significance={"type": "string", "enum": list(LEVELS)})
    return {"type": "array", "items": finding}


def _schema() -> dict[str, Any]:
    text = {"type": "string"}
    attribute = _object(
        ref_id=text,
        pred_id=text,
        severity={"type": "string", "enum": list(SEVERITIES)},
        error_types={"type": "array", "items": {"type": "string", "enum": list(ERROR_TYPES)}},
        explanation=text,
    )
    errors = _object(false_findings=_IDS, missing_findings=_IDS, attribute_errors={"type": "array", "items": attribute})
    matches = {"type": "array", "items": _object(ref_id=text, pred_id=text)}
    return _object(
        reference_findings=_findings(), predicted_findings=_findings(), matched_findings=matches, errors=errors
    )


#: JSON schema of an answer, for backends that can enforce one
ANSWER_SCHEMA = _schema()


def choose_instructions(
    instructions: str | None, examples: str | None, shots: int | None, trained: bool
) -> CrimsonInstructions:
    """Return what the options `instructions`, `examples` and `shots` choose.

    Args:
        instructions: `checkpoint`, `guidelines`, a text file, or None for the default.
        examples: `none`, a file, or None for the default.
        shots: how many examples to show; all if None.
        trained: True if the model is the published checkpoint, which was trained without guidelines.
    """
    shown = choose_examples("crimson", examples, shots, _no_invented_examples, check_answer, NO_EXAMPLES)
    form = instructions or (CHECKPOINT if trained else GUIDELINES)
    if form in (CHECKPOINT, GUIDELINES):
        return CrimsonInstructions(form, None, shown)
    own = read_prompt("crimson.instructions", form, (CHECKPOINT, GUIDELINES), needs_places=True)
    return CrimsonInstructions(own.name, own, shown)


def _no_invented_examples() -> tuple[Example, ...]:
    raise InputError("crimson has no examples of its own: give option crimson.examples a file, or none")


def check_answer(where: str, candidate: str, answer: Any) -> str:
    """Return the answer of an example as JSON text: an evaluation in the form that the prompt asks for."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    try:
        read_answer(text)
    except UnreadableAnswer as error:
        raise InputError(f"{where} cannot be read as an answer of CRIMSON: {error}") from None
    return text.strip()
