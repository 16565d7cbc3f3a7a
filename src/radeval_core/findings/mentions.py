"""Which findings a sentence mentions: by their own words, or by a describing word beside a region."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.findings.context import Context
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import Match
from radeval_core.findings.scene import Mention

#: words between a describing word and its region, at most
_REACH = 10
_COPULA = frozenset({"is", "are", "was", "were", "appear", "remain", "be", "seem"})


def find_mentions(words: Sequence[str], matches: Sequence[Match], context: Context, lexicon: Lexicon) -> list[Mention]:
    """All mentions, in order, without modifiers."""
    mentions = [
        Mention(m.start, m.end, m.start, m.roles.finding, m.roles.form_side) for m in matches if m.roles.finding
    ]
    mentions = _joined(words, mentions, lexicon)
    regions = [m for m in matches if m.roles.region]
    for match in matches:
        if match.roles.describes:
            described = _described(words, match, regions, context, lexicon)
            if described is not None:
                mentions = [m for m in mentions if (m.start, m.end) != (match.start, match.end)]
                mentions.append(described)
    mentions.sort(key=lambda m: (m.start, m.end))
    return mentions


def called_normal(words: Sequence[str], matches: Sequence[Match], mention: Mention, lexicon: Lexicon) -> bool:
    """`vascular engorgement is within normal limits` denies it."""
    if lexicon.entries[mention.finding].kind not in ("abnormality", "disease"):
        return False  # intact wires are there
    at = mention.end
    while at < len(words) and words[at] in _COPULA:
        at += 1
    return at > mention.end and any(m.start == at and "normal" in m.roles.cues for m in matches)


def _joined(words: Sequence[str], mentions: list[Mention], lexicon: Lexicon) -> list[Mention]:
    """`calcified left hilar granuloma`: an adjective and its noun, apart, as the one finding they are."""
    verbs = lexicon.words["verb"] | lexicon.words["locate"]
    kept: list[Mention] = []
    for mention in mentions:
        last = kept[-1] if kept else None
        if last is not None and (together := lexicon.apart.get((last.finding, mention.finding))):
            between = words[last.end : mention.start]
            if len(between) <= 6 and not any(w in verbs or w in ",;" for w in between):
                kept[-1] = Mention(last.start, mention.end, mention.start, together, mention.side)
                continue
        kept.append(mention)
    return kept


def _described(
    words: Sequence[str], match: Match, regions: Sequence[Match], context: Context, lexicon: Lexicon
) -> Mention | None:
    """A finding made by a describing word and the nearest region it can describe."""
    best: tuple[int, Match, str] | None = None
    for region in regions:
        gap = match.start - region.end if region.end <= match.start else region.start - match.end
        between = range(min(region.end, match.end), max(region.start, match.start))
        if gap > _REACH or any(context.breaks[i] for i in between):
            continue
        # A word before a region describes that one rather than an equally near one before it.
        score = 2 * gap + (0 if region.start >= match.end else 1)
        if any(words[i] in ("and", ",", "with") for i in between):
            score += 8
        name = region.roles.region
        chain = {name, *lexicon.ancestors(name)[:1]}
        for allowed, finding in match.roles.describes:
            if chain & allowed:
                rank = 2 * score + (0 if name in allowed else 1)  # its own rule before that of a larger region
                if best is None or rank < best[0]:
                    best = (rank, region, finding)
    if best is None:
        return None
    _, region, finding = best
    start, end = min(region.start, match.start), max(region.end, match.end)
    return Mention(start, end, match.start, finding, "", [region.roles.region])
