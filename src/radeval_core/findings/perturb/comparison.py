"""State a change since an earlier study that the report does not state, or leave one out."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from radeval_core.findings.perturb.checks import only
from radeval_core.findings.perturb.edits import Edit, insert, next_word, replace
from radeval_core.findings.perturb.targets import Candidate, Phrase, is_noun, phrase_start, phrases, shuffled_findings
from radeval_core.findings.perturb.words import VERB
from radeval_core.findings.types import ParsedReport

#: words that state a change, and how the parser reads them
_ADDED = {"new": "new", "unchanged": "unchanged", "worsening": "increased"}
#: `, unchanged from the prior study`, `, which has progressed`: from its comma to the end of the clause
_CLAUSE_START = re.compile(r",\s*[^,.;:\n]*$")
_CLAUSE_END = re.compile(r"[^,.;:\n]*")
#: `is unchanged from the prior study`, `has increased`
_STATED = re.compile(r"\b(is|are|was|were|has|have|remains?|appears?)\s+(?:\w+ly\s+)?$", re.IGNORECASE)
#: what is left of a comparison whose change was removed: `since the prior study`
_COMPARES = re.compile(r"\b(?:since|prior|previous|earlier|compar\w+|interval)\b", re.IGNORECASE)
_PLURAL = ("are", "were", "have", "remain", "appear")


def added_comparisons(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Call a finding new, unchanged or worse, of which the report gives no change."""
    for target in shuffled_findings(report, rng, kinds=("abnormality", "disease")):
        if target.polarity == "absent" or target.change or VERB.search(target.text) or not is_noun(report, target):
            continue
        start = phrase_start(report, target)
        for word, change in rng.sample(sorted(_ADDED.items()), len(_ADDED)):
            fits = only(["change"], target, {"change": change})
            yield Candidate((insert(report.text, start, f"{word} "),), target.finding, fits)


def dropped_comparisons(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Leave out what the report says about the change of a finding."""
    for target in shuffled_findings(report, rng):
        if target.polarity == "absent" or target.change in (None, "resolved"):
            continue
        fits = only(["change"], target, {"change": None})
        for phrase in phrases(report, target):
            if phrase.roles.change:
                edits = _without(report, phrase, target.sentence_start, target.sentence_end)
                yield from (Candidate((edit,), target.finding, fits) for edit in edits)


def _without(report: ParsedReport, phrase: Phrase, opening: int, closing: int) -> Iterator[Edit]:
    """Yield edits that remove a phrase: its clause, its verb, or the word alone."""
    text = report.text
    end = _CLAUSE_END.match(text, phrase.end, closing).end()  # type: ignore[union-attr]
    before = text[opening : phrase.start]
    if clause := _CLAUSE_START.search(before):
        yield Edit(opening + clause.start(), end, "")
    if verb := _STATED.search(before):
        seen = "are seen" if verb.group(1).lower() in _PLURAL else "is seen"
        yield Edit(opening + verb.start(), end, seen)
    if not _COMPARES.search(before + text[phrase.end : closing]):
        yield replace(text, phrase.start, next_word(text, phrase.end), "")
