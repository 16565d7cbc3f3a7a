"""Annotations of texts, each computed once: in memory within a run, and on disk if the user asks for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any, Protocol

from radeval_core.engine.cache import DiskCache


class Annotator(Protocol):
    """Turns texts into structures, and structures into bytes and back."""

    @property
    def identity(self) -> str:
        """Everything that can change an annotation: kind, model, revision, number format, options."""

    def annotate(self, texts: Sequence[str]) -> list[Any]:
        """One structure a text, in order."""

    def dump(self, annotation: Any) -> bytes:
        """The structure as bytes."""

    def load(self, data: bytes) -> Any:
        """The structure from its bytes."""

    def size(self, annotation: Any) -> int:
        """Roughly the bytes a structure takes in memory."""


class AnnotationStore:
    """Hands out annotations, computing only those it does not have.

    Args:
        cache: where annotations outlive the process, if anywhere.
        memory: bytes of annotations kept in memory for texts that come again.
    """

    def __init__(self, cache: DiskCache | None = None, memory: int = 256 << 20) -> None:
        self.cache = cache
        self.memory = memory
        self._kept: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()  # a server scores several requests at once

    def annotate(self, annotator: Annotator, texts: Sequence[str]) -> dict[str, Any]:
        """The annotation of each distinct text."""
        identity = annotator.identity
        found: dict[str, Any] = {}
        missing: list[str] = []
        with self._lock:
            for text in dict.fromkeys(texts):
                kept = self._kept.get((identity, text))
                if kept is not None:
                    self._kept.move_to_end((identity, text))
                    found[text] = kept[0]
                else:
                    missing.append(text)
        fresh = self._from_disk(annotator, missing)
        unknown = [text for text in missing if text not in fresh]
        if unknown:
            computed = dict(zip(unknown, annotator.annotate(unknown), strict=True))
            if self.cache is not None:
                self.cache.put(identity, {text: annotator.dump(a) for text, a in computed.items()})
            fresh.update(computed)
        with self._lock:
            for text, annotation in fresh.items():
                self._keep((identity, text), annotation, annotator.size(annotation))
        return found | fresh

    def _from_disk(self, annotator: Annotator, texts: list[str]) -> dict[str, Any]:
        if self.cache is None or not texts:
            return {}
        return {text: annotator.load(data) for text, data in self.cache.get(annotator.identity, texts).items()}

    def _keep(self, key: tuple[str, str], annotation: Any, size: int) -> None:
        size += len(key[1])
        if size > self.memory or key in self._kept:
            return
        self._kept[key] = (annotation, size)
        self._bytes += size
        while self._bytes > self.memory:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._bytes -= dropped
