"""Changes that keep the meaning: a synonym, or another order of the sentences."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator, Sequence

from radeval_core.findings.parser import default_parser
from radeval_core.findings.perturb.checks import same
from radeval_core.findings.perturb.edits import Edit, replace
from radeval_core.findings.perturb.targets import Candidate, shuffled_findings
from radeval_core.findings.perturb.words import VERB, forms_of, is_adjective, numbered
from radeval_core.findings.structures import Finding, ParsedReport, Sentence
from radeval_core.findings.text import normalise_form

_BETWEEN = re.compile(r"\s+(?:(?:\(?\d{1,2}[.)]|[-*•])\s+)?")


def synonyms(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """A synonym of a finding in its place."""
    for target in shuffled_findings(report, rng, kinds=("abnormality", "disease", "device", "procedure")):
        if VERB.search(target.text):
            continue
        adjective = is_adjective(target.text.lower())
        forms = [f for f in forms_of(target.finding) if is_adjective(f) == adjective]
        for form in rng.sample(forms, len(forms)):
            if _is_synonym(normalise_form(form), normalise_form(target.text), target):
                words = numbered(form, target.text)
                yield Candidate((replace(report.text, target.start, target.end, words),), target.finding, same)


def _is_synonym(form: Sequence[str], written: Sequence[str], target: Finding) -> bool:
    """Whether a form says the same in other words: it names no new place, and does not say more or less."""
    surface = default_parser().lexicon.surface
    places = [roles.region for word in form if (roles := surface((word,))) and roles.region and word not in written]
    if any(place not in target.anatomy for place in places):
        return False
    if difflib.SequenceMatcher(None, " ".join(form), " ".join(written)).ratio() > 0.82:
        return False  # another spelling, or a slip the lexicon knows
    narrower = set(form) <= set(written) or set(form) >= set(written)
    return not narrower or len(places) == len(set(form) - set(written)) > 0


def orders(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """The sentences of each section in another order."""
    groups = [g for g in _runs(report) if len({s.text for s in g}) > 1]
    for _ in range(20 if groups else 0):
        edits: list[Edit] = []
        for group in groups:
            moved = rng.sample(group, len(group))
            edits += [Edit(a.start, a.end, b.text) for a, b in zip(group, moved, strict=True) if a.text != b.text]
        if edits:
            yield Candidate(tuple(edits), "", same)


def _runs(report: ParsedReport) -> list[list[Sentence]]:
    """Sentences that follow each other in one section, with nothing but white space and list numbers between."""
    runs: list[list[Sentence]] = []
    for s in report.sentences:
        if runs and runs[-1][-1].section == s.section and _BETWEEN.fullmatch(report.text[runs[-1][-1].end : s.start]):
            runs[-1].append(s)
        else:
            runs.append([s])
    return runs
