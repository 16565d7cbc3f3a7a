"""Which lexicon forms stand where in a sentence: longest first, from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.findings.lexicon import Lexicon, Roles

_LISTING = frozenset({"and", "or", "/", "&"})


@dataclass(frozen=True, slots=True)
class Match:
    """A lexicon form at tokens `start` to `end` (exclusive)."""

    start: int
    end: int
    roles: Roles


def find_forms(words: Sequence[str], lexicon: Lexicon) -> list[Match]:
    """All matches, none overlapping another."""
    tree = lexicon.tree
    found: list[Match] = []
    position, size = 0, len(words)
    while position < size:
        node = tree.get(words[position])
        if node is None:
            position += 1
            continue
        at, longest = position + 1, position
        roles: Roles | None = None
        while node is not None:
            if node.roles is not None:
                longest, roles = at, node.roles
            node = node.next.get(words[at]) if at < size and node.next else None
            at += 1
        if roles is None:
            position += 1
        else:
            found.append(Match(position, longest, roles))
            position = longest
    if "l" in words or "r" in words:
        found = _without_levels(words, found)
    return found if _LISTING.isdisjoint(words) else _shared_heads(words, found, lexicon)


def side_of(matches: Sequence[Match], region: Match) -> str:
    """The side of a region: the word before it, or in its own form; empty where neither says one."""
    before = (m.roles.side for m in matches if m.roles.side and m.end == region.start)
    return next(before, "") or region.roles.form_side


def _without_levels(words: Sequence[str], found: list[Match]) -> list[Match]:
    """`L4` is a vertebra, not the left side."""
    return [
        m for m in found
        if not (words[m.start] in ("l", "r") and m.end < len(words) and m.end - m.start == 1
                and words[m.end][0].isdigit())
    ]  # fmt: skip


def _shared_heads(words: Sequence[str], found: list[Match], lexicon: Lexicon) -> list[Match]:
    """Add what lists leave out: `upper and lower lobes`, `pericardial or pleural effusion`."""
    taken = {i for m in found for i in range(m.start, m.end)}
    added: list[Match] = []
    for number, match in enumerate(found):
        before = match.start - 2
        if before < 0 or words[match.start - 1] not in _LISTING:
            continue
        # In `right middle and right lower lobe` the head follows the side.
        head = found[number + 1] if match.roles.side and number + 1 < len(found) else match
        if head.roles.region and before not in taken:
            tail = words[head.start + 1 : head.end]
            roles = lexicon.surface((words[before], *tail))
            if tail and roles is not None and roles.region:
                added.append(Match(before, before + 1, roles))
        elif head.roles.finding and number and found[number - 1].end == match.start - 1:
            first = found[number - 1]
            roles = lexicon.surface((*words[first.start : first.end], words[head.end - 1]))
            if first.roles.region and roles is not None and roles.finding and roles.finding != head.roles.finding:
                found[number - 1] = Match(first.start, first.end, roles)
    return sorted([*found, *added], key=lambda m: m.start) if added else found
