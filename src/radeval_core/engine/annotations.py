"""Annotations of texts, each computed once: kept in memory within a run, and on disk if the user asks for it."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from typing import Any, Protocol, runtime_checkable

from radeval_core.engine.cache import DiskCache
from radeval_core.engine.fork_safe_lock import ForkSafeLock
from radeval_core.engine.processes import running_processes

#: the part of the memory for structures that are computed quickly
_QUICK_SHARE = 4


class Annotator(Protocol):
    """Turns texts into structures."""

    @property
    def identity(self) -> str:
        """Return everything that can change an annotation: kind, model, revision, number format, options."""

    def annotate(self, texts: Sequence[str]) -> list[Any]:
        """Return one structure per text, in order."""

    def size(self, annotation: Any) -> int:
        """Return roughly the bytes a structure takes in memory."""


@runtime_checkable
class DurableAnnotator(Annotator, Protocol):
    """An annotator whose structures can be kept on disk."""

    def dump(self, annotation: Any) -> bytes:
        """Return the structure as bytes."""

    def load(self, data: bytes) -> Any:
        """Return the structure from its bytes."""


class AnnotationStore:
    """Returns annotations and computes only those it does not have.

    When memory is full, the annotator that takes most of it gives up its oldest annotations: token vectors of a
    chunk never push out the parsed reports that the next metric needs. Annotations that are not worth a place on disk,
    because they are computed again faster than they are read, get a quarter of the memory together: enough for the
    chunk at work and for texts that come again soon.

    Args:
        cache: optional disk cache, for annotations that can be kept on disk.
        memory: bytes of annotations kept in memory for texts that come again.
    """

    def __init__(self, cache: DiskCache | None = None, memory: int = 256 << 20) -> None:
        self.cache = cache
        self.memory = memory
        self._kept: dict[str, OrderedDict[str, tuple[Any, int]]] = {}
        self._bytes: Counter[str] = Counter()
        #: identities of annotators whose structures are computed quickly
        self._quick: set[str] = set()
        self._lock = ForkSafeLock()  # a server scores several requests at once

    def __reduce__(self) -> tuple[type[AnnotationStore], tuple[DiskCache | None, int]]:
        # a copy starts empty: a pickle must not carry the texts of reports, and can compute what it needs again
        return type(self), (self.cache, self.memory)

    def annotate(self, annotator: Annotator, texts: Sequence[str]) -> dict[str, Any]:
        """Return the annotation of each distinct text."""
        identity = annotator.identity
        found: dict[str, Any] = {}
        missing: list[str] = []
        with self._lock:
            kept = self._kept.setdefault(identity, OrderedDict())
            if not isinstance(annotator, DurableAnnotator):
                self._quick.add(identity)
            for text in dict.fromkeys(texts):
                if text in kept:
                    kept.move_to_end(text)
                    found[text] = kept[text][0]
                else:
                    missing.append(text)
        fresh = self._from_disk(annotator, missing)
        unknown = [text for text in missing if text not in fresh]
        if unknown:
            computed = dict(zip(unknown, annotator.annotate(unknown), strict=True))
            if self.cache is not None and isinstance(annotator, DurableAnnotator) and self._writes():
                self.cache.put(identity, {text: annotator.dump(a) for text, a in computed.items()})
            fresh.update(computed)
        with self._lock:
            for text, annotation in fresh.items():
                self._keep(identity, text, annotation, annotator.size(annotation))
        return found | fresh

    @staticmethod
    def _writes() -> bool:
        """Return True if this process writes to the disk: of those that share their work, the first."""
        processes = running_processes()
        return processes is None or processes.rank == 0

    def _from_disk(self, annotator: Annotator, texts: list[str]) -> dict[str, Any]:
        if self.cache is None or not texts or not isinstance(annotator, DurableAnnotator):
            return {}
        found = self.cache.get(annotator.identity, texts) if self._writes() else {}
        if processes := running_processes():  # one process may have read the cache before another wrote to it
            found = processes.agree(found)
        return {text: annotator.load(data) for text, data in found.items()}

    def _keep(self, identity: str, text: str, annotation: Any, size: int) -> None:
        size += len(text)
        quick = identity in self._quick
        limit = self.memory // _QUICK_SHARE if quick else self.memory
        if size > limit or text in self._kept[identity]:
            return
        self._kept[identity][text] = (annotation, size)
        self._bytes[identity] += size
        if quick:
            self._shrink(self._quick, limit)
        self._shrink(self._bytes, self.memory)

    def _shrink(self, identities: Collection[str], limit: int) -> None:
        """Drop the oldest annotations of whoever takes most, until these annotators together keep to a limit."""
        while sum(self._bytes[identity] for identity in identities) > limit:
            largest = max(identities, key=self._bytes.__getitem__)
            _, (_, dropped) = self._kept[largest].popitem(last=False)
            self._bytes[largest] -= dropped
