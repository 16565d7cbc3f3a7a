"""`new_metric`: the words that both reports have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from radeval_core.ui.views.marks import Mark, both_reports, legend, plural, text
from radeval_core.ui.views.words import find_words

_WORD = re.compile(r"\w+|[^\w\s]")


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Mark the common words in both reports and count the others."""
    common = set(detail["common"])
    counts = f"{plural(len(common), 'common word')}, {len(detail['added'])} added, {len(detail['missing'])} missing."
    return (
        both_reports(reference, candidate, (_marks(reference, common), _marks(candidate, common)))
        + legend(("match", "✓ in both reports"))
        + f'<p class="note">{text(counts)}</p>'
    )


def _marks(report: str, common: set[str]) -> list[Mark]:
    return [Mark(word.start, word.end, "match") for word in find_words(_WORD, report) if word.token in common]
