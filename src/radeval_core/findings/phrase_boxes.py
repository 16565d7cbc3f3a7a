"""Check phrases with boxes that a user gives: a grounded report, as RadFact takes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from radeval_core.errors import InputError
from radeval_core.findings.atlas import SIDES
from radeval_core.findings.types import Box

#: the form of one phrase, for errors
PHRASE_FORM = "{'phrase': text, 'boxes': [[x1, y1, x2, y2], …] or None}"
#: a phrase and its boxes
BoxedPhrase = tuple[str, tuple[Box, ...] | None]


def is_phrases(given: Any) -> bool:
    """Return whether boxes are those of phrases, a list per report, and not those of regions."""
    return isinstance(given, Mapping) and any(isinstance(given.get(side), (list, tuple)) for side in SIDES)


def check_phrases(given: Any, where: str) -> dict[str, list[BoxedPhrase]]:
    """Return the checked phrases of both reports of a pair.

    Args:
        given: `prediction` and `reference`, each a list of phrases with boxes.
        where: how error messages name them, e.g. `boxes[3]`. They do not show a phrase.
    """
    if not isinstance(given, Mapping) or set(given) != set(SIDES):
        raise InputError(f"{where} must have 'prediction' and 'reference', each a list of {PHRASE_FORM}")
    return {side: _side(given[side], f"{where}[{side!r}]") for side in SIDES}


def _side(given: Any, where: str) -> list[BoxedPhrase]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(f"{where} must be a list of {PHRASE_FORM}, got {type(given).__name__}")
    found = []
    for i, entry in enumerate(given):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("phrase"), str) or "boxes" not in entry:
            raise InputError(f"{where}[{i}] must be {PHRASE_FORM}")
        found.append((entry["phrase"], _boxes(entry["boxes"], f"{where}[{i}]['boxes']")))
    return found


def _boxes(given: Any, where: str) -> tuple[Box, ...] | None:
    if given is None:
        return None
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InputError(f"{where} must be a list of at least one [x1, y1, x2, y2], or None for no boxes")
    return tuple(_box(box, f"{where}[{i}]") for i, box in enumerate(given))


def _box(given: Any, where: str) -> Box:
    numbers = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    if len(numbers) != 4 or not all(isinstance(v, Real) and not isinstance(v, bool) for v in numbers):
        raise InputError(f"{where} must be four numbers [x1, y1, x2, y2]")
    left, top, right, bottom = (float(value) for value in numbers)
    # zero area is allowed, as in the original: such a box covers no pixel
    if not (math.isfinite(sum(numbers)) and 0 <= left <= right <= 1 and 0 <= top <= bottom <= 1):
        shown = ", ".join(f"{value:g}" for value in numbers)
        limits = "0 ≤ x1 ≤ x2 ≤ 1 and 0 ≤ y1 ≤ y2 ≤ 1"
        raise InputError(f"{where} must be shares of width and height with {limits}, got [{shown}]")
    return left, top, right, bottom
