"""Give findings the place that stands before them in the sentence: `The left kidney shows a cyst`, `On the left, …`."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.findings.coverage import without_content
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch
from radeval_core.findings.scene import Mention, Scene

#: verbs whose subject can be the place of what they show
SHOWING = frozenset(
    {"show", "demonstrate", "reveal", "contain", "exhibit", "display", "harbor", "has", "have", "showed",
     "demonstrated", "revealed", "contained"}
)  # fmt: skip
#: words of a subject besides the forms of places and sides
_OF_A_PLACE = frozenset(
    {"the", "a", "of", "on", "in", "at", "side", "level", "region", "area", "aspect", "again", "also"}
)  # fmt: skip
#: most words of a subject that are neither: `the floor of the left orbit`, `the left temporal convexity`
_UNKNOWN = 2


def said_side(match: FormMatch) -> str:
    """Return the side that a form says, or empty."""
    return match.roles.side or (match.roles.form_side if match.roles.region else "")


def only_side(sides: Sequence[str]) -> str | None:
    """Return the side that words say together: both sides are bilateral."""
    if "bilateral" in sides or {"left", "right"} <= set(sides):
        return "bilateral"
    return sides[0] if sides else None


def take_opening_place(scene: Scene, mention: Mention) -> None:
    """Give the first finding the place that opens the sentence: `In the left lower lobe there is an opacity`."""
    if not scene.words or scene.words[0] not in scene.lexicon.words["locate"]:
        return
    opening = [m for m in scene.within(0, mention.start) if m.roles.region or m.roles.side]
    named = [m.roles.region for m in opening if m.roles.region]
    if mention.anatomy:  # only a side may still be missing: `On the left, a knee effusion`
        end = next((i for i, word in enumerate(scene.words) if word in (",", "there")), 0)
        opening = [m for m in opening if m.end <= end]
        if not _fits(mention.anatomy, [m.roles.region for m in opening if m.roles.region], scene.lexicon):
            return
    else:
        mention.anatomy = named
    side = only_side([side for m in opening if (side := m.roles.side or m.roles.form_side)])
    if not mention.laterality or (side and not _says_both(scene)):  # `On the left, fluid in the mastoid air cells`
        mention.laterality = side or mention.laterality


def _says_both(scene: Scene) -> bool:
    """Return whether a sentence names a second side, or both."""
    return len({side for m in scene.matches if (side := said_side(m))}) > 1 or any(
        m.roles.side == "bilateral" for m in scene.matches
    )


def take_subjects(scene: Scene, mentions: Sequence[Mention]) -> None:
    """Give findings the place that shows them: `The lower lobe of the left lung reveals a nodule`."""
    words = scene.words
    if SHOWING.isdisjoint(words):
        return
    for at, word in enumerate(words):
        if word not in SHOWING:
            continue
        subject = _subject(scene, at)
        if not subject:
            continue
        end = next((i for i in range(at + 1, len(words)) if _ends_clause(scene, i)), len(words))
        for mention in mentions:
            if at < mention.start < end:
                _place_in(mention, subject, scene.lexicon)


def _subject(scene: Scene, verb: int) -> list[FormMatch]:
    """Return the places and sides of the subject of a verb; none if the subject is more than a place."""
    owner = {i: m for m in scene.matches for i in range(m.start, m.end)}
    found: list[FormMatch] = []
    unknown = 0
    at = verb - 1
    while at >= 0 and not scene.context.breaks[at]:
        match = owner.get(at)
        if match is not None and (match.roles.region or match.roles.side) and not match.roles.finding:
            found.append(match)
            at = match.start - 1
        elif scene.words[at] in _OF_A_PLACE and (match is None or not match.roles.finding):
            at -= 1
        elif (match is None or _only_describes(match)) and _has_content(scene.words[at]):
            unknown += 1
            at -= 1
        else:
            break
    starts = at < 0 or scene.context.breaks[at] or scene.words[at] in (",", "and", "while", ":")
    return found[::-1] if starts and unknown <= _UNKNOWN else []


def _only_describes(match: FormMatch) -> bool:
    """Return whether a form means something only next to a place it does not stand next to: `the left convexity`."""
    roles = match.roles
    return bool(roles.describes) and not (roles.finding or roles.cues or roles.severity or roles.change)


def _has_content(word: str) -> bool:
    return word.isalpha() and not without_content((word,))


def _ends_clause(scene: Scene, at: int) -> bool:
    words = scene.words
    new_subject = words[at] in ("and", ",") and words[at + 1 : at + 2] == ("the",)
    return scene.context.breaks[at] or words[at] in SHOWING or new_subject


def _place_in(mention: Mention, subject: Sequence[FormMatch], lexicon: Lexicon) -> None:
    named = [m.roles.region for m in subject if m.roles.region]
    if mention.anatomy and named and not _fits(mention.anatomy, named, lexicon):
        return
    mention.anatomy = [*mention.anatomy, *(region for region in named if region not in mention.anatomy)]
    if not mention.laterality:
        mention.laterality = only_side([side for m in subject if (side := said_side(m))])


def _fits(places: Sequence[str], others: Sequence[str], lexicon: Lexicon) -> bool:
    """Return whether one of two lists of places lies in the other, or one of them is empty."""
    return not places or not others or lexicon.one_place(tuple(places), tuple(others))
