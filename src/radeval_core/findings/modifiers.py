"""Assign side, place, severity, size and change to the findings of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from radeval_core.findings.lists import is_sided, share_in_lists
from radeval_core.findings.match import FormMatch, side_of
from radeval_core.findings.measurements import attach_sizes
from radeval_core.findings.numbers import may_count, read_numbers
from radeval_core.findings.opening_places import only_side, said_side, take_opening_place, take_subjects
from radeval_core.findings.scene import JOINS, Mention, Scene
from radeval_core.findings.text import GAP
from radeval_core.findings.topics import prefer_written_places

#: words between an observation and its explanation
_EXPLAINING = frozenset(
    {"with", "represent", "representing", "suggest", "suggesting", "suggestive", "likely", "for", "of"}
)
_COMPARATIVES = frozenset({"smaller", "larger", "bigger", "worse"})
#: words between a comma and a change in a relative clause, and the most of them
_OPENS_CLAUSE = frozenset({"which", "that", "has", "have", "had", "is", "are", "was", "were", "been", "now", "also"})
_CLAUSE = 5
_EXTENDS = frozenset({"extend", "extending", "extended", "run", "running"})
_BEFORE_PLACE = frozenset({"and", "or", "the", "left", "right", "both", "bilateral", "in"})
#: endings of words that describe a finding, or that describe such a word
_DESCRIBING = ("y", "al", "ar", "ic", "ive", "ous", "ed", "ly")


def attach(scene: Scene, mentions: list[Mention]) -> None:
    """Give every mention its modifiers and its number."""
    if not mentions:
        return
    lefts: list[int] = []
    if may_count(scene, mentions):
        lefts = _lefts(scene, mentions)
        read_numbers(scene, mentions, lefts)
    has_modifiers = any(m.roles.modifies for m in scene.matches) or any(word[0].isdigit() for word in scene.words)
    if not has_modifiers and not any(_plural_pair(scene, m) for m in mentions):
        return
    for mention, (left, right) in zip(mentions, _windows(scene, mentions, lefts), strict=True):
        _attach_one(scene, mention, left, right)
    take_opening_place(scene, mentions[0])
    take_subjects(scene, mentions)
    prefer_written_places(scene, mentions)
    if ":" in scene.words[1:5]:
        _side_of_label(scene, mentions)
    share_in_lists(scene, mentions)
    if len(mentions) == 1:
        _take_side_of_observation(scene, mentions[0])
    attach_sizes(scene, mentions)


def attach_open(scene: Scene, mentions: list[Mention], unlisted: list[Mention]) -> None:
    """Give the mentions that the lexicon does not list their modifiers; those of the others do not change."""
    if not unlisted:
        return
    every = sorted([*mentions, *unlisted], key=lambda m: (m.start, m.end))
    new = {id(mention) for mention in unlisted}
    for mention, (left, right) in zip(every, _windows(scene, every), strict=True):
        if id(mention) in new:
            _attach_one(scene, mention, left, right)
    if id(every[0]) in new:
        take_opening_place(scene, every[0])
    take_subjects(scene, unlisted)
    prefer_written_places(scene, unlisted)
    attach_sizes(scene, [mention if id(mention) in new else replace(mention) for mention in every])


def _lefts(scene: Scene, mentions: list[Mention]) -> list[int]:
    """Return, per mention, where its modifiers before it begin."""
    return [_left(scene, m, mentions[i - 1].end if i else 0) for i, m in enumerate(mentions)]


def _windows(scene: Scene, mentions: list[Mention], lefts: Sequence[int] = ()) -> list[tuple[int, int]]:
    """Return, per mention, where its modifiers before it begin (`lefts`, if known) and where those after it end."""
    lefts = lefts or _lefts(scene, mentions)
    found = []
    for i, mention in enumerate(mentions):
        limit = lefts[i + 1] if i + 1 < len(mentions) else len(scene.words)
        found.append((lefts[i], _right(scene, mention, max(limit, mention.end))))
    return found


def _left(scene: Scene, mention: Mention, limit: int) -> int:
    words, breaks, verbs = scene.words, scene.context.breaks, scene.lexicon.words["verb"]
    at = mention.start
    while at > limit:
        phrase = scene.phrases.get(at, -1)
        if phrase >= limit and at - 1 not in scene.blocked:  # a phrase such as `right greater than left`
            at = phrase
            continue
        word = words[at - 1]
        if (
            breaks[at - 1]
            or word in verbs
            or at - 1 in scene.blocked
            or (word == "(" and ")" not in words[at : mention.start])
        ):
            break
        if word == "," and not any(m.start == at and m.roles.side for m in scene.matches):
            described = _adjectives_before(scene, at - 1, limit)
            if described == at - 1:
                break
            at = described
            continue
        if word in JOINS and limit > 0 and _locates_between(scene, limit, at - 1):
            break
        at -= 1
    return at


def _adjectives_before(scene: Scene, comma: int, limit: int) -> int:
    """Return where the adjectives before a comma begin (`mild, bilateral, opacities`), or the comma if none."""
    modifiers = {
        i
        for m in scene.within(limit, comma)
        if (m.roles.side or m.roles.severity or m.roles.change) and not m.roles.region
        for i in range(m.start, m.end)
    }
    at = comma
    while at > limit and not scene.context.breaks[at - 1] and at - 1 not in scene.blocked:
        word = scene.words[at - 1]
        if at - 1 not in modifiers and word not in JOINS and not (len(word) > 3 and word.endswith(_DESCRIBING)):
            break
        at -= 1
    return at if any(i in modifiers for i in range(at, comma)) else comma


def _locates_between(scene: Scene, start: int, end: int) -> bool:
    """Return whether these tokens contain a place phrase of the previous finding: `in the left base`."""
    return any(word in scene.lexicon.words["locate"] for word in scene.words[start:end])


def _right(scene: Scene, mention: Mention, limit: int) -> int:
    words, breaks = scene.words, scene.context.breaks
    at = mention.end
    while at < limit:
        if breaks[at] and not (words[at] == "which" and _tells_change(scene, at, limit)):
            break
        if words[at] in ("with", "without") and not _continues(scene, at, limit):
            break
        if words[at] == "," and not _goes_on_after(scene, at + 1, limit):
            break
        at += 1
    return at


def _goes_on_after(scene: Scene, at: int, limit: int) -> bool:
    """Return whether the words after a comma still modify the finding: a place, side, severity or change."""
    if at < limit and (scene.words[at] in scene.lexicon.words["locate"] or scene.words[at] in ("left", "right", "now")):
        return True
    if _tells_change(scene, at, limit) or any(m.start == at and m.roles.severity for m in scene.matches):
        return True
    return _lists_places(scene, at, limit)


def _tells_change(scene: Scene, at: int, limit: int) -> bool:
    """Return whether the words from `at` on tell a change, also in a relative clause: `which has enlarged`."""
    last = at
    while last < min(limit, at + _CLAUSE) and scene.words[last] in _OPENS_CLAUSE:
        last += 1
    return any(at <= m.start <= last and m.roles.change for m in scene.matches)


def _lists_places(scene: Scene, at: int, limit: int) -> bool:
    """Return whether the words after a comma go on with a list of places: `in the aortic arch, aorta and heart`."""
    if not any(m.end == at - 1 and m.roles.region for m in scene.matches):
        return False
    while at < limit and scene.words[at] in _BEFORE_PLACE:
        at += 1
    place = next((m for m in scene.matches if m.start == at and m.roles.region and m.end <= limit), None)
    if place is None:
        return False
    after = scene.words[place.end : place.end + 1]
    return not after or after[0] in JOINS or after[0] in ",.;)"


def _continues(scene: Scene, at: int, limit: int) -> bool:
    """Return whether `with` or `without` still modifies the same finding: `with its tip in`, `without change`."""
    return "tip" in scene.words[at : min(limit, at + 4)] or any(m.start == at and m.roles.change for m in scene.matches)


def _attach_one(scene: Scene, mention: Mention, left: int, right: int) -> None:
    before, inside, after = scene.around(mention, left, right)
    near = _without_ends(scene, [*before, *inside, *after], mention.end, right)
    sides = [side for m in near if (side := said_side(m))]
    sides += [mention.side] if mention.side else []
    mention.laterality = only_side(sides)
    if not mention.laterality and (any(_both_sides(scene, m) for m in near) or _plural_pair(scene, mention)):
        mention.laterality = "bilateral"
    mention.anatomy = [*mention.regions, *(m.roles.region for m in [*before, *after] if m.roles.region)]
    if not mention.anatomy and not mention.laterality:
        _take_subject(scene, mention, left)
    graded = [m for m in [*inside, *before] if m.roles.severity]
    # `slightly large heart`: the word that makes the finding (`large`) gives its severity only if no other word does
    graded = [m for m in graded if m.start != mention.head] or graded
    if graded:
        mention.severity = max(graded, key=lambda m: m.start).roles.severity
    else:
        mention.severity = _predicate(scene, mention, after)
    changes = [m for m in [*inside, *before] if m.roles.change and not _compares_lesions(scene, m)]
    if changes:
        mention.change = max(changes, key=lambda m: m.start).roles.change
    else:
        mention.change = next((m.roles.change for m in after if m.roles.change), None)
    _split_sides(scene, mention, before)


def _compares_lesions(scene: Scene, match: FormMatch) -> bool:
    """Return whether a comparative compares two lesions of this study, not two studies: `also a smaller nodule`."""
    words = scene.words
    if words[match.start] not in _COMPARATIVES or not match.start or "than" in words[match.end :]:
        return False
    return words[match.start - 1] in ("a", "an", "another", "the", "other")


def _without_ends(scene: Scene, near: list[FormMatch], start: int, end: int) -> list[FormMatch]:
    """Drop the ends of a finding that runs from one side to another place: they are not its side.

    Example: `dissection extends from the left subclavian artery to the aortic bifurcation`.
    """
    words = scene.words[start:end]
    if _EXTENDS.isdisjoint(words):
        return near
    at = next((i for i, word in enumerate(words) if word in _EXTENDS and words[i + 1 : i + 2] == ("from",)), -1)
    if at < 0 or "to" not in words[at:]:
        return near
    to = start + at + list(words[at:]).index("to")
    ends = [m for m in near if m.start > start + at]
    first, last = ({said_side(m) for m in ends if (m.start < to) == early} - {""} for early in (True, False))
    return near if first == last else [m for m in near if m not in ends]


def _take_subject(scene: Scene, mention: Mention, left: int) -> None:
    """Take the region before the verb as the place of a finding: `The aorta is calcified`."""
    at = left
    while at > 0 and scene.words[at - 1] in ("is", "are", "was", "were", "appear", "remain"):
        at -= 1
    for match in scene.matches:
        if at < left and match.end == at and match.roles.region:
            mention.anatomy = [match.roles.region]
            mention.laterality = side_of(scene.matches, match) or None
            if not mention.laterality and _both_sides(scene, match):
                mention.laterality = "bilateral"


def _both_sides(scene: Scene, match: FormMatch) -> bool:
    """Return whether a form is a paired region in the plural, so both sides are meant: `the lung bases`."""
    name = match.roles.region
    if not name or not scene.lexicon.regions[name].sided:
        return False
    after = [word for word in scene.words[match.end : match.end + 2] if word != GAP]
    if (
        match.end <= scene.heading or after[:1] == [":"] or name.endswith("lymph_node")
    ):  # `Menisci:`; a side has many nodes
        return False
    return scene.plural[match.end - 1] or after[:1] == ["are"]


def _plural_pair(scene: Scene, mention: Mention) -> bool:
    """Return whether the words of a finding end in a paired region in the plural: `flattened diaphragms`."""
    if not scene.plural[mention.end - 1]:
        return False
    last = scene.words[mention.end - 1]
    roles = scene.lexicon.surface((last,))
    if roles is None or roles.region.endswith("lymph_node"):
        return False
    return bool(roles.region) and scene.lexicon.regions[roles.region].sided


def _predicate(scene: Scene, mention: Mention, after: list[FormMatch]) -> str | None:
    """Return the severity that follows a finding, or None: `effusion is small`, `effusion, small`."""
    for match in after:
        if match.roles.severity and match.start - mention.end <= 4:
            between = scene.words[mention.end : match.start]
            if all(w in scene.lexicon.words["verb"] or w in (",", "now", "again", "overall", "and", "left", "right",
                                                             "on", "the", "side") for w in between):  # fmt: skip
                return match.roles.severity
    return None


def _split_sides(scene: Scene, mention: Mention, before: list[FormMatch]) -> None:
    """Split one mention into two findings, one per side.

    Examples: `small left and moderate right effusions`, `right lower and left upper lobe opacities`.
    """
    parts: list[tuple[str, str | None, list[str]]] = []
    grade: str | None = None
    for match in before:
        if match.roles.severity:
            grade = match.roles.severity
        if match.roles.side in ("left", "right"):
            parts.append((match.roles.side, grade, []))
            grade = None
        elif match.roles.region and parts:
            parts[-1][2].append(match.roles.region)
    if len(parts) != 2 or parts[0][0] == parts[1][0]:
        return
    (side, severity, places), other = parts
    graded = severity and other[1]
    placed = places and other[2] and places != other[2]
    if graded or placed:
        mention.laterality, mention.severity = side, severity or mention.severity
        mention.twin = (other[0], other[1] or (None if graded else mention.severity), other[2])
        if placed:
            mention.anatomy = places


def _take_side_of_observation(scene: Scene, mention: Mention) -> None:
    """Give a finding that explains an observation the only side mentioned before it.

    Example: `Collection along the left convexity, consistent with hematoma`.
    """
    before = scene.words[: mention.start]
    if mention.laterality or not is_sided(scene, mention) or not any(w in _EXPLAINING for w in before[-4:]):
        return
    matches = scene.within(0, mention.start)
    sides = {side for m in matches if (side := said_side(m))}
    if len(sides) == 1:
        mention.laterality = sides.pop()


def _side_of_label(scene: Scene, mentions: list[Mention]) -> None:
    """Give the findings of a labelled field the side of the label: `Left lobe: No nodule`."""
    colon = list(scene.words).index(":")
    sides = {m.roles.side or m.roles.form_side for m in scene.within(0, colon)} - {""}
    for mention in mentions:
        if len(sides) == 1 and mention.start > colon and not mention.laterality and is_sided(scene, mention):
            mention.laterality = next(iter(sides))
