"""Pure functions of `temporal_f1`: the change words of a report, and the F1 of two sets.

Words and cleaning are those of `temporal` in RadEval (github.com/jbdel/RadEval, e0a39097).
"""

from __future__ import annotations

import re
from collections.abc import Set

import numpy as np

from radeval_core.functional.label_f1 import f1

#: the words that count as a statement of change
WORDS = frozenset({
    "bigger", "change", "cleared", "constant", "decrease", "decreased", "decreasing", "elevated", "elevation",
    "enlarged", "enlargement", "enlarging", "expanded", "greater", "growing", "improved", "improvement",
    "improving", "increase", "increased", "increasing", "larger", "new", "persistence", "persistent", "persisting",
    "progression", "progressive", "reduced", "removal", "resolution", "resolved", "resolving", "smaller",
    "stability", "stable", "stably", "unaltered", "unchanged", "unfolded", "worse", "worsen", "worsened",
    "worsening",
})  # fmt: skip
_WORD = re.compile(rf"\b(?:{'|'.join(sorted(WORDS))})\b")
_SPACE = re.compile(r"[_-]")
_DELETED = re.compile(r"[^\w\s.,:;()]")


def change_words(text: str) -> frozenset[str]:
    """Return the distinct change words of a report.

    A hyphen or underscore counts as a space. Other marks than `.,:;()` are deleted, so that `stable/unchanged` becomes
    one word and is not found.
    """
    return frozenset(_WORD.findall(_DELETED.sub("", _SPACE.sub(" ", text)).lower()))


def set_f1(prediction: Set[str], reference: Set[str]) -> float:
    """Return the F1 of two sets: 1 if both are empty, 0 if only one is."""
    hits, extra, missed = len(prediction & reference), len(prediction - reference), len(reference - prediction)
    return float(f1(np.array(hits), np.array(extra), np.array(missed), none=1.0))
