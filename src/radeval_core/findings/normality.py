"""Normal statements: which regions a sentence calls normal, and what that excludes."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.findings.context import Context
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import Match, side_of
from radeval_core.findings.scene import Mention
from radeval_core.findings.structures import Finding
from radeval_core.findings.text import Tokens

_COPULA = frozenset({"is", "are", "was", "were", "appear", "remain", "be", "seem", "has", "have", "been", "look", ":"})


def normal_statements(
    sentence: str,
    tokens: Tokens,
    matches: Sequence[Match],
    mentions: Sequence[Mention],
    context: Context,
    lexicon: Lexicon,
) -> list[Finding]:
    """`normal_<region>` for each region called normal, followed by the absences it implies."""
    if not any("normal" in m.roles.cues or "generic" in m.roles.cues for m in matches):
        return []
    taken = {i for m in mentions for i in range(m.start, m.end)}
    findings: list[Finding] = []
    seen: set[str] = set()
    for number, match in enumerate(matches):
        cues = match.roles.cues
        if match.start in taken or match.roles.finding or context.skipped[match.start]:
            continue
        if "normal" in cues and not context.negated[match.start] and not context.doubted[match.start]:
            regions = _subjects(tokens.words, matches, number, taken, context)
        elif "generic" in cues and context.negated[match.start]:
            regions = _adjectives(matches, number, taken, context)
        else:
            continue
        for region in regions:
            if region.roles.region not in seen:
                seen.add(region.roles.region)
                first = min(region.start, match.start)
                if "generic" in cues and first and tokens.words[first - 1] == "acute":
                    first -= 1
                start = tokens.starts[first]
                end = tokens.ends[max(region.end, match.end) - 1]
                findings += _normal(
                    lexicon,
                    sentence,
                    region.roles.region,
                    side_of(matches, region),
                    start,
                    end,
                    grave="normal" not in cues,
                )
        if not regions and "generic" in cues:
            start, end = tokens.starts[match.start], tokens.ends[match.end - 1]
            findings += _normal(lexicon, sentence, "chest", "", start, end, grave=True)
    return findings


def _subjects(
    words: Sequence[str], matches: Sequence[Match], number: int, taken: set[int], context: Context
) -> list[Match]:
    """The regions a word like `normal` speaks of: those before it in the clause, else those after it."""
    match = matches[number]
    found: list[Match] = []
    for other in reversed(matches[:number]):
        if any(context.breaks[other.end : match.start]) or any(i in taken for i in range(other.end, match.start)):
            break
        if "normal" in other.roles.cues or other.start in taken:
            break
        if other.roles.region:
            gap = words[other.end : (found[-1].start if found else match.start)]
            if found and any(w in _COPULA for w in gap):
                break
            found.append(other)
    if found:
        return found
    for other in matches[number + 1 :]:
        if any(i in taken for i in range(match.end, other.end)) or any(context.breaks[match.end : other.start]):
            break
        if other.roles.region:
            gap = words[(found[-1].end if found else match.end) : other.start]
            if len(gap) > 3 or any(w in _COPULA for w in gap):
                break
            found.append(other)
    return found


def _adjectives(matches: Sequence[Match], number: int, taken: set[int], context: Context) -> list[Match]:
    """The regions in `no acute bony abnormality` and `no abnormality of the lungs`."""
    match = matches[number]
    before = [m for m in matches[:number] if m.roles.region and m.start not in taken and match.start - m.end <= 3
              and context.negated[m.start]]  # fmt: skip
    if before:
        return before
    return [m for m in matches[number + 1 :] if m.roles.region and m.start not in taken and m.start - match.end <= 3
            and context.negated[m.start]]  # fmt: skip


def _normal(
    lexicon: Lexicon, sentence: str, region: str, side: str, start: int, end: int, grave: bool
) -> list[Finding]:
    """A normal region, and the absence of what that excludes.

    Args:
        lexicon: the lexicon.
        sentence: the sentence.
        region: the region that is normal.
        side: its side, if its form says one.
        start: where the statement begins in the sentence.
        end: where it ends.
        grave: only urgent and actionable findings are excluded: `no acute disease` says little of the rest.
    """
    place = lexicon.regions[region]
    said = ((), None, "benign", start, end, sentence[start:end], 0, len(sentence))
    found = [Finding(f"normal_{region}", "normality", "present", (region,), side or None, None, *said)]
    for name in place.excludes:
        entry = lexicon.entries[name]
        if not grave or entry.significance in ("urgent", "actionable"):
            denied = ((), None, entry.significance, *said[3:])
            found.append(Finding(name, entry.kind, "absent", (region,), side or None, None, *denied, implied=True))
    return found
