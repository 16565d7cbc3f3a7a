"""Find a passage in a report; white space and upper case may differ."""

from __future__ import annotations

import re

from radeval_core.findings.types import Span


def find_passage(passage: str, report: str, start: int = 0) -> Span | None:
    """Return where a passage begins and ends, from a position on or else anywhere; None if the report lacks it."""
    words = passage.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    found = pattern.search(report, start) or pattern.search(report)
    return found.span() if found else None
