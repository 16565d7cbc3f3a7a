"""The structures of a sheet: edits of words, marks with their severity, and the whole sheet."""

from __future__ import annotations

from dataclasses import dataclass

from radeval_core.findings.types import Span

#: severities in words, those of FineRadScore; 0 is no error, but the reference says more
SEVERITIES = {0: "vaguer", 1: "not actionable", 2: "actionable", 3: "urgent", 4: "emergent"}


@dataclass(frozen=True, slots=True)
class Edit:
    """One place of a mark in the candidate.

    Attributes:
        start: where the wrong words begin.
        end: where they end; equal to `start` for an insertion.
        right: the right words; empty if the wrong ones are only struck.
    """

    start: int
    end: int
    right: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """One error of the candidate.

    Attributes:
        severity: 1 to 4, see SEVERITIES; 0 if the candidate is only vaguer than the reference.
        category: one of `error_categories.CATEGORIES`.
        label: what is wrong, as a reader would say it.
        edits: its places in the candidate, at least one: an error may be repeated in the impression.
        note: a further remark, such as what the patient's context changed; may be empty.
    """

    severity: int
    category: str
    label: str
    edits: tuple[Edit, ...]
    note: str = ""

    @property
    def start(self) -> int:
        """Return where its first place begins."""
        return min(edit.start for edit in self.edits)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A candidate report with its marks.

    Attributes:
        text: the candidate, as written.
        marks: its errors, the most severe first; the first has number 1.
        sentences: start and end of each sentence, for the rows of the page.
        matched: passages that agree with the reference.
        unread: sentences that were not understood, so nothing is said about them.
        problem: why the reports could not be compared; empty if they could.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    sentences: tuple[Span, ...] = ()
    matched: tuple[Span, ...] = ()
    unread: tuple[Span, ...] = ()
    problem: str = ""

    @property
    def errors(self) -> tuple[Mark, ...]:
        """Return the marks that are errors."""
        return tuple(mark for mark in self.marks if mark.severity)


def worst_first(marks: list[Mark]) -> tuple[Mark, ...]:
    """Return marks in the order of their numbers: by severity, then by place."""
    return tuple(sorted(marks, key=lambda mark: (-mark.severity, mark.start)))
