"""The candidate with its corrections applied."""

from __future__ import annotations

import re
from collections.abc import Sequence

from radeval_core.findings.lexicon_files import headings
from radeval_core.judges.fineradscore.analysis import DELETE, INSERT, Correction
from radeval_core.judges.fineradscore.lines import split_lines

_HEADING = re.compile(r"\s*([^\W\d_]+(?:[ /&-]{1,3}[^\W\d_]+){0,4})\s*:(?!\d)")


def apply_corrections(report: str, corrections: Sequence[Correction]) -> str:
    """The report with lines deleted and rewritten, and insertions at its end.

    White space before a line stays, and so does the heading a deleted line opens: the lines below still stand under it.
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
    """The section heading a line begins with, and the white space before it; empty if it has none."""
    match = _HEADING.match(line)
    if match is None or " ".join(re.split(r"[ /&-]+", match.group(1).lower())) not in headings():
        return ""
    return match.group()


def sentence(text: str) -> str:
    """A text that ends as a sentence does."""
    text = text.strip()
    return text if not text or text[-1] in ".!?:" else f"{text}."
