"""Name a finding by its place: a cyst in the kidney is a renal cyst, a catheter in the pelvis is no chest tube."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch
from radeval_core.findings.scene import Mention

#: regions found in every part of the body
ANYWHERE = frozenset({"bone", "vascular", "lymph_node", "soft_tissue", "joint"})

#: maximum number of words between an adjective and its noun, and the endings of those that are not in the lexicon
_ADJECTIVES, _ENDINGS = 4, ("al", "ar", "ic")


def part_of_body(lexicon: Lexicon, region: str) -> str:
    """Return the largest region that contains a region: the lung is in the chest."""
    larger = lexicon.ancestors(region)
    return larger[-1] if larger else region


def name_by_adjective(
    words: Sequence[str], matches: Sequence[FormMatch], mentions: list[Mention], lexicon: Lexicon
) -> None:
    """Give mentions the special name that an adjective makes with them, also with side or place between.

    Example: `chronic right parietal infarct` is a chronic infarct.
    """
    modifiers = {m.end: m.start for m in matches if m.roles.side or m.roles.region or m.roles.severity}
    if not modifiers:
        return
    for mention in mentions:
        at = mention.start
        for _ in range(_ADJECTIVES):
            if at not in modifiers and not (at and words[at - 1].endswith(_ENDINGS)):
                break
            at = modifiers.get(at, at - 1)
            roles = lexicon.surface((words[at - 1], *words[mention.start : mention.end])) if at else None
            if roles is not None and mention.finding in lexicon.more_general(roles.finding):
                mention.finding = roles.finding
                break


def name_by_place(matches: Sequence[FormMatch], mentions: list[Mention], lexicon: Lexicon) -> list[Mention]:
    """Return the mentions with the names they have in their places, without those that are no finding there."""
    kept: list[Mention] = []
    for mention in mentions:
        if mention.anatomy and mention.finding in lexicon.special:
            mention.finding = _special(mention.finding, mention.anatomy, lexicon)
        if mention.finding in lexicon.elsewhere and _elsewhere(matches, mention, lexicon):
            mention.finding = lexicon.elsewhere[mention.finding]
        if mention.finding:
            kept.append(mention)
    return kept


def _special(finding: str, places: Sequence[str], lexicon: Lexicon) -> str:
    """Return the special form of a finding in these places, or the finding if they have none in common."""
    rules = lexicon.special[finding]
    for depth in (0, 1):  # a rule for the place itself comes before one for the larger region it is in
        for regions, name in rules:
            inside = [p for p in places if regions & {p, *lexicon.ancestors(p)[:depth]}]
            larger = {region for place in inside for region in lexicon.ancestors(place)} | ANYWHERE
            if inside and all(place in inside or place in larger for place in places):
                return name
    return finding


def _elsewhere(matches: Sequence[FormMatch], mention: Mention, lexicon: Lexicon) -> bool:
    """Return whether a sentence names places, but none in the part of the body that a finding belongs to."""
    regions = [m.roles.region for m in matches if m.roles.region and not mention.start <= m.start < mention.end]
    return is_elsewhere(mention.finding, (part_of_body(lexicon, region) for region in regions), lexicon)


def is_elsewhere(finding: str, parts: Iterable[str], lexicon: Lexicon) -> bool:
    """Return whether these parts of the body are known, and the finding belongs to none of them."""
    named = set(parts) - ANYWHERE
    usual = {part_of_body(lexicon, region) for region in lexicon.entries[finding].regions}
    return bool(named) and named.isdisjoint(usual)
