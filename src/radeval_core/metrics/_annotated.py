"""Base classes of metrics that read reports with the findings parser or with a published checkpoint."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from radeval_core.engine.annotations import Annotator
from radeval_core.errors import MissingDependencyError, needs_extra
from radeval_core.metrics.base import Scorer
from radeval_core.pairs import Pair


class CheckpointScorer(Scorer):
    """A scorer that may run a checkpoint: the config's own, or one the user names."""

    @property
    def source(self) -> str:
        """Return the Hub id or folder of the checkpoint; empty for the embedded config."""
        return self.checkpoint or self.config.checkpoint

    @contextmanager
    def needs_models(self) -> Iterator[None]:
        """Turn a failed import of the model libraries into an error that says what to install."""
        try:
            yield
        except MissingDependencyError:  # it already says what to install
            raise
        except ImportError as error:
            raise needs_extra("models", f"config {self.config.name!r} of {self.spec.name}") from error


class AnnotatedScorer(CheckpointScorer):
    """A scorer that compares what one annotator reads in each report."""

    @property
    @abstractmethod
    def annotator(self) -> Any:
        """Return who reads the reports: a view of the findings parser, or a model."""

    @property
    def reads_findings(self) -> bool:
        return not self.source

    def warm_up(self) -> None:
        _ = self.annotator

    def annotations(self, pairs: Iterable[Pair]) -> dict[str, Any]:
        """Return what the annotator reads in each distinct report."""
        return self.annotate(text for pair in pairs for text in (pair.prediction, pair.reference))

    def annotate(self, texts: Iterable[str]) -> dict[str, Any]:
        """Return what the annotator reads in each distinct text."""
        annotator: Annotator = self.annotator
        return self.resources.store.annotate(annotator, list(texts))
