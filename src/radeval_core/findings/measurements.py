"""Sizes in a sentence, in millimetres."""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = {"mm": 1.0, "millimeter": 1.0, "cm": 10.0, "centimeter": 10.0}
#: words before a size that belongs to an earlier study
_BEFORE = frozenset({"previously", "formerly", "prior", "previous"})
_TIMES = frozenset({"x", "by", "×", "to"})


def find_sizes(words: Sequence[str]) -> list[tuple[int, int, tuple[float, ...]]]:
    """Measurements in a sentence: (first token, token after the last, millimetres)."""
    found = []
    i = 0
    while i < len(words):
        if not words[i][0].isdigit():
            i += 1
            continue
        numbers, at = [words[i]], i + 1
        unit = _UNITS.get(words[at], 0.0) if at < len(words) else 0.0
        at += 1 if unit else 0
        while at + 1 < len(words) and words[at] in _TIMES and words[at + 1][0].isdigit():
            numbers.append(words[at + 1])
            at += 2
            if at < len(words) and words[at] in _UNITS:
                unit = _UNITS[words[at]]
                at += 1
        if unit and not (set(words[max(0, i - 3) : i]) & _BEFORE):
            found.append((i, at, tuple(round(float(n) * unit, 3) for n in numbers)))
        i = max(at, i + 1)
    return found
