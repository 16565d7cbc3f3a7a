"""Find what can be changed in a report: its findings, the phrases around one, and the start of its noun phrase."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from radeval_core.findings.lexicon import Roles
from radeval_core.findings.perturb.checks import Check, Key, said_beside
from radeval_core.findings.perturb.edits import WORD, Edit
from radeval_core.findings.perturb.words import VERB, is_adjective, tables
from radeval_core.findings.text import normalise_form
from radeval_core.findings.types import Finding, ParsedReport


class Candidate(NamedTuple):
    """Edits that may make the change, the finding they change, and a check that they did."""

    edits: tuple[Edit, ...]
    finding: str
    fits: Check


class Phrase(NamedTuple):
    """A form of the lexicon at `text[start:end]`."""

    start: int
    end: int
    roles: Roles


def shuffled_findings(
    report: ParsedReport, rng: random.Random, kinds: Sequence[str] = ("abnormality", "disease", "device")
) -> list[Finding]:
    """Return the stated findings in random order, those stated only once first: no other mention repeats them."""
    found = [f for f in report.stated if f.kind in kinds]
    found = rng.sample(found, len(found))
    times = Counter(f.finding for f in report.stated)
    return sorted(found, key=lambda f: times[f.finding] > 1)


def alone_then_shared(
    report: ParsedReport, targets: Sequence[Finding]
) -> Iterator[tuple[Counter[Key] | None, Finding]]:
    """Yield every target to be changed alone, then again with the findings of its sentence that may change with it."""
    yield from ((None, target) for target in targets)
    yield from ((said_beside(report, target), target) for target in targets)


def phrases(report: ParsedReport, target: Finding) -> list[Phrase]:
    """Return the lexicon forms in the sentence of a finding, nearest to the finding first; the longest form wins."""
    surface, text = report.lexicon.surface, report.text
    words = [m.span() for m in WORD.finditer(text, target.sentence_start, target.sentence_end)]
    found: list[Phrase] = []
    at = 0
    while at < len(words):
        for stop in range(min(len(words), at + 5), at, -1):
            start, end = words[at][0], words[stop - 1][1]
            roles = surface(normalise_form(text[start:end]))
            # Read the words of the finding itself one by one: `left` in `left ventricular enlargement`.
            if roles is not None and not (roles.finding and stop - at > 1):
                found.append(Phrase(start, end, roles))
                at = stop
                break
        else:
            at += 1
    return sorted(found, key=lambda p: (max(target.start - p.end, p.start - target.end, 0), p.start))


def phrase_start(report: ParsedReport, target: Finding) -> int:
    """Return where the modifiers of a finding begin: `small left` in `a small left pleural effusion`."""
    text, opening, start = report.text, target.sentence_start, target.start
    barred = [p.end for p in phrases(report, target) if p.roles.finding or p.roles.cues]
    while word := re.search(r"([^\W_]+(?:-[^\W_]+)*|\d+(?:\.\d+)?)\s+$", text[opening:start]):
        if word.group(1).lower() in tables().stops or opening + word.end(1) in barred:
            break
        start = opening + word.start()
    return start


def is_noun(report: ParsedReport, target: Finding) -> bool:
    """Return whether a noun can replace a mention: `effusion`, but not `enlarged` or `calcified` before a noun."""
    if VERB.search(target.text) or is_adjective(target.text.lower()):
        return False
    rest = report.text[target.end : target.sentence_end].lstrip(" ")
    word = WORD.match(rest)
    if word is None:
        return True
    roles = report.lexicon.surface(normalise_form(word.group()))
    return roles is None or not (roles.finding or roles.region)
