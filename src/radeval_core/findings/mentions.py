"""Find the findings a sentence mentions: by name, or by a describing word near a region."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.findings.context import Context
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch
from radeval_core.findings.scene import Mention

#: maximum number of words between a describing word and its region
_REACH = 10
_LISTING = frozenset({"and", "or", "/", "&", ","})
_SINCE = frozenset({"since", "from", "compared", "when", "in"})
_COPULA = frozenset({"is", "are", "was", "were", "appear", "remain", "be", "seem"})
#: words between a preposition and its noun
_BEFORE_NOUN = frozenset({"the", "a", "an", "this", "these", "left", "right", "both", "bilateral", "and", "or", ","})


def find_mentions(
    words: Sequence[str], matches: Sequence[FormMatch], context: Context, lexicon: Lexicon
) -> list[Mention]:
    """Return all mentions of a sentence in order, still without modifiers."""
    mentions = [
        Mention(m.start, m.end, m.start, m.roles.finding, m.roles.form_side) for m in matches if m.roles.finding
    ]
    mentions = _joined(words, mentions, lexicon)
    regions = [m for m in matches if m.roles.region]
    for match in matches:
        if match.roles.describes and not _compares(words, match):
            described = _described(words, match, regions, context, lexicon)
            if described is not None:
                mentions = [m for m in mentions if (m.start, m.end) != (match.start, match.end)]
                mentions.append(described)
                mentions.sort(key=lambda m: (m.start, m.end))
    return _without_bare_regions(words, mentions, regions, context, lexicon)


def _without_bare_regions(
    words: Sequence[str],
    mentions: list[Mention],
    regions: Sequence[FormMatch],
    context: Context,
    lexicon: Lexicon,
) -> list[Mention]:
    """Drop a region that is itself a finding (a lymph node) where it is only the place or the subject of another one.

    Examples: `enlarged lymph node`, `calcification in a lymph node`.
    """
    if not mentions or not regions:
        return mentions
    spans = {(m.start, m.end) for m in regions}
    bare = [m for m in mentions if (m.start, m.end) in spans]
    if not bare:
        return mentions
    phrases = {m.end: m.start for m in regions}
    dropped = []
    for mention in bare:
        others = [m for m in mentions if m is not mention]
        same = [m for m in others if m.start <= mention.start and mention.end <= m.end]
        at = mention.start
        while at > 0 and (at in phrases or words[at - 1] in _BEFORE_NOUN):
            at = phrases.get(at, at - 1)
        located = at > 0 and words[at - 1] in lexicon.words["locate"] and words[at - 1] != "of"
        described = any(m.end == at for m in others) or (
            at > 0 and words[at - 1] == "of" and any(m.end == at - 1 for m in others)
        )
        if located or described or any(context.negated[m.head] == context.negated[mention.head] for m in same):
            dropped.append(mention)
    return [m for m in mentions if m not in dropped]


def _compares(words: Sequence[str], match: FormMatch) -> bool:
    """Return whether a word compares with an earlier study and so describes no place: `, increased since May`."""
    return (
        bool(match.roles.change)
        and match.start > 0
        and words[match.start - 1] == ","
        and _SINCE.issuperset(words[match.end : match.end + 1] or ("",))
    )


def called_normal(words: Sequence[str], matches: Sequence[FormMatch], mention: Mention, lexicon: Lexicon) -> bool:
    """Return whether a finding is called normal, which denies it: `vascular engorgement is within normal limits`."""
    if lexicon.entries[mention.finding].kind not in ("abnormality", "disease"):
        return False  # wires that are intact are still present
    at = mention.end
    while at < len(words) and words[at] in _COPULA:
        at += 1
    return at > mention.end and any(m.start == at and "normal" in m.roles.cues for m in matches)


def _joined(words: Sequence[str], mentions: list[Mention], lexicon: Lexicon) -> list[Mention]:
    """Merge an adjective and its noun, with words between them, into one finding: `calcified left hilar granuloma`."""
    verbs, locate = lexicon.words["verb"], lexicon.words["locate"]
    kept: list[Mention] = []
    for mention in mentions:
        last = kept[-1] if kept else None
        if last is not None and (together := lexicon.apart.get((last.finding, mention.finding))):
            between = words[last.end : mention.start]
            if len(between) <= 6 and not any(w in verbs or w in locate or w in ",;" for w in between):
                kept[-1] = Mention(last.start, mention.end, mention.start, together, mention.side)
                continue
        kept.append(mention)
    return kept


def _described(
    words: Sequence[str], match: FormMatch, regions: Sequence[FormMatch], context: Context, lexicon: Lexicon
) -> Mention | None:
    """Return the finding made by a describing word and the nearest region it can describe, or None."""
    best: tuple[int, FormMatch, str] | None = None
    labelled = _label_allows(words, match, regions)
    for region in regions:
        gap = match.start - region.end if region.end <= match.start else region.start - match.end
        between = range(min(region.end, match.end), max(region.start, match.start))
        if gap > _REACH or any(context.breaks[i] for i in between):
            continue
        # Of two equally near regions, a word describes the one after it.
        score = 2 * gap + (0 if region.start >= match.end else 1)
        if any(words[i] in ("and", ",", "with") for i in between):
            score += 8
        if labelled and region.start >= match.end:
            score += 2 * _REACH
        name = region.roles.region
        if any(_describes_head(match, head) for head in _heads(words, region, regions)):
            continue
        chain = {name, *lexicon.ancestors(name)[:1]}
        for allowed, finding in match.roles.describes:
            if chain & allowed:
                rank = 2 * score + (0 if name in allowed else 1)  # a region's own rule wins over one of a larger region
                if best is None or rank < best[0]:
                    best = (rank, region, finding)
    if best is None:
        return None
    _, region, finding = best
    named = [region.roles.region]
    before = next((r for r in regions if r.end == region.start), None)
    if before is not None:  # `mediastinal lymph node`
        named.append(before.roles.region)
        special = [f for allowed, f in match.roles.describes if before.roles.region in allowed]
        finding = next((f for f in special if finding in lexicon.more_general(f)), finding)
    start, end = min(region.start, match.start), max(region.end, match.end)
    return Mention(start, end, match.start, finding, "", named)


def _label_allows(words: Sequence[str], match: FormMatch, regions: Sequence[FormMatch]) -> bool:
    """Return whether a word describes the region of the label before it: `Cartilage: loss in the knee`."""
    label = regions[0] if regions else None
    if label is None or label.start or label.end >= match.start or words[label.end] != ":":
        return False
    return any(label.roles.region in allowed for allowed, _ in match.roles.describes)


def _heads(words: Sequence[str], region: FormMatch, regions: Sequence[FormMatch]) -> list[FormMatch]:
    """Return the nouns that a region is an adjective of, also in a list: `hilar or mediastinal nodes`."""
    found: list[FormMatch] = []
    for other in regions:
        if other.start == region.end:
            found.append(other)
            region = other
        elif other.start == region.end + 1 and words[region.end] in _LISTING and not found:
            region = other
    return found


def _describes_head(match: FormMatch, head: FormMatch) -> bool:
    """Return whether a word describes the last noun of a compound: nodes, not the mediastinum, are enlarged.

    Example: `enlarged mediastinal lymph nodes`.
    """
    return any(head.roles.region in allowed for allowed, _ in match.roles.describes)
