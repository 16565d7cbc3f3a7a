"""What the metrics of judges share: an embedded judge, or a model that is made when first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from radeval_core.errors import InputError
from radeval_core.findings.lexicon_files import fingerprint
from radeval_core.judges.neutral import ShownReport
from radeval_core.judges.verdict import Judge, Verdict
from radeval_core.scorer import Option, Scorer

if TYPE_CHECKING:
    from radeval_core.judges.backends.base import Backend

A = TypeVar("A")
#: what may stand before a model's name in place of a config
BACKENDS = ("transformers", "vllm", "http", "anthropic")


class JudgedScorer(Scorer):
    """A scorer that reads a pair with our comparison or with a model."""

    #: options that go to the backend; they mean nothing without a model
    model_options: ClassVar = {
        "dtype": Option(None, str),
        "concurrency": Option(None, int),
        "gguf_file": Option(None, str),
    }

    def prepare(self) -> None:
        for name in self.model_options:
            if self.embedded and self.chosen[name] is not None:
                raise InputError(f"option {self.spec.name}.{name} is for models: config {self.config.name!r} runs none")
        self._made: Backend | None = None

    @property
    def source(self) -> str:
        """Hub id, folder, or backend and model; empty for the embedded judge."""
        return self.checkpoint or self.config.checkpoint

    @property
    def embedded(self) -> bool:
        """Whether no model is asked."""
        return not self.source

    @property
    def backend(self) -> Backend:
        """The model, loaded when first asked for."""
        if self._made is None:
            from radeval_core.judges.backends.select import make_backend

            given = {name: self.chosen[name] for name in self.model_options if self.chosen[name] is not None}
            self._made = make_backend(self.source, self.resources, **given)
        return self._made

    def warm_up(self) -> None:
        if not self.embedded:
            _ = self.backend

    def ask(self, judge: Judge[A], pairs: Sequence[tuple[str, str]]) -> list[Verdict[A]]:
        """The model's verdicts on pairs of reference and candidate."""
        from radeval_core.judges.engine import judge_pairs

        resources = self.resources
        return judge_pairs(judge, self.backend, pairs, cache=resources.store.cache, progress=resources.progress)

    def judged_with(self, judge: Judge[A]) -> dict[str, object]:
        """What a signature says of the judge."""
        if self.embedded:
            return {"backend": "embedded", "lexicon": fingerprint()[:8]}
        return {**self.backend.fields, "prompt": judge.identity}


def asked_detail(verdict: Verdict[A], shown: dict[str, ShownReport]) -> dict[str, Any]:
    """What a model was shown of each report, and what it answered."""
    return {
        "answer": verdict.answer,
        "tries": verdict.tries,
        "cut": {side: report.cut for side, report in shown.items()},
        "neutralised": {side: report.neutralised for side, report in shown.items()},
    }
