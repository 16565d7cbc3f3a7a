"""Group the mentions of a report that are about the same thing: `opacity … this consolidation`.

A mention joins the first group with a mention of the same thing, if it contradicts none of the group. Only groups of a
near finding, on a possible side and in a possible place, are tried, and mentions that differ in nothing that decides
share one result, so long reports take linear time in practice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from radeval_core.findings.fine_places import apart
from radeval_core.findings.levels import Levels
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.relations import SAME, SIGN_OF, near_names, one_side, open_relation, relation
from radeval_core.findings.types import Finding

_NEVER, _ALTERNATIVES, _IN_ONE_SENTENCE, _ALWAYS = range(4)
#: places that groups are filed under besides regions: all groups, and those that say no place
_ALL, _NO_PLACE = "all", "no place"


@dataclass(frozen=True, slots=True)
class _Kind:
    """What decides whether two mentions are about the same thing, apart from their sentences."""

    finding: str
    laterality: str | None
    anatomy: tuple[str, ...]
    place_said: bool
    discs: frozenset[str]
    doubted: bool
    places: tuple[str, ...]


@dataclass(slots=True)
class _Group:
    """Mentions of one thing; per kind, the starts of their sentences."""

    number: int
    mentions: list[Finding] = field(default_factory=list)
    kinds: dict[_Kind, set[int]] = field(default_factory=dict)

    def add(self, mention: Finding, kind: _Kind) -> None:
        self.mentions.append(mention)
        self.kinds.setdefault(kind, set()).add(mention.sentence_start)


class _Grouping:
    """The groups found so far."""

    def __init__(self, lexicon: Lexicon, mentions: Sequence[Finding]) -> None:
        self.groups: list[_Group] = []
        self._lexicon = lexicon
        self._sides = {mention.laterality for mention in mentions}
        self._near = near_names((mention.finding for mention in mentions), lexicon)
        #: findings near which there are only kinds of them, so that the sentence decides nothing
        self._sentence_free = {
            name for name, near in self._near.items() if all(_related(name, other, lexicon) for other in near)
        }
        #: numbers of the groups, by finding, side and place of their mentions
        self._by_name: dict[tuple[str, str | None, str], list[int]] = {}
        #: the group of each kind that joins a group whatever the sentence; groups only grow, so it stays the first one
        self._home: dict[_Kind, _Group] = {}
        self._answers: dict[tuple[_Kind, _Kind], int] = {}

    def add(self, mention: Finding, kind: _Kind) -> None:
        home = self._home.get(kind) or self._first(mention, kind)
        if home is None:
            home = _Group(len(self.groups))
            self.groups.append(home)
        if kind not in home.kinds:
            for place in self._filed_under(kind):
                self._by_name.setdefault((kind.finding, kind.laterality, place), []).append(home.number)
        home.add(mention, kind)
        if kind.finding in self._sentence_free:
            self._home[kind] = home

    def _first(self, mention: Finding, kind: _Kind) -> _Group | None:
        numbers = sorted({number for found in self._candidates(kind) for number in found})
        return next((self.groups[i] for i in numbers if self._fits(mention, kind, self.groups[i])), None)

    def _candidates(self, kind: _Kind) -> Iterator[list[int]]:
        """Return lists of groups with a mention that can be about the same thing as one of this kind."""
        sides = [side for side in self._sides if one_side(kind.laterality, side)]
        places = self._sought_under(kind)
        for name in self._near[kind.finding]:
            for side in sides:
                for place in places:
                    if found := self._by_name.get((name, side, place)):
                        yield found

    def _filed_under(self, kind: _Kind) -> set[str]:
        """Return the places that a group is found under: its own regions, and those that contain them."""
        if not kind.place_said:
            return {_ALL, _NO_PLACE}
        around = {f"in {larger}" for place in kind.anatomy for larger in self._around(place)}
        return {_ALL, *(f"at {place}" for place in kind.anatomy), *around}

    def _sought_under(self, kind: _Kind) -> set[str]:
        """Return where to look for groups whose place can be that of a kind, as `Lexicon.one_place` has it."""
        if not kind.place_said:
            return {_ALL}
        around = {f"at {larger}" for place in kind.anatomy for larger in self._around(place)}
        return {_NO_PLACE, *around, *(f"{where} {place}" for place in kind.anatomy for where in ("at", "in"))}

    def _around(self, place: str) -> tuple[str, ...]:
        return self._lexicon.ancestors(place) if place in self._lexicon.regions else ()

    def _fits(self, mention: Finding, kind: _Kind, group: _Group) -> bool:
        """Return whether a mention contradicts no mention of a group, and is about the same thing as one of them."""
        about_the_same = False
        for other, starts in group.kinds.items():
            answer = self._answers.get((kind, other))
            if answer is None:
                answer = self._answers[kind, other] = _same_thing(kind, other, self._lexicon)
            in_one_sentence = mention.sentence_start in starts
            if answer == _NEVER or (answer == _ALTERNATIVES and not in_one_sentence):
                return False
            about_the_same = about_the_same or answer == _ALWAYS or (answer == _IN_ONE_SENTENCE and in_one_sentence)
        return about_the_same


def group_mentions(mentions: Sequence[Finding], levels: Levels, lexicon: Lexicon) -> list[list[Finding]]:
    """Return the mentions in groups; each group is about one thing."""
    grouping = _Grouping(lexicon, mentions)
    for mention in mentions:
        place_said = more_than_implied(mention, lexicon)
        discs = levels.discs(mention)
        doubted = mention.polarity == "uncertain"
        kind = _Kind(mention.finding, mention.laterality, mention.anatomy, place_said, discs, doubted, mention.places)
        grouping.add(mention, kind)
    return [group.mentions for group in grouping.groups]


def more_than_implied(finding: Finding, lexicon: Lexicon) -> bool:
    """Return whether a finding has a place beyond the one its name implies."""
    entry = lexicon.entries.get(finding.finding)
    return bool(finding.anatomy) and (entry is None or set(finding.anatomy) != set(entry.regions))


def _related(one: str, other: str, lexicon: Lexicon) -> bool:
    """Return whether one name is a kind of the other, or, if the lexicon does not list both, means the same."""
    return lexicon.related(one, other) or open_relation(one, other, lexicon) is not None


def _same_thing(one: _Kind, other: _Kind, lexicon: Lexicon) -> int:
    """Return whether mentions of two kinds are about one thing: always, never, or only in one sentence.

    Two possible causes in one sentence are alternatives: both can be about the sign that the sentence gives.
    """
    related = _related(one.finding, other.finding, lexicon)
    interprets = related or _interprets(one, other, lexicon)
    if not interprets and not (one.doubted and other.doubted):
        return _NEVER
    if not one_side(one.laterality, other.laterality):
        return _NEVER
    # the name of a fracture can say which bone it is in: a compression fracture is none of the ribs
    placed = (one.place_said and other.place_said) or ((one.place_said or other.place_said) and _of_bone(one, lexicon))
    if placed and not lexicon.one_place(one.anatomy, other.anatomy):
        return _NEVER
    if apart(one.places, other.places):
        return _NEVER
    if one.discs and other.discs and not one.discs & other.discs:
        return _NEVER
    return _ALWAYS if related else _IN_ONE_SENTENCE if interprets else _ALTERNATIVES


def _of_bone(kind: _Kind, lexicon: Lexicon) -> bool:
    return kind.finding == "fracture" or "fracture" in lexicon.more_general(kind.finding)


def _interprets(one: _Kind, other: _Kind, lexicon: Lexicon) -> bool:
    """Return whether one mention names what the other shows, if one sentence has both.

    `Consolidation in keeping with pneumonia` and `opacity consistent with a mass` are one thing. So is a sign with a
    possible cause (`bronchial wall thickening, possibly infection`), or a finding with what it may be instead. A sign
    with a certain cause is two findings: `volume loss with a raised hemidiaphragm`.
    """
    found = relation(one.finding, other.finding, lexicon)
    if found is None:
        return False
    if found.kind == SAME:
        return True
    if not found.vaguer:
        return one.doubted != other.doubted
    cause, sign = (one, other) if found.vaguer > 0 else (other, one)
    return found.kind != SIGN_OF or (cause.doubted and not sign.doubted)
