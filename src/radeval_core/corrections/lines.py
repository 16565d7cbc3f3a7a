"""Split a report into lines; each correction is about one line.

As in the paper (appendix A), a line ends at every period that is not next to a digit and not the end of the report.
Line breaks do not end a line, and neither does the period of `1.` or `3.5 cm`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_END = re.compile(r"(?<!\d)\.(?!\d|$)")


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One line of a report.

    Attributes:
        number: its number, from 0.
        start: where it begins in the report; the lines together cover the whole report.
        end: where it ends.
        text: the line without white space around it.
    """

    number: int
    start: int
    end: int
    text: str


def split_lines(report: str) -> tuple[ReportLine, ...]:
    """Return the lines of a report. A piece without a letter or digit belongs to the line before it."""
    cuts = [match.end() for match in _END.finditer(report)]
    lines: list[ReportLine] = []
    start = 0
    for end in [*cuts, len(report)]:
        has_words = any(character.isalnum() for character in report[start:end])
        if not has_words and lines:
            start = lines.pop().start
        elif not has_words and end < len(report):
            continue  # no words so far: the piece belongs to the first line
        if end > start:
            lines.append(ReportLine(len(lines), start, end, report[start:end].strip()))
        start = end
    return tuple(line for line in lines if line.text)


def line_at(lines: Sequence[ReportLine], position: int) -> ReportLine:
    """Return the line that contains a position of the report."""
    return lines[max(bisect_right([line.start for line in lines], position) - 1, 0)]
