"""Replace a finding by another, drop a sentence, or add a false one."""

from __future__ import annotations

import random
from collections.abc import Iterator

from radeval_core.findings.perturb.checks import only, only_gone, only_new, said_beside
from radeval_core.findings.perturb.edits import Edit, next_word, replace, shouts
from radeval_core.findings.perturb.targets import Candidate, is_noun, shuffled_findings
from radeval_core.findings.perturb.words import family, is_adjective, is_plural, name_words, numbered
from radeval_core.findings.types import ParsedReport


def other_findings(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Replace a finding by another of the same kind and place."""
    lexicon = report.lexicon
    said = {f.finding for f in report.findings}
    for target in shuffled_findings(report, rng, kinds=("abnormality", "disease", "device")):
        if not is_noun(report, target):
            continue
        entry, places = lexicon.entries[target.finding], family(target.finding, lexicon)
        others = [
            e.name
            for e in lexicon.entries.values()
            if e.kind == entry.kind
            and places & family(e.name, lexicon)
            and e.name not in said
            and not lexicon.related(e.name, entry.name)
        ]
        for other in rng.sample(others, min(12, len(others))):
            words = name_words(other, lexicon)
            if words and not is_adjective(words):
                words = numbered(words, target.text)
                # If the report gives no place, the implied place changes with the finding.
                fits = only(["finding", "anatomy"], target, {"finding": other})
                yield Candidate((replace(report.text, target.start, target.end, words),), other, fits)


def omissions(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Drop one sentence."""
    text = report.text
    if len(report.sentences) < 2:
        return
    for target in shuffled_findings(report, rng, kinds=("abnormality", "disease", "device", "procedure", "normality")):
        start, end = target.sentence_start, target.sentence_end
        dropped = said_beside(report, target)
        following = next_word(text, end)
        edit = (
            Edit(start, following, "")
            if following < len(text) and "\n" not in text[end:following]
            else Edit(start, end, "")
        )
        yield Candidate((edit,), target.finding, only_gone(gone=dropped))


def insertions(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Append a sentence asserting a finding the report does not mention."""
    lexicon = report.lexicon
    said = {f.finding for f in report.findings}
    places = {region for f in report.stated if f.finding in lexicon.entries for region in family(f.finding, lexicon)}
    places |= {region for f in report.stated for place in f.anatomy for region in (place, *lexicon.ancestors(place))}
    names = [
        e.name
        for e in lexicon.entries.values()
        if e.kind in ("abnormality", "disease")
        and places & family(e.name, lexicon)
        and e.name not in said
        and not any(lexicon.related(e.name, other) for other in said)
    ]
    for name in rng.sample(names, len(names)):
        words = name_words(name, lexicon)
        if not words or is_adjective(words):
            continue
        added = f"{words} {'are' if is_plural(words) else 'is'} noted."
        for place in rng.sample(report.sentences, min(3, len(report.sentences))):
            stop = "" if place.text[-1] in ".!?" else "."
            words = added.upper() if shouts(report.text) else added[0].upper() + added[1:]
            edit = Edit(place.end, place.end, f"{stop} {words}")
            yield Candidate((edit,), name, only_new(name))
