"""Deny a finding that is present, or assert one that is denied."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from radeval_core.findings.perturb.checks import only
from radeval_core.findings.perturb.edits import Edit, cased, insert, next_word, replace
from radeval_core.findings.perturb.targets import Candidate, alone_then_shared, phrase_start, phrases, shuffled_findings
from radeval_core.findings.perturb.words import VERB, is_plural
from radeval_core.findings.types import Finding, ParsedReport

_LIST_BREAK = re.compile(r"\s*,\s*(?:or|and|nor)\s+|\s*,\s*|\s+(?:or|and|nor)\s+", re.IGNORECASE)


def negations(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Turn a present finding into an absent one, or the reverse."""
    targets = [f for f in shuffled_findings(report, rng) if f.polarity != "uncertain"]
    for within, target in alone_then_shared(report, targets):
        flipped = "absent" if target.polarity == "present" else "present"
        fits = only(["polarity"], target, {"polarity": flipped}, within)
        rewrite = _denials if target.polarity == "present" else _affirmations
        for edits in rewrite(report, target):
            yield Candidate(tuple(edits), target.finding, fits)


def _denials(report: ParsedReport, target: Finding) -> Iterator[list[Edit]]:
    """Yield ways to deny a finding, the most specific first."""
    text, opening = report.text, target.sentence_start
    if verb := VERB.search(text, target.start, target.end):
        yield [insert(text, verb.end(), "not ")]
    head = phrase_start(report, target)
    before = text[opening:head]
    if match := re.search(r"\b(?:consistent|compatible|in keeping) with\s+(?:an?\s+|the\s+)?$", before, re.I):
        yield [insert(text, opening + match.start(), "not ")]
    elif match := re.search(r"\bwith\s+(?:(?:an?|the|some)\s+)?$", before, re.I):
        yield [replace(text, opening + match.start(), head, "without ")]
    if re.search(r"(?<!\bthere )\b(?:is|are|was|were|appears?|remains?)\s+$", before, re.I):
        yield [insert(text, head, "not ")]
    if match := re.search(r"\b(?:an?|the|some)\s+$", before, re.I):
        yield [replace(text, opening + match.start(), head, "no ")]
    else:
        yield [insert(text, head, "no ")]
    article = re.match(r"(?:an?|the|some)\s+", before, re.I)
    yield [replace(text, opening, opening + article.end(), "no ") if article else insert(text, opening, "no ")]


def _affirmations(report: ParsedReport, target: Finding) -> Iterator[list[Edit]]:
    """Yield ways to assert a denied finding: drop the negation, or take the finding out of a list of denied ones."""
    text, start, end = report.text, target.sentence_start, target.sentence_end
    for cue in phrases(report, target):
        if cue.end <= target.start and "negate" in cue.roles.cues:
            following = next_word(text, cue.end)
            if text[cue.start : cue.end].lower() == "without":
                yield [replace(text, cue.start, cue.end, "with")]
            yield [replace(text, cue.start, following, "")]
            if cue.start == start and end - target.end <= 1:
                yield [replace(text, cue.start, following, "There is ")]
            yield from _taken_out(text, target, following)
        if cue.start >= target.end and "negate_after" in cue.roles.cues:
            yield [replace(text, cue.start, cue.end, re.sub(r"\bnot\s+", "", text[cue.start : cue.end], flags=re.I))]


def _taken_out(text: str, target: Finding, first: int) -> Iterator[list[Edit]]:
    """Move one finding from a list of denied ones into a sentence that asserts it.

    `No consolidation, effusion or pneumothorax.` becomes `No consolidation or pneumothorax. There is effusion.`.
    """
    end = target.sentence_end
    close = end - 1 if text[end - 1] in ".!?" else end
    breaks = [m.span() for m in _LIST_BREAK.finditer(text, first, close)]
    before = [b for b in breaks if b[1] <= target.start]
    after = [b for b in breaks if b[0] >= target.end]
    if not before and not after:  # no list, or only inside the finding's own words
        return
    start, stop = (before[-1][1] if before else first), (after[0][0] if after else close)
    item = text[start:stop]
    verb = "are" if is_plural(item) else "is"
    ending = "" if close < end else "."
    added = Edit(end, end, cased(text, end, f"{ending} There {verb} {item}.", keep=True))
    if not before:
        yield [replace(text, start, after[0][1], ""), added]
    else:
        edits = [Edit(before[-1][0], stop, ""), added]
        if not after and len(before) > 1:
            edits.insert(0, Edit(*before[-2], cased(text, before[-2][0], " or ", keep=True)))
        yield edits
