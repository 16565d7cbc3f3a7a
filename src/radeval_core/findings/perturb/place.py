"""Move a finding to the other side, or to another part of the same region."""

from __future__ import annotations

import random
from collections.abc import Iterator

from radeval_core.findings.perturb.checks import only
from radeval_core.findings.perturb.edits import WORD, Edit, insert, replace
from radeval_core.findings.perturb.targets import Candidate, alone_then_shared, is_noun, phrases, shuffled_findings
from radeval_core.findings.perturb.words import place_words, tables
from radeval_core.findings.text import normalise_form
from radeval_core.findings.types import Finding, ParsedReport


def other_sides(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Change the side of a finding, or add a side if none is given."""
    lexicon = report.lexicon
    targets = [
        f
        for f in shuffled_findings(report, rng)
        if f.polarity != "absent" and not set(f.anatomy) & set(tables().one_side)
    ]
    for within, target in alone_then_shared(report, targets):
        wanted = {"left": ["right"], "right": ["left"]}.get(target.laterality or "", rng.sample(["left", "right"], 2))
        for side in wanted if target.laterality else ():
            fits = only(["laterality"], target, {"laterality": side}, within)
            for edit in _sided_edits(report, target, side):
                yield Candidate((edit,), target.finding, fits)
    for target in targets:
        paired = target.kind != "disease" and any(lexicon.regions[r].sided for r in target.anatomy)
        if target.laterality is None and paired and is_noun(report, target):
            side = rng.choice(["left", "right"])
            fits = only(["laterality"], target, {"laterality": side})
            yield Candidate((insert(report.text, target.start, f"{side} "),), target.finding, fits)


def _sided_edits(report: ParsedReport, target: Finding, side: str) -> Iterator[Edit]:
    """Yield an edit to `side` for each word of the sentence that gives a side."""
    text, lexicon = report.text, report.lexicon
    for phrase in phrases(report, target):
        written = text[phrase.start : phrase.end].lower()
        if phrase.roles.side == "bilateral":
            yield replace(text, phrase.start, phrase.end, f"{side} {tables().paired.get(written, '')}".strip())
        elif phrase.roles.side or phrase.roles.form_side:
            turned = WORD.sub(lambda m: _turned(m.group()), written)
            if turned == written and written[0] in "lr" and phrase.roles.region:
                turned = {"l": "r", "r": "l"}[written[0]] + written[1:]  # RLL, LUL
                known = lexicon.surface(normalise_form(turned))
                if known is None or known.region != phrase.roles.region:
                    continue
                turned = turned.upper() if text[phrase.start].isupper() else turned
            if turned != written:
                yield replace(text, phrase.start, phrase.end, turned)


def _turned(word: str) -> str:
    return "-".join(tables().other_side.get(part, part) for part in word.split("-"))


def other_regions(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Move a finding to another place within the same larger region."""
    lexicon, text = report.lexicon, report.text
    targets = [f for f in shuffled_findings(report, rng) if f.polarity != "absent"]
    for within, target in alone_then_shared(report, targets):
        for phrase in phrases(report, target):
            place = lexicon.regions.get(phrase.roles.region)
            inside = phrase.start < target.end and target.start < phrase.end
            if place is None or inside or place.name not in target.anatomy or not place.parent:
                continue
            others = [
                r.name
                for r in lexicon.regions.values()
                if r.parent == place.parent
                and r.sided == place.sided
                and r.name not in target.anatomy
                and (not r.imagenome or r.imagenome != place.imagenome)
                and tables().one_side.get(r.name, target.laterality) == target.laterality
            ]
            others = rng.sample(others, len(others))
            # prefer similar names: `lower lobe` becomes `upper lobe` before `bronchus`
            words = place.name.split("_")
            others.sort(key=lambda name: (name.split("_")[-1] != words[-1], name.split("_")[0] != words[0]))
            for other in others:
                anatomy = tuple(sorted({*target.anatomy, other} - {place.name}))
                fits = only(["anatomy"], target, {} if within else {"anatomy": anatomy}, within)
                for new in place_words(other, text[phrase.start : phrase.end], lexicon):
                    edit = replace(text, phrase.start, phrase.end, f"{phrase.roles.form_side} {new}".strip())
                    yield Candidate((edit,), target.finding, fits)
