"""Find the sizes in a sentence, in millimetres, and the findings they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.findings.scene import Mention, Scene

_UNITS = {"mm": 1.0, "millimeter": 1.0, "cm": 10.0, "centimeter": 10.0}
#: words before a size that mark it as a size in an earlier study
_BEFORE = frozenset({"previously", "formerly", "prior", "previous"})
#: places from which a distance is measured
_LANDMARKS = frozenset({"nipple", "os", "skin", "verge", "anus", "cervix"})
#: words between an organ and its size
_MEASURES = frozenset({":", "measure", "measuring", "is", "are", "approximately", "about", "size", "in", "length"})
_TIMES = frozenset({"x", "by", "×", "to"})


#: the largest size in millimetres, a kilometre: a longer number is no size, and may be more than a float can hold
_LARGEST = 1e6


def _is_number(word: str) -> bool:
    """Return whether a word is a number; `③` and `10³` contain digits but are none."""
    return word[0].isdecimal() and word.replace(".", "", 1).isdecimal()


def _is_distance(words: Sequence[str], at: int) -> bool:
    """Return whether a length is the distance from a landmark, not a size: `5 cm from the nipple`."""
    return "fn" in words[at : at + 1] or (
        "from" in words[at : at + 1] and not _LANDMARKS.isdisjoint(words[at + 1 : at + 5])
    )


def find_sizes(words: Sequence[str]) -> list[tuple[int, int, tuple[float, ...]]]:
    """Return the sizes in a sentence as (first token, token after the last, millimetres)."""
    if _UNITS.keys().isdisjoint(words):
        return []
    found = []
    i = 0
    while i < len(words):
        if not _is_number(words[i]):
            i += 1
            continue
        numbers, at = [words[i]], i + 1
        unit = _UNITS.get(words[at], 0.0) if at < len(words) else 0.0
        at += 1 if unit else 0
        while at + 1 < len(words) and words[at] in _TIMES and _is_number(words[at + 1]):
            numbers.append(words[at + 1])
            at += 2
            if at < len(words) and words[at] in _UNITS:
                unit = _UNITS[words[at]]
                at += 1
        if unit and not _is_distance(words, at) and not (set(words[max(0, i - 3) : i]) & _BEFORE):
            sizes = tuple(round(float(n) * unit, 3) for n in numbers)
            if max(sizes) <= _LARGEST:
                found.append((i, at, sizes))
        i = max(at, i + 1)
    return found


def attach_sizes(scene: Scene, mentions: list[Mention]) -> None:
    """Give each size to the nearest finding of its clause, unless it is the size of an organ."""
    for start, end, sizes in find_sizes(scene.words):
        if _size_of_organ(scene, start, mentions):
            continue
        options = [m for m in mentions if not any(scene.context.breaks[min(m.end, end) : max(m.start, start)])]
        if options:
            nearest = min(options, key=lambda m: (max(start - m.end, m.start - end, 0), m.start))
            nearest.measurements += sizes


def _size_of_organ(scene: Scene, start: int, mentions: list[Mention]) -> bool:
    """Return whether a size is that of a region, not of a finding: `Right kidney: 11 cm, no hydronephrosis`."""
    at = start
    while at > 0 and scene.words[at - 1] in _MEASURES:
        at -= 1
    if at == start or not any(m.end == at and m.roles.region for m in scene.matches):
        return False
    return not any(m.start < at and not any(scene.context.breaks[m.end : at]) for m in mentions)
