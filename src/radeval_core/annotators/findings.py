"""The findings parser as an annotator, and the structures that are read off a parsed report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.findings.parser import FindingsParser
from radeval_core.findings.types import ParsedReport

S = TypeVar("S")
#: rough bytes of a finding with its part of a claim, and of a sentence, in memory
_FINDING, _SENTENCE = 600, 350


class ReportReader:
    """Turns texts into parsed reports.

    Parsing costs less than sealing and opening a cache entry, and rules change more often than models. So parsed
    reports are kept in memory for a run, and never on disk.

    Args:
        parser: the parser, with its lexicon.
    """

    def __init__(self, parser: FindingsParser) -> None:
        self.parser = parser

    @property
    def lexicon(self) -> str:
        """Return the start of the lexicon's hash, as signatures show it."""
        return self.parser.lexicon.fingerprint[:8]

    @property
    def identity(self) -> str:
        """Return everything that can change an annotation within a run."""
        return f"findings|lexicon:{self.parser.lexicon.fingerprint}"

    def annotate(self, texts: Sequence[str]) -> list[ParsedReport]:
        """Return one parsed report per text, in order."""
        return [self.parser.parse(text) for text in texts]

    def size(self, annotation: ParsedReport) -> int:
        """Return roughly the bytes a parsed report takes in memory."""
        return _FINDING * len(annotation.findings) + _SENTENCE * len(annotation.sentences)


class ReportView(Generic[S]):
    """Turns texts into a structure that is read off the parsed report: a graph, labels, entities.

    Args:
        name: what the structure is, unique among the views.
        reader: parses the texts.
        store: keeps the parsed reports, so that several views share them.
        view: reads the structure off a parsed report.
        size: returns roughly the bytes the structure takes in memory.
    """

    def __init__(
        self,
        name: str,
        reader: ReportReader,
        store: AnnotationStore,
        view: Callable[[ParsedReport], S],
        size: Callable[[S], int],
    ) -> None:
        self.name, self.reader, self.store, self.view, self._size = name, reader, store, view, size

    @property
    def identity(self) -> str:
        """Return everything that can change an annotation within a run."""
        return f"{self.name}|{self.reader.identity}"

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says of the annotator."""
        return {"lexicon": self.reader.lexicon}

    def windows(self, text: str) -> int:
        """Return the number of pieces a report is read in: always one."""
        return 1

    def annotate(self, texts: Sequence[str]) -> list[S]:
        """Return one structure per text, in order."""
        reports = self.store.annotate(self.reader, texts)
        return [self.view(reports[text]) for text in texts]

    def size(self, annotation: S) -> int:
        """Return roughly the bytes a structure takes in memory."""
        return self._size(annotation)
