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
    spans: list[tuple[int, int]] = []
    start = begin = 0  # of the line, and of its last piece: nothing before the last piece contains a word
    for end in [*(match.end() for match in _END.finditer(report)), len(report)]:
        has_words = any(report[i].isalnum() for i in range(begin, end))
        begin = end
        if not has_words and spans:
            start = spans.pop()[0]
        elif not has_words and end < len(report):
            continue  # no words so far: the piece belongs to the first line
        if end > start:
            spans.append((start, end))
        start = end
    lines = (ReportLine(i, start, end, report[start:end].strip()) for i, (start, end) in enumerate(spans))
    return tuple(line for line in lines if line.text)


def line_at(lines: Sequence[ReportLine], position: int) -> ReportLine:
    """Return the line that contains a position of the report."""
    return lines[max(bisect_right(lines, position, key=lambda line: line.start) - 1, 0)]
