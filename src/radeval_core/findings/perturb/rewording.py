"""Change a report without changing its meaning: use a synonym, or reorder the sentences."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator, Sequence

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.perturb.checks import same
from radeval_core.findings.perturb.edits import Edit, replace
from radeval_core.findings.perturb.targets import Candidate, shuffled_findings
from radeval_core.findings.perturb.words import VERB, forms_of, is_adjective, numbered
from radeval_core.findings.text import normalise_form
from radeval_core.findings.types import Finding, ParsedReport, Sentence

_BETWEEN = re.compile(r"\s+(?:(?:\(?\d{1,2}[.)]|[-*•])\s+)?")


def synonyms(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Replace a finding by a synonym."""
    for target in shuffled_findings(report, rng, kinds=("abnormality", "disease", "device", "procedure")):
        if VERB.search(target.text):
            continue
        adjective = is_adjective(target.text.lower())
        forms = [f for f in forms_of(target.finding, report.lexicon) if is_adjective(f) == adjective]
        for form in rng.sample(forms, len(forms)):
            if _is_synonym(normalise_form(form), normalise_form(target.text), target, report.lexicon):
                words = numbered(form, target.text)
                yield Candidate((replace(report.text, target.start, target.end, words),), target.finding, same)


def _is_synonym(form: Sequence[str], written: Sequence[str], target: Finding, lexicon: Lexicon) -> bool:
    """Return whether a form means the same in other words: it names no new place and is not more or less specific."""
    surface = lexicon.surface
    places = [roles.region for word in form if (roles := surface((word,))) and roles.region and word not in written]
    if any(place not in target.anatomy for place in places):
        return False
    if difflib.SequenceMatcher(None, " ".join(form), " ".join(written)).ratio() > 0.82:
        return False  # only another spelling, or a misspelling that the lexicon has
    narrower = set(form) <= set(written) or set(form) >= set(written)
    return not narrower or len(places) == len(set(form) - set(written)) > 0


def orders(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Shuffle the sentences of each section."""
    groups = [g for g in _runs(report) if len({s.text for s in g}) > 1]
    for _ in range(20 if groups else 0):
        edits: list[Edit] = []
        for group in groups:
            moved = rng.sample(group, len(group))
            edits += [Edit(a.start, a.end, b.text) for a, b in zip(group, moved, strict=True) if a.text != b.text]
        if edits:
            yield Candidate(tuple(edits), "", same)


def _runs(report: ParsedReport) -> list[list[Sentence]]:
    """Return groups of consecutive sentences of one section, with only white space and list numbers between them."""
    runs: list[list[Sentence]] = []
    for s in report.sentences:
        if runs and runs[-1][-1].section == s.section and _BETWEEN.fullmatch(report.text[runs[-1][-1].end : s.start]):
            runs[-1].append(s)
        else:
            runs.append([s])
    return runs
