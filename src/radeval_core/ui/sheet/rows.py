"""Cut a sheet into rows, one per sentence, and put its edits in order, so that no two cover the same words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from radeval_core.findings.types import Span
from radeval_core.ui.sheet.marks import Edit, Sheet


@dataclass(frozen=True, slots=True)
class Placed:
    """An edit on the page: `edit` covers no words that another one covers.

    Attributes:
        edit: the edit, cut to the words that no edit before it covers.
        number: the number of its mark, from 1.
        first: True if it is the first place of its mark.
    """

    edit: Edit
    number: int
    first: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the page: a sentence, or a statement to insert.

    Attributes:
        start: where its text begins.
        end: where it ends; equal to `start` for an inserted statement.
        edits: its edits, in order.
        gap: True if a blank line is above it.
    """

    start: int
    end: int
    edits: tuple[Placed, ...]
    gap: bool = False


def place_edits(sheet: Sheet) -> list[Placed]:
    """Return the edits of all marks in the order of the text; where two overlap, the later one keeps the rest."""
    numbered = [
        (edit, number, i == 0)
        for number, mark in enumerate(sheet.marks, 1)
        for i, edit in enumerate(sorted(mark.edits, key=lambda edit: edit.start))
    ]
    placed: list[Placed] = []
    covered, above = 0, Edit(0, 0)
    for edit, number, first in sorted(numbered, key=lambda row: (row[0].start, -row[0].end, row[1])):
        start = min(max(edit.start, covered), len(sheet.text))
        cut = replace(edit, start=start, end=min(max(edit.end, start), len(sheet.text)))
        if edit.start < edit.end <= covered and edit.right == above.right:
            cut = replace(cut, right="")  # the same words, corrected in the same way
        if cut.end > covered:
            covered, above = cut.end, edit
        placed.append(Placed(cut, number, first))
    return placed


def page_rows(sheet: Sheet) -> Iterator[Row]:
    """Yield the rows of a sheet, from the top."""
    placed = place_edits(sheet)
    cuts = _cuts(sheet, placed)
    waiting = list(placed)
    shown = 0
    for start, end in zip([0, *cuts], [*cuts, len(sheet.text)], strict=True):
        inside: list[Placed] = []
        while waiting and (waiting[0].edit.start < end or waiting[0].edit.end <= end):
            inside.append(waiting.pop(0))
        lines = [p for p in inside if _is_statement(p.edit, sheet.text, end)]
        own = tuple(p for p in inside if p not in lines)
        if sheet.text[start:end].strip() or own:
            first, last = _stripped(sheet.text, start, end)
            yield Row(first, last, own, sheet.text[shown:first].count("\n") > 1)
            shown = last
        for line in lines:
            yield Row(line.edit.start, line.edit.start, (line,))


def _is_statement(edit: Edit, text: str, end: int) -> bool:
    """Return whether an edit inserts a whole sentence at the end of a row."""
    return (
        edit.start == edit.end and edit.right[-1:] in (".", "!", "?") and not text[edit.start : end].strip(" .\n\r\t")
    )


def _cuts(sheet: Sheet, placed: Sequence[Placed]) -> list[int]:
    """Return where a row ends: after every sentence and line, but not inside struck words."""
    ends = {end for _, end in sheet.sentences} | {i + 1 for i, letter in enumerate(sheet.text) if letter == "\n"}
    starts = [start for start, _ in sheet.sentences]
    inside = [(p.edit.start, p.edit.end) for p in placed if p.edit.end > p.edit.start]
    return [
        end
        for end in sorted(ends)
        if 0 < end < len(sheet.text)
        and not any(a < end < b for a, b in inside)
        and (sheet.text[end - 1] != "\n" or not _within(end, sheet.sentences, starts))
    ]


def _within(position: int, spans: Sequence[Span], starts: Sequence[int]) -> bool:
    """Return whether a position is inside a sentence that wraps over several lines."""
    place = bisect_left(starts, position) - 1
    return place >= 0 and position < spans[place][1]


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
