"""Find the lexicon forms in a sentence, from left to right; at each token the longest form wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from radeval_core.findings.lexicon import Lexicon, Roles

_LISTING = frozenset({"and", "or", "/", "&"})


@dataclass(slots=True)  # not frozen: a report has dozens, and a frozen one takes three times as long to build
class FormMatch:
    """A lexicon form at tokens `start` to `end` (exclusive). It is never changed."""

    start: int
    end: int
    roles: Roles


def find_forms(words: Sequence[str], lexicon: Lexicon) -> list[FormMatch]:
    """Return all forms in a sentence; they do not overlap."""
    tree = lexicon.tree
    found: list[FormMatch] = []
    position, size = 0, len(words)
    while position < size:
        node = tree.get(words[position])
        if node is None:
            position += 1
            continue
        at = longest = position + 1
        roles = node.roles
        while node.next and at < size and (node := node.next.get(words[at])) is not None:
            at += 1
            if node.roles is not None:
                longest, roles = at, node.roles
        if roles is not None:
            found.append(FormMatch(position, longest, roles))
            position = longest
        else:
            position += 1
    if "l" in words or "r" in words:
        found = _without_levels(words, found)
    if "either" in words:
        found = _without_either(words, found)
    return found if _LISTING.isdisjoint(words) else _shared_heads(words, found, lexicon)


def side_of(matches: Sequence[FormMatch], region: FormMatch) -> str:
    """Return the side of a region, from the word before it or from its own form; empty if neither gives one."""
    before = (m.roles.side for m in matches if m.roles.side and m.end == region.start)
    return next(before, "") or region.roles.form_side


def _without_levels(words: Sequence[str], found: list[FormMatch]) -> list[FormMatch]:
    """Drop `l` and `r` before a digit: `L4` is a vertebra, not the left side."""
    return [
        m for m in found
        if not (words[m.start] in ("l", "r") and m.end < len(words) and m.end - m.start == 1
                and words[m.end][0].isdigit())
    ]  # fmt: skip


def _without_either(words: Sequence[str], found: list[FormMatch]) -> list[FormMatch]:
    """Give `either` one meaning: both sides before a place (`in either lung`), else doubt (`either A or B`)."""
    places = {m.start for m in found if m.roles.region}
    both, doubt = Roles(side="bilateral"), Roles(cues={"doubt"})
    alone = {m.start for m in found if m.end == m.start + 1 and words[m.start] == "either"}
    nouns = {i for i, word in enumerate(words) if word in ("side", "one")}
    return [m if m.start not in alone else replace(m, roles=both if m.end in places | nouns else doubt) for m in found]


def _shared_heads(words: Sequence[str], found: list[FormMatch], lexicon: Lexicon) -> list[FormMatch]:
    """Add the nouns that lists leave out: `upper and lower lobes`, `pericardial or pleural effusion`."""
    added: list[FormMatch] = []
    for number, match in enumerate(found):
        before = match.start - 2
        if before < 0 or words[match.start - 1] not in _LISTING:
            continue
        # In `right middle and right lower lobe` the shared noun comes after the second side.
        head = found[number + 1] if match.roles.side and number + 1 < len(found) else match
        if head.roles.region and not any(m.start <= before < m.end for m in found):
            tail = words[head.start + 1 : head.end]
            roles = lexicon.surface((words[before], *tail))
            if tail and roles is not None and roles.region:
                added.append(FormMatch(before, before + 1, roles))
        elif head.roles.finding and number and found[number - 1].end == match.start - 1:
            first = found[number - 1]
            roles = lexicon.surface((*words[first.start : first.end], words[head.end - 1]))
            if first.roles.region and roles is not None and roles.finding and roles.finding != head.roles.finding:
                found[number - 1] = FormMatch(first.start, first.end, roles)
    return sorted([*found, *added], key=lambda m: m.start) if added else found
