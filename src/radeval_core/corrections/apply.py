"""Apply corrections to a candidate report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import DELETE, INSERT, Correction
from radeval_core.findings.lexicon_files import headings

_HEADING = re.compile(r"\s*([^\W\d_]+(?:[ /&-]{1,3}[^\W\d_]+){0,4})\s*:(?!\d)")


def apply_corrections(report: str, corrections: Sequence[Correction]) -> str:
    """Return the report with lines deleted and rewritten, and insertions at its end.

    White space before a line stays. If a deleted line begins with a heading, the heading stays too, because the lines
    below belong to it.
    """
    changed = {c.line: c for c in corrections if c.action != INSERT}
    pieces: list[str] = []
    for line in split_lines(report):
        correction, written = changed.get(line.number), report[line.start : line.end]
        if correction is None:
            pieces.append(written)
        elif correction.action == DELETE:
            pieces.append(heading_of(written))
        else:
            space = written[: len(written) - len(written.lstrip())]
            pieces.append(space + sentence(correction.after))
    text = "".join(pieces).strip()
    for correction in corrections:
        if correction.action == INSERT:
            text = f"{sentence(text)} {sentence(correction.after)}" if text else sentence(correction.after)
    return text


def heading_of(line: str) -> str:
    """Return the section heading at the start of a line, with the white space before it; empty if there is none."""
    match = _HEADING.match(line)
    if match is None or " ".join(re.split(r"[ /&-]+", match.group(1).lower())) not in headings():
        return ""
    return match.group()


def sentence(text: str) -> str:
    """Return a text with a period at its end, if it needs one."""
    text = text.strip()
    return text if not text or text[-1] in ".!?:" else f"{text}."
