"""`meteor`: how many words match, by which module, and in how many pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.functional.meteor import MODULES, WordMatch, align, find_words
from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend, plural, table


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Mark equal words and equal stems in both reports, and show the counts behind the score."""
    mine, theirs = find_words(candidate), find_words(reference)
    matches = align([word for word, *_ in mine], [word for word, *_ in theirs])
    marks = ([_mark(m, theirs[m.reference]) for m in matches], [_mark(m, mine[m.prediction]) for m in matches])
    rows = [
        [
            f"{text(name)}, weight {weight:g}",
            *(str(detail["matched"][name][side]) for side in ("reference", "prediction")),
        ]
        for name, weight in MODULES.items()
    ]
    rows.append(["all words", *(str(detail["words"][side]) for side in ("reference", "prediction"))])
    return (
        f'<p class="facts">{plural(detail["chunks"], "chunk")}: the fewer pieces the matches are in, the better; '
        "a perfect match has none.</p>"
        + both_reports(reference, candidate, marks)
        + legend(("match", "equal word"), ("part", "equal stem"))
        + table(("Matched words", "Reference", "Candidate"), rows, "grid")
    )


def _mark(match: WordMatch, place: tuple[str, int, int]) -> Mark:
    return Mark(place[1], place[2], "part" if match.module else "match")
