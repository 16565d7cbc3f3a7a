"""The lines of a report: what a correction is about.

The paper (appendix A) cuts at every period that neither follows nor precedes a digit and does not end the report. Line
breaks do not cut, and neither does the period after `1.` or in `3.5 cm`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_END = re.compile(r"(?<!\d)\.(?!\d|$)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a report.

    Attributes:
        number: its place, from 0.
        start: where it begins in the report; all lines together are the report.
        end: where it ends.
        text: what it says, without white space around it.
    """

    number: int
    start: int
    end: int
    text: str


def split_lines(report: str) -> tuple[Line, ...]:
    """The lines of a report. A piece without a letter or digit belongs to the line before it."""
    cuts = [match.end() for match in _END.finditer(report)]
    lines: list[Line] = []
    start = 0
    for end in [*cuts, len(report)]:
        says_something = any(character.isalnum() for character in report[start:end])
        if not says_something and lines:
            start = lines.pop().start
        elif not says_something and end < len(report):
            continue  # nothing said yet: it belongs to the first line
        if end > start:
            lines.append(Line(len(lines), start, end, report[start:end].strip()))
        start = end
    return tuple(line for line in lines if line.text)


def line_at(lines: Sequence[Line], position: int) -> Line:
    """The line a character of the report is in."""
    return lines[max(bisect_right([line.start for line in lines], position) - 1, 0)]
