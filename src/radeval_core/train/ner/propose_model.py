"""Ask a model to mark the entities of sentences, read its answers, and find the polarity by rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from radeval_core.engine.cache import DiskCache
from radeval_core.findings.context import read_context
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import find_forms
from radeval_core.findings.text import tokenize
from radeval_core.judges.backends.base import Backend, Message, Request
from radeval_core.judges.json_answer import json_blocks
from radeval_core.judges.model_judge import answers_to
from radeval_core.judges.prompt_safety import neutralise
from radeval_core.train.ner.sentences import Span

_TYPES = ("Anatomy", "Abnormality", "Disease")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "entities": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "type": {"type": "string", "enum": list(_TYPES)}},
                "required": ["text", "type"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["entities"],
    "additionalProperties": False,
}
Named = tuple[str, str]


class ModelProposer:
    """Proposes entities with a model.

    Args:
        backend: answers the questions.
        lexicon: has the cues of negation and of normal states.
        cache: optional store of answers: a run that was killed asks only for the rest.

    Attributes:
        unreadable: number of sentences without a readable answer.
        misquoted: number of entities that are not in their sentence.
    """

    def __init__(self, backend: Backend, lexicon: Lexicon, cache: DiskCache | None = None) -> None:
        self.backend, self.lexicon, self.cache = backend, lexicon, cache
        self.unreadable = self.misquoted = 0

    @property
    def name(self) -> str:
        """Return the model, for the record."""
        return str(self.backend.fields.get("model", ""))

    def propose(self, sentences: Sequence[str]) -> list[list[Span]]:
        """Return the proposed entities of each sentence; none for one without a readable answer."""
        requests = [_request(sentence) for sentence in sentences]
        answers = answers_to(
            requests, self.backend, _identity(), self.cache, lambda text: read_entities(text) is not None
        )
        proposed = []
        for sentence, answer in zip(sentences, answers, strict=True):
            named = read_entities(answer.text) if answer.text is not None else None
            self.unreadable += named is None
            spans = [located for located in locate(sentence, named or ())]
            self.misquoted += len(named or ()) - len(spans)
            proposed.append([self._with_polarity(sentence, span) for span in spans])
        return proposed

    def _with_polarity(self, sentence: str, span: Span) -> Span:
        start, end, kind = span
        return (start, end, f"Non-{kind}") if kind != "Anatomy" and denied(sentence, span, self.lexicon) else span


def read_entities(answer: str) -> list[Named] | None:
    """Return the text and type of each entity of an answer, or None if it is unreadable."""
    for block in json_blocks(answer):
        try:
            given = json.loads(block.strip())["entities"]
            named = [(str(entity["text"]).strip(), str(entity["type"]).strip().capitalize()) for entity in given]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if all(text and kind in _TYPES for text, kind in named):
            return named
    return None


def locate(sentence: str, named: Sequence[Named]) -> list[Span]:
    """Return where the entities are, each at its first place that no other one has; others are left out."""
    lowered = sentence.lower()
    taken: list[Span] = []
    if len(lowered) != len(sentence):  # rare letters change their length
        lowered = sentence
    for text, kind in named:
        start = lowered.find(text.lower())
        while start >= 0 and any(start < end and first < start + len(text) for first, end, _ in taken):
            start = lowered.find(text.lower(), start + 1)
        if start >= 0:
            taken.append((start, start + len(text), kind))
    return sorted(taken)


def denied(sentence: str, span: Span, lexicon: Lexicon) -> bool:
    """Return True if an entity is negated in its sentence, or is itself a normal state: `unremarkable`, `intact`."""
    tokens = tokenize(sentence)
    forms = find_forms(tokens.words, lexicon)
    inside = [i for i, start in enumerate(tokens.starts) if span[0] <= start < span[1]]
    normal = {i for form in forms if "normal" in form.roles.cues for i in range(form.start, form.end)}
    context = read_context(tokens.words, forms, lexicon)
    negated = any(context.negated[i] for i in inside)
    return negated != bool(normal.intersection(inside))  # `not normal` is an abnormality


def _request(sentence: str) -> Request:
    prompt = _prompt()
    messages = [Message("system", prompt["instructions"])]
    for example in prompt["examples"]:
        entities = [{"text": text, "type": kind} for text, kind in example["entities"]]
        messages += [Message("user", example["sentence"]), Message("assistant", json.dumps({"entities": entities}))]
    messages.append(Message("user", neutralise(sentence)[0]))
    return Request(tuple(messages), max_tokens=512, schema=_SCHEMA)


@cache
def _prompt() -> dict[str, Any]:
    text = files(__package__).joinpath("propose_prompt.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def _identity() -> str:
    prompt = _prompt()
    digest = hashlib.sha256(json.dumps(prompt, sort_keys=True).encode()).hexdigest()[:8]
    return f"propose-entities:{prompt['version']}-{digest}"
