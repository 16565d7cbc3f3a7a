"""Group the mentions of a report that are about the same thing: `opacity … this consolidation`.

A mention joins the first group whose mentions are all about the same thing. Only groups of a near finding on a possible
side are tried, and mentions that differ in nothing that decides share one result, so long reports take linear time in
practice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from radeval_core.findings.fine_places import apart
from radeval_core.findings.kindred import kin, near_names, one_side
from radeval_core.findings.levels import Levels
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_match import compare_names
from radeval_core.findings.types import Finding

_NEVER, _IN_ONE_SENTENCE, _ALWAYS = range(3)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What decides whether two mentions are about the same thing, apart from their sentences."""

    finding: str
    laterality: str | None
    anatomy: tuple[str, ...]
    place_said: bool
    discs: frozenset[str]
    places: tuple[str, ...] = ()


@dataclass(slots=True)
class _Group:
    """Mentions of one thing; per kind, the start of their sentence, or None if there are several sentences."""

    mentions: list[Finding] = field(default_factory=list)
    kinds: dict[_Kind, int | None] = field(default_factory=dict)

    def add(self, mention: Finding, kind: _Kind) -> None:
        self.mentions.append(mention)
        start = mention.sentence_start
        self.kinds[kind] = start if self.kinds.get(kind, start) == start else None


class _Grouping:
    """The groups found so far."""

    def __init__(self, lexicon: Lexicon, mentions: Sequence[Finding]) -> None:
        self.groups: list[_Group] = []
        self._lexicon = lexicon
        self._sides = {mention.laterality for mention in mentions}
        self._near = near_names((mention.finding for mention in mentions), lexicon)
        #: findings whose kin are related to them anyway, so that the sentence decides nothing
        self._sentence_free = {
            name
            for name, near in self._near.items()
            if all(lexicon.related(name, n) or _one_open_thing(name, n, lexicon) for n in near)
        }
        #: numbers of the groups, by finding and side of their first mention
        self._by_first: dict[tuple[str, str | None], list[int]] = {}
        #: the group of each kind that joins a group whatever the sentence; groups only grow, so it stays the first one
        self._home: dict[_Kind, _Group] = {}
        self._answers: dict[tuple[_Kind, _Kind], int] = {}

    def add(self, mention: Finding, kind: _Kind) -> None:
        home = self._home.get(kind) or self._first(mention, kind)
        if home is None:
            home = _Group()
            self._by_first.setdefault((kind.finding, kind.laterality), []).append(len(self.groups))
            self.groups.append(home)
        home.add(mention, kind)
        if kind.finding in self._sentence_free:
            self._home[kind] = home

    def _first(self, mention: Finding, kind: _Kind) -> _Group | None:
        numbers = sorted(self._candidates(kind))
        return next((self.groups[i] for i in numbers if self._fits(mention, kind, self.groups[i])), None)

    def _candidates(self, kind: _Kind) -> Iterator[int]:
        sides = [side for side in self._sides if one_side(kind.laterality, side)]
        for name in self._near[kind.finding]:
            for side in sides:
                yield from self._by_first.get((name, side), ())

    def _fits(self, mention: Finding, kind: _Kind, group: _Group) -> bool:
        for other, start in group.kinds.items():
            answer = self._answers.get((kind, other))
            if answer is None:
                answer = self._answers[kind, other] = _same_thing(kind, other, self._lexicon)
            if answer == _NEVER or (answer == _IN_ONE_SENTENCE and start != mention.sentence_start):
                return False
        return True


def group_mentions(mentions: Sequence[Finding], levels: Levels, lexicon: Lexicon) -> list[list[Finding]]:
    """Return the mentions in groups; each group is about one thing."""
    grouping = _Grouping(lexicon, mentions)
    for mention in mentions:
        place_said = more_than_implied(mention, lexicon)
        discs = levels.discs(mention)
        kind = _Kind(mention.finding, mention.laterality, mention.anatomy, place_said, discs, mention.places)
        grouping.add(mention, kind)
    return [group.mentions for group in grouping.groups]


def more_than_implied(finding: Finding, lexicon: Lexicon) -> bool:
    """Return whether a finding has a place beyond the one its name implies."""
    entry = lexicon.entries.get(finding.finding)
    return bool(finding.anatomy) and (entry is None or set(finding.anatomy) != set(entry.regions))


def _one_open_thing(one: str, other: str, lexicon: Lexicon) -> bool:
    """Return whether two names, of which the lexicon does not list one, mean the same."""
    if one in lexicon.entries and other in lexicon.entries:
        return False
    return compare_names(one, other).value > 0


def _same_thing(one: _Kind, other: _Kind, lexicon: Lexicon) -> int:
    """Return whether mentions of two kinds are about one thing: always, never, or only in one sentence."""
    related = lexicon.related(one.finding, other.finding) or _one_open_thing(one.finding, other.finding, lexicon)
    # in one sentence this also holds for findings used interchangeably: `consolidation in keeping with pneumonia`
    if not related and not kin(one.finding, other.finding):
        return _NEVER
    if not one_side(one.laterality, other.laterality):
        return _NEVER
    if one.place_said and other.place_said and not lexicon.one_place(one.anatomy, other.anatomy):
        return _NEVER
    if apart(one.places, other.places):
        return _NEVER
    if one.discs and other.discs and not one.discs & other.discs:
        return _NEVER
    return _ALWAYS if related else _IN_ONE_SENTENCE
