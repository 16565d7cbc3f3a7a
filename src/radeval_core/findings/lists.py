"""Share side, place, severity and change between findings in one list or one explanation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from radeval_core.findings.scene import JOINS, Mention, Scene
from radeval_core.findings.special import ANYWHERE, part_of_body

_LINKS = JOINS | {
    ",", "versus", "vs", "with", "associated", "adjacent", "overlying", "underlying", "superimposed", "a", "an", "the",
    "some", "few", "subsequent", "resultant", "of", "both", "as", "well",
}  # fmt: skip
#: endings of words that describe a finding
#: words between an observation and what it may be, and between what is more likely and what is less
_EXPLAINING = frozenset(
    {"consistent", "compatible", "represent", "representing", "suggest", "suggesting", "suggestive", "favor",
     "favoring", "likely", "versus", "vs", "keeping", "reflect", "reflecting", "concerning", "suspicious", "worrisome"}
)  # fmt: skip
_RATHER = (("over",), ("rather", "than"))
_ADJECTIVE = ("y", "al", "ar", "ic", "ive")


def share_in_lists(scene: Scene, mentions: list[Mention]) -> None:
    """Give findings in a list the modifiers they share.

    In `left effusion and atelectasis` and `effusion and atelectasis on the left`, both findings are on the left.
    """
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
            if second.anatomy and not first.anatomy and not scene.lexicon.entries[first.finding].regions:
                first.anatomy = list(second.anatomy)
        if _is_category(scene, second):
            second.laterality = second.laterality or first.laterality
            continue
        if not _linked(scene, first.end, second.start, between):
            if _explains(scene, first, second):
                second.laterality = first.laterality
                second.anatomy = _shared_regions(scene, first, second)
            if not second.anatomy and _named_by_place(scene, first, second):
                second.anatomy = list(first.anatomy)
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
            and (is_sided(scene, first) or tuple(between) in _RATHER)
        ):
            first.laterality = second.laterality
            first.anatomy = _shared_regions(scene, second, first)
        if first.change and not second.change and "with" not in between and "," not in between:
            second.change = first.change
        elif second.change and not first.change and _said_after(scene, second):
            first.change = second.change


def _adjective(scene: Scene, first: Mention, second: Mention) -> bool:
    """Return whether the first finding is an adjective of the second: `calcified right lung nodule`."""
    modifiers = {i for m in scene.within(first.end, second.start) if m.roles.side or m.roles.region or m.roles.severity
                 for i in range(m.start, m.end)}  # fmt: skip
    between = range(first.end, second.start)
    return (
        second.start >= first.end
        and all(i in modifiers for i in between)
        and (not second.regions or second.start == first.end)
    )


def _alternatives(between: Sequence[str]) -> bool:
    """Return whether only `or`, `/`, `and/or` or `versus` is between two findings, so one adjective describes both."""
    return bool(between) and all(w in ("or", "/", "and", "versus", "vs") for w in between) and "".join(between) != "and"


def _explains(scene: Scene, first: Mention, second: Mention) -> bool:
    """Return whether the second finding explains the first, and so is in the same place.

    Example: `opacity in the left base compatible with atelectasis`.
    """
    usual = scene.lexicon.entries[second.finding].regions
    if not first.laterality or second.laterality or second.anatomy:
        return False
    stretch = range(first.end, second.start)
    if any(scene.words[i] in (";", "but", "however", "no", "without") for i in stretch):
        return False
    if scene.context.negated[first.head] != scene.context.negated[second.head]:
        return False
    if not usual or not ANYWHERE.isdisjoint(
        usual
    ):  # `calcifications in the right breast are suspicious for malignancy`
        return scene.context.doubted[second.head]
    if all("chest" in (r, *scene.lexicon.ancestors(r)) for r in usual):
        return is_sided(scene, second)
    parts = {part_of_body(scene.lexicon, place) for place in first.anatomy}
    if not is_sided(scene, second) and parts.isdisjoint(part_of_body(scene.lexicon, place) for place in usual):
        return False
    return not _EXPLAINING.isdisjoint(scene.words[first.end : second.start])


def _named_by_place(scene: Scene, first: Mention, second: Mention) -> bool:
    """Return whether an explanation without a usual place is in the place of what it explains."""
    return (
        bool(first.anatomy)
        and second.finding in scene.lexicon.special
        and not scene.lexicon.entries[second.finding].regions
        and scene.context.doubted[second.head]
        and not any(scene.context.breaks[first.end : second.start])
    )


def _is_category(scene: Scene, mention: Mention) -> bool:
    """Return whether a mention is a category of a reporting system; TI-RADS 4 has the side of its lesion."""
    return any(parent.endswith("_category") for parent in scene.lexicon.entries[mention.finding].parents)


def _linked(scene: Scene, start: int, end: int, between: Sequence[str]) -> bool:
    if any(scene.context.breaks[start:end]):
        return False
    if tuple(between) in _RATHER:
        return True
    if not any(word in JOINS or word in (",", "with", "associated", "adjacent", "versus", "vs") for word in between):
        return False
    modifiers = {i for m in scene.within(start, end) if m.roles.side or m.roles.severity or m.roles.change
                 for i in range(m.start, m.end)}  # fmt: skip
    return all(
        word in _LINKS or start + i in modifiers or (len(word) > 2 and word.endswith(_ADJECTIVE))
        for i, word in enumerate(between)
    )


def is_sided(scene: Scene, mention: Mention) -> bool:
    """Return whether a finding is usually in a paired region: cardiomegaly has no side."""
    usual = scene.lexicon.entries[mention.finding].regions
    return not usual or any(scene.lexicon.regions[r].sided for r in usual)


def _said_after(scene: Scene, mention: Mention) -> bool:
    """Return whether a mention has no side, place or change directly before it, so its modifiers follow it."""
    return not any(
        m.roles.side or m.roles.region or m.roles.change for m in scene.within(mention.start - 3, mention.start)
    )


def _shared_regions(scene: Scene, source: Mention, target: Mention) -> list[str]:
    """Return the places of `source` that `target` can share: those inside the usual region of `target`."""
    usual = scene.lexicon.entries[target.finding].regions
    return [r for r in source.anatomy if r in usual or set(scene.lexicon.ancestors(r)) & set(usual)]
