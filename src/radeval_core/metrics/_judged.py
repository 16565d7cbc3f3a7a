"""Base class of judged metrics: an embedded judge or a model, and what `details` record of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, lru_cache
from typing import ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError
from radeval_core.findings.open_match import Encoder, using
from radeval_core.findings.types import ParsedReport
from radeval_core.judges.engine import judge_pairs
from radeval_core.judges.verdict import Case, Instructions, Judge, Verdict
from radeval_core.metrics._annotated import CheckpointScorer
from radeval_core.metrics._coverage import pair_coverages
from radeval_core.metrics.base import DTYPE, Option
from radeval_core.pairs import Pair
from radeval_core.patient_context import PatientContext

A = TypeVar("A")
#: names of findings whose vectors a run remembers
_NAMES = 16_384
#: prefixes of a model's name that can replace a config
BACKENDS = ("transformers", "vllm", "http", "anthropic", "ray-vllm", "ray-http")
#: how the embedded judge compares findings that the lexicon does not list
OPEN_MATCH = Option(
    None,
    str,
    "how the embedded judge compares findings beyond its lexicon: words (default), or minilm for the embedded encoder "
    "as well, with the extra `models`",
    ("words", "minilm"),
)
#: options that choose what a model is asked
PROMPT_OPTIONS = ("instructions", "examples", "shots")


def prompt_options(instructions: str, examples: str) -> dict[str, Option]:
    """Return the options that choose what a model is asked.

    Args:
        instructions: the names of instructions, the default first.
        examples: the names of examples, the default first.
    """
    return {
        "instructions": Option(None, str, f"what a model is told: {instructions}, or a text file"),
        "examples": Option(
            None,
            str,
            f"examples a model is shown: {examples}, or a JSONL, JSON or YAML file with reference, candidate, answer",
        ),
        "shots": Option(None, int, "number of examples to show, from the first; all by default, 0 for zero-shot"),
    }


class JudgedScorer(CheckpointScorer, Generic[A]):
    """A scorer of what a judge says: our comparison of findings, or a model."""

    #: options that go to the backend; refused without a model. None leaves the default to the backend.
    model_options: ClassVar = {
        "dtype": Option(
            None, str, "number format of a model on this machine; chosen for its device by default", DTYPE.choices
        ),
        "gguf_file": Option(None, str, "GGUF file to load from the folder or repository of a model on this machine"),
        "tensor_parallel_size": Option(None, int, "GPUs that share one copy of a vllm: model; 1 by default"),
        "concurrency": Option(None, int, "questions sent to a server at the same time; 8 by default"),
        "timeout": Option(None, float, "seconds to wait for a whole answer from a server; 120 by default"),
        "retries": Option(
            None, int, "attempts per question to a server, the first included; 6 by default, at most 2 after time-outs"
        ),
        "deadline": Option(
            None, float, "seconds for all questions to a server together; later ones are unscored; no limit by default"
        ),
        "price_in": Option(None, float, "price of a million tokens in questions to a server"),
        "price_out": Option(
            None, float, "price of a million tokens in its answers; with both prices the cost is logged"
        ),
    }

    @abstractmethod
    def choose_instructions(self, instructions: str | None, examples: str | None, shots: int | None) -> Instructions[A]:
        """Return what a model is asked; given the options of the same names."""

    @abstractmethod
    def analyse(self, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None) -> A:
        """Return the analysis of two parsed reports, without a model; `context` is None unless `columns` name it."""

    def prepare(self) -> None:
        for name in (*self.model_options, *PROMPT_OPTIONS):
            if self.embedded and self.chosen[name] is not None:
                raise InputError(f"option {self.spec.name}.{name} is for models: config {self.config.name!r} runs none")
        if not self.embedded:
            if self.chosen["open_match"] is not None:
                raise InputError(
                    f"option {self.spec.name}.open_match is for config 'embedded': a model compares findings itself"
                )
            _ = self.instructions  # an unusable file is an error before any work

    @cached_property
    def instructions(self) -> Instructions[A]:
        """Return what a model is asked."""
        return self.choose_instructions(*(self.chosen[name] for name in PROMPT_OPTIONS))

    @property
    def embedded(self) -> bool:
        """True if this config uses the embedded judge."""
        return not self.source

    @property
    def reads_findings(self) -> bool:
        return self.embedded

    @cached_property
    def judge(self) -> Judge[A]:
        """Return who judges the pairs; a model is loaded when first asked for."""
        if self.embedded:
            from radeval_core.judges.embedded_judge import EmbeddedJudge

            mode = self.chosen["open_match"] or "words"
            return EmbeddedJudge(self.resources.reports, self.resources.reader.lexicon, self._compared, mode)
        from radeval_core.judges.backends.select import make_backend
        from radeval_core.judges.model_judge import ModelJudge

        r = self.resources
        given = {name: self.chosen[name] for name in self.model_options if self.chosen[name] is not None}
        with self.needs_models():
            backend = make_backend(self.source, r.device, r.batch_tokens, **given)
        return ModelJudge(self.instructions, backend, r.store.cache)

    def _compared(self, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None) -> A:
        """Return the analysis of two parsed reports, with the encoder if the run asks for it."""
        with self.comparing():
            return self.analyse(reference, candidate, context)

    def comparing(self) -> AbstractContextManager[None]:
        """Return a block in which findings beyond the lexicon are compared as the run asks for."""
        return using(self._likeness)

    @cached_property
    def _likeness(self) -> Encoder | None:
        """Return how alike the encoder finds two names; None if only their words are compared."""
        if self.chosen["open_match"] != "minilm":
            return None
        with self.needs_models():
            from radeval_core.annotators.entity_encoder import EMBEDDED, entity_encoder

            r = self.resources
            encoder = entity_encoder(EMBEDDED, "mean", r.device, "fp32", r.batch_tokens, False)

        @lru_cache(maxsize=_NAMES)
        def vector(name: str) -> NDArray[np.float32]:
            return encoder.annotate([name])[0]

        return lambda one, other: float(vector(one) @ vector(other))

    def warm_up(self) -> None:
        _ = self.judge, self._likeness

    @cached_property
    def outcomes(self) -> list[str | None]:  # grows while pairs are scored
        """Return what the model did with each pair so far, see the base class."""
        return []

    def count_outcomes(self, verdicts: Sequence[Verdict[A]]) -> None:
        """Remember what the model did with the next pairs."""
        self.outcomes += [verdict.failure if verdict.tries else None for verdict in verdicts]

    @property
    def asks(self) -> str:
        return self.judge.asks

    def case(self, pair: Pair) -> Case:
        """Return what is judged of a pair: its reports, unless the metric uses more."""
        return Case(pair.reference, pair.prediction)

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict[A]]:
        """Return what the judge says of each pair."""
        cases = [self.case(pair) for pair in pairs]
        verdicts = judge_pairs(self.judge, cases, progress=self.resources.progress and not self.embedded)
        if not self.embedded:
            self.count_outcomes(verdicts)
            return verdicts
        reasons = [pair.reason(self.spec) for pair in pair_coverages(self.resources, pairs)]
        return [Verdict(None, reason) if reason else v for v, reason in zip(verdicts, reasons, strict=True)]

    def signature_fields(self) -> dict[str, object]:
        return self.judge.fields

    def joined_fields(self, parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
        ways = {way for part in parts for way in str(part.get("decoding", "")).split("+")} - {""}
        decoding = "+".join(sorted(ways))  # a server may decode some answers otherwise than asked
        return super().joined_fields(
            [{key: decoding if key == "decoding" else part[key] for key in part} for part in parts]
        )
