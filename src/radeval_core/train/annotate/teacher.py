"""A judge as a teacher: it answers about pairs, in the metric's own form, and says who it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from radeval_core.api import make_scorer
from radeval_core.errors import InputError, unknown_name
from radeval_core.judges.backends.select import split_name
from radeval_core.judges.model_judge import ModelJudge
from radeval_core.metrics._judged import JudgedScorer
from radeval_core.metrics.base import Resources
from radeval_core.signature import signature
from radeval_core.train.annotate.journal import AnswerJournal, KeptAnswer, answer_key
from radeval_core.train.annotate.source import AskedPair
from radeval_core.train.answer_forms import FORMS, AnswerForm

#: pairs that are judged together: enough for a full batch, and few enough that the questions fit into memory
_TOGETHER = 256
#: backends that send reports to a server, and those that send them through a Ray cluster
_SERVERS, _CLUSTERS = ("http", "anthropic"), ("ray-http", "ray-vllm")


@dataclass(frozen=True)
class TaughtPair:
    """What a teacher says about a pair.

    Attributes:
        place: index of the pair.
        answer: what it answered; empty if it gave no answer.
        failure: why there is no usable answer, without anything that it wrote; empty if there is one.
    """

    place: int
    answer: str
    failure: str = ""


class Teacher:
    """A judge of a metric under one config.

    Args:
        metric: one of `FORMS`.
        config: a config of the metric, `embedded`, a backend with a model, a Hub id or a folder.
        device: device of a model on this machine.
        options: options of the metric, such as `concurrency`.
    """

    def __init__(self, metric: str, config: str, device: str | None = None, options: dict[str, Any] | None = None):
        if metric not in FORMS:
            raise unknown_name("metric with a judge to train", metric, FORMS)
        scorer = make_scorer(metric, config, Resources(device=device, progress=False), options or {})
        assert isinstance(scorer, JudgedScorer)
        self.metric = metric
        self.scorer: JudgedScorer[Any] = scorer
        self.form: AnswerForm = FORMS[metric]

    @property
    def embedded(self) -> bool:
        """True if it is the embedded judge, which is not asked but compares the reports itself."""
        return self.scorer.embedded

    @cached_property
    def server(self) -> str:
        """Return the model and server that the reports are sent to; empty if they stay on this machine."""
        kind, model = ("", "") if self.embedded else split_name(self.scorer.source)
        if kind in _CLUSTERS:
            return f"{model}, through the Ray cluster"
        return self.scorer.judge.asks if kind in _SERVERS else ""

    @property
    def is_quick_to_make(self) -> bool:
        """True if its judge can be made without loading a model or joining a cluster."""
        return self.embedded or split_name(self.scorer.source)[0] in _SERVERS

    @property
    def signature(self) -> str:
        """Return everything that can change its answers."""
        spec = self.scorer.spec
        return signature(spec.name, self.scorer.config.name, self.scorer.signature_fields(), "1", spec.version)

    @cached_property
    def _identity(self) -> str:
        """Return what a model is and what it is told."""
        judge = self.scorer.judge
        assert isinstance(judge, ModelJudge)
        return f"{judge.backend.identity}|judge:{judge.instructions.identity}"

    def key(self, asked: AskedPair) -> str:
        """Return the name of its answer about a pair."""
        case = self.scorer.case(asked.pair)
        known = case.context.as_dict() if case.context else None
        return answer_key(self._identity, case.reference, case.candidate, known)

    def teach(self, pairs: Sequence[AskedPair], journal: AnswerJournal | None) -> Iterator[TaughtPair]:
        """Yield an answer per pair, in any order; answers in the journal are not asked for again.

        Args:
            pairs: the pairs.
            journal: keeps what a model answers; not needed for the embedded judge.
        """
        if self.embedded:
            yield from self._compared(pairs)
            return
        assert journal is not None
        missing: list[tuple[int, str]] = []
        for place, asked in enumerate(pairs):
            key = self.key(asked)
            if (kept := journal.kept.get(key)) is not None:
                yield TaughtPair(place, kept.answer, kept.failure)
            else:
                missing.append((place, key))
        for start in range(0, len(missing), _TOGETHER):
            some = missing[start : start + _TOGETHER]
            cases = [self.scorer.case(pairs[place].pair) for place, _ in some]
            for index, verdict in self.scorer.judge.verdicts(cases):
                place, key = some[index]
                failure = "" if verdict.analysis is not None else verdict.failure or verdict.reason
                if verdict.answer:  # a pair without any answer is asked about again in the next run
                    journal.keep(key, KeptAnswer(verdict.answer, failure))
                yield TaughtPair(place, verdict.answer, failure)

    def _compared(self, pairs: Sequence[AskedPair]) -> Iterator[TaughtPair]:
        for start in range(0, len(pairs), _TOGETHER):
            verdicts = self.scorer.verdicts([asked.pair for asked in pairs[start : start + _TOGETHER]])
            for place, verdict in enumerate(verdicts, start):
                if verdict.analysis is None:
                    yield TaughtPair(place, "", verdict.reason)
                else:
                    yield TaughtPair(place, self.form.write(verdict.analysis))


def make_teachers(metric: str, configs: Sequence[str], device: str | None, options: dict[str, Any]) -> list[Teacher]:
    """Return one or two teachers.

    Raises:
        InputError: there are none, or more than two, or twice the same.
    """
    if not 1 <= len(configs) <= 2:
        raise InputError(f"give one or two teachers with --config, got {len(configs)}")
    if len(set(configs)) < len(configs):
        raise InputError(f"--config {configs[0]} is given twice: two teachers must differ")
    # beside a model, the embedded judge takes no options: those given are the model's
    alone = len(configs) == 1
    return [Teacher(metric, config, device, options if alone or config != "embedded" else {}) for config in configs]
