"""What findings in one list or one explanation share: side, place, severity, change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from radeval_core.findings.scene import JOINS, Mention, Scene

_LINKS = JOINS | {
    ",", "versus", "vs", "with", "associated", "adjacent", "overlying", "underlying", "superimposed", "a", "an", "the",
    "some", "few", "subsequent", "resultant", "of", "both", "as", "well",
}  # fmt: skip
#: how words end that describe a finding
_ADJECTIVE = ("y", "al", "ar", "ic", "ive")


def share_in_lists(scene: Scene, mentions: list[Mention]) -> None:
    """In `left effusion and atelectasis` and `effusion and atelectasis on the left`, both are on the left."""
    for first, second in pairwise(mentions):
        between = scene.words[first.end : second.start]
        if _adjective(scene, first, second):
            first.laterality = first.laterality or second.laterality
            second.laterality = second.laterality or first.laterality
            first.anatomy = first.anatomy or list(second.anatomy)
            first.severity = first.severity or second.severity
            second.severity = second.severity or first.severity
            continue
        if _alternatives(between):
            second.severity = second.severity or first.severity
        if not _linked(scene, first.end, second.start, between):
            if _explains(scene, first, second):
                second.laterality = first.laterality
                second.anatomy = _shared_regions(scene, first, second)
            continue
        if first.laterality and not second.laterality and not second.anatomy and is_sided(scene, second):
            second.laterality = first.laterality
            if not first.regions:
                second.anatomy = _shared_regions(scene, first, second)
        elif (
            second.laterality
            and not first.laterality
            and not first.anatomy
            and _said_after(scene, second)
            and is_sided(scene, first)
        ):
            first.laterality = second.laterality
            first.anatomy = _shared_regions(scene, second, first)
        if first.change and not second.change and "with" not in between and "," not in between:
            second.change = first.change
        elif second.change and not first.change and _said_after(scene, second):
            first.change = second.change


def _adjective(scene: Scene, first: Mention, second: Mention) -> bool:
    """`calcified right lung nodule`: the first finding is an adjective of the second."""
    names = {i for m in scene.within(first.end, second.start) if m.roles.side or m.roles.region or m.roles.severity
             for i in range(m.start, m.end)}  # fmt: skip
    return second.start >= first.end and all(i in names for i in range(first.end, second.start)) and not second.regions


def _alternatives(between: Sequence[str]) -> bool:
    """Only `or`, `/`, `and/or`, `versus` stand between two findings: one adjective goes for both."""
    return bool(between) and all(w in ("or", "/", "and", "versus", "vs") for w in between) and "".join(between) != "and"


def _explains(scene: Scene, first: Mention, second: Mention) -> bool:
    """`opacity in the left base compatible with atelectasis`: what explains a finding is where that finding is."""
    if not first.laterality or second.laterality or second.anatomy or not is_sided(scene, second):
        return False
    stretch = range(first.end, second.start)
    if any(scene.words[i] in (";", "but", "however", "no", "without") for i in stretch):
        return False
    if scene.context.negated[first.head] != scene.context.negated[second.head]:
        return False
    usual = scene.lexicon.entries[second.finding].regions
    return bool(usual) and all("chest" in (r, *scene.lexicon.ancestors(r)) for r in usual)


def _linked(scene: Scene, start: int, end: int, between: Sequence[str]) -> bool:
    if any(scene.context.breaks[start:end]):
        return False
    if not any(word in JOINS or word in (",", "with", "associated", "adjacent", "versus", "vs") for word in between):
        return False
    modifiers = {i for m in scene.within(start, end) if m.roles.side or m.roles.severity or m.roles.change
                 for i in range(m.start, m.end)}  # fmt: skip
    return all(
        word in _LINKS or start + i in modifiers or (len(word) > 2 and word.endswith(_ADJECTIVE))
        for i, word in enumerate(between)
    )


def is_sided(scene: Scene, mention: Mention) -> bool:
    """Whether a finding usually is in a paired region: a heart is on no side."""
    usual = scene.lexicon.entries[mention.finding].regions
    return not usual or any(scene.lexicon.regions[r].sided for r in usual)


def _said_after(scene: Scene, mention: Mention) -> bool:
    """Whether something was said of a mention after it rather than before it."""
    return not any(
        m.roles.side or m.roles.region or m.roles.change for m in scene.within(mention.start - 3, mention.start)
    )


def _shared_regions(scene: Scene, source: Mention, target: Mention) -> list[str]:
    """The places of one finding that can also be the other's: those inside its usual region."""
    usual = scene.lexicon.entries[target.finding].regions
    return [r for r in source.anatomy if r in usual or set(scene.lexicon.ancestors(r)) & set(usual)]
