"""`rouge`: the longest common subsequence of both reports, and the overlap by ROUGE variant."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz.distance import LCSseq

from radeval_core.ui.views.marks import Mark, bar, both_reports, legend, table
from radeval_core.ui.views.words import Word, find_words

#: a word as rouge-score defines it
_WORD = re.compile(r"[a-z0-9]+")
#: words per report that are searched for common ones: the search takes memory for each pair of words
_MARKED = 5_000
_KINDS = {"rouge1": "ROUGE-1: words", "rouge2": "ROUGE-2: pairs of words", "rougeL": "ROUGE-L: words in the same order"}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the words both reports have in the same order, and precision and recall."""
    theirs, ours = find_words(_WORD, reference), find_words(_WORD, candidate)
    rows = [
        [title, *(bar(detail[kind][part], f"{detail[kind][part]:.0%}") for part in ("precision", "recall"))]
        for kind, title in _KINDS.items()
    ]
    return (
        both_reports(reference, candidate, common_marks(theirs, ours))
        + legend(("match", "✓ in both reports, in the same order"))
        + table(("Variant", "Share of the candidate (precision)", "Share of the reference (recall)"), rows, "stack")
    )


def common_marks(theirs: Sequence[Word], ours: Sequence[Word]) -> tuple[list[Mark], list[Mark]]:
    """Mark the runs of words in the longest common subsequence, in the reference and in the candidate.

    Only the first 5,000 words of a report are marked.
    """
    blocks = LCSseq.opcodes([w.token for w in theirs[:_MARKED]], [w.token for w in ours[:_MARKED]])
    equal = [b for b in blocks if b.tag == "equal"]
    return (
        [Mark(theirs[b.src_start].start, theirs[b.src_end - 1].end, "match") for b in equal],
        [Mark(ours[b.dest_start].start, ours[b.dest_end - 1].end, "match") for b in equal],
    )
