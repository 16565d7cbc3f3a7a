"""Read normal statements: the regions a sentence calls normal, and the findings that excludes."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.findings.context import Context
from radeval_core.findings.coverage import without_content
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch, side_of
from radeval_core.findings.scene import Mention
from radeval_core.findings.special import part_of_body
from radeval_core.findings.text import Tokens
from radeval_core.findings.types import Finding

_LOSSES = frozenset({"loss", "reversal", "straightening", "effacement", "absence", "disruption", "obliteration"})
#: the name of a normal statement about the whole study, if it is not known what the study shows
STUDY = "normal_study"
#: what can be said of a whole study; `intact` or `midline` cannot
_OF_A_STUDY = frozenset(
    {"normal", "unremarkable", "within normal limit", "within normal range", "normal limit", "wnl", "nad", "negative"}
)
_COPULA = frozenset({"is", "are", "was", "were", "appear", "remain", "be", "seem", "has", "have", "been", "look", ":"})


def normal_statements(
    sentence: str,
    tokens: Tokens,
    matches: Sequence[FormMatch],
    mentions: Sequence[Mention],
    context: Context,
    lexicon: Lexicon,
) -> list[Finding]:
    """Return `normal_<region>` for each region called normal, each followed by the absent findings it implies."""
    if not any("normal" in m.roles.cues or "generic" in m.roles.cues for m in matches):
        return []
    taken = {i for m in mentions for i in range(m.start, m.end)}
    findings: list[Finding] = []
    seen: set[str] = set()
    for number, match in enumerate(matches):
        cues = match.roles.cues
        if match.start in taken or match.roles.finding or context.skipped[match.start]:
            continue
        if "normal" in cues and _lost(tokens.words, match.start):
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
                findings += normal_region(
                    lexicon,
                    sentence,
                    region.roles.region,
                    side_of(matches, region),
                    start,
                    end,
                    grave="normal" not in cues,
                )
        start, end = tokens.starts[match.start], tokens.ends[match.end - 1]
        if not regions and "normal" in cues and _is_about_the_study(tokens.words, match):
            findings.append(_normal_study(sentence, start, end))
        elif not regions and "generic" in cues:
            findings += _sweeping(lexicon, sentence, tokens.words, matches, match, taken, start, end)
    return findings


def _is_about_the_study(words: Sequence[str], match: FormMatch) -> bool:
    """Return whether a sentence says no more than that the study is normal, such as `Negative study`."""
    if " ".join(words[match.start : match.end]) not in _OF_A_STUDY:
        return False
    rest = (*words[: match.start], *words[match.end :])
    return ":" not in rest and without_content(rest)


def _lost(words: Sequence[str], at: int) -> bool:
    """Return whether what is normal is no longer there: `loss of the normal lordosis`."""
    before = words[max(0, at - 3) : at]
    return "of" in before and not _LOSSES.isdisjoint(before)


def _sweeping(
    lexicon: Lexicon,
    sentence: str,
    words: Sequence[str],
    matches: Sequence[FormMatch],
    match: FormMatch,
    taken: set[int],
    start: int,
    end: int,
) -> list[Finding]:
    """Return what a denial without a place denies: `CT of the head showed no acute lesion`.

    It is about the part of the body the sentence names. If the sentence names none, it is about the study
    (`normal_study`), and the parser finds out what the study shows; a label such as `Skin:` is about neither.
    """
    places = [m for m in matches if m.roles.region and m.start not in taken]
    if places:
        nearest = min(places, key=lambda m: max(m.start - match.end, match.start - m.end))
        return normal_region(lexicon, sentence, part_of_body(lexicon, nearest.roles.region), "", start, end, grave=True)
    if len(words) > 1 and ":" in words[1:4]:
        return []
    return [_normal_study(sentence, start, end)]


def _normal_study(sentence: str, start: int, end: int) -> Finding:
    said = ((), None, "benign", start, end, sentence[start:end], 0, len(sentence))
    return Finding(STUDY, "normality", "present", (), None, None, *said)


def _subjects(
    words: Sequence[str], matches: Sequence[FormMatch], number: int, taken: set[int], context: Context
) -> list[FormMatch]:
    """Return the regions that a word like `normal` describes: those before it in the clause, else those after it."""
    match = matches[number]
    found: list[FormMatch] = []
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


def _adjectives(matches: Sequence[FormMatch], number: int, taken: set[int], context: Context) -> list[FormMatch]:
    """Return the regions of a denied generic word: `no acute bony abnormality`, `no abnormality of the lungs`."""
    match = matches[number]
    before = [m for m in matches[:number] if m.roles.region and m.start not in taken and match.start - m.end <= 3
              and context.negated[m.start]]  # fmt: skip
    if before:
        return before
    return [m for m in matches[number + 1 :] if m.roles.region and m.start not in taken and m.start - match.end <= 3
            and not any(context.breaks[match.end : m.start])]  # fmt: skip


def normal_region(
    lexicon: Lexicon, sentence: str, region: str, side: str, start: int, end: int, grave: bool
) -> list[Finding]:
    """Return the finding for a normal region, and the absent findings it implies.

    Args:
        lexicon: the lexicon.
        sentence: the sentence.
        region: the normal region.
        side: its side, or empty.
        start: where the statement begins in the sentence.
        end: where it ends.
        grave: exclude only urgent and actionable findings: `no acute disease` does not exclude minor ones.
    """
    places, laterality = (region,), side or None
    said = (start, end, sentence[start:end], 0, len(sentence))
    found = [Finding(f"normal_{region}", "normality", "present", places, laterality, None, (), None, "benign", *said)]
    for entry in map(lexicon.entries.__getitem__, lexicon.regions[region].excludes):
        if not grave or entry.significance in ("urgent", "actionable"):
            significance = entry.significance
            found.append(
                Finding(entry.name, entry.kind, "absent", places, laterality, None, (), None, significance, *said, True)
            )
    return found
