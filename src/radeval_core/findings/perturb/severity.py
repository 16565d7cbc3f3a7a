"""Change the severity of a finding."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from radeval_core.findings.perturb.checks import only
from radeval_core.findings.perturb.edits import Edit, insert, replace
from radeval_core.findings.perturb.targets import Candidate, is_noun, phrase_start, phrases, shuffled_findings
from radeval_core.findings.perturb.words import VERB, tables
from radeval_core.findings.types import Finding, ParsedReport

#: findings that are called small or large, not mild or severe
_SIZED = re.compile(r"effusion|thorax$|mass$|nodule|cyst|lesion|hernia|hematoma|collection|abscess|aneurysm|granuloma")


def other_severities(report: ParsedReport, rng: random.Random) -> Iterator[Candidate]:
    """Change the severity of a finding, or add one if none is given."""
    text = report.text
    targets = [f for f in shuffled_findings(report, rng, kinds=("abnormality", "disease")) if f.polarity != "absent"]
    for target in targets:
        for grade in [g for g in ("severe", "mild") if g != target.severity]:
            fits = only(["severity"], target, {"severity": grade})
            for phrase in phrases(report, target):
                if phrase.roles.severity:
                    written = text[phrase.start : phrase.end].lower().replace("-", " ")
                    adverb = written.endswith("ly") and written != "early"
                    opposite = tables().opposite.get(written, grade + "ly" if adverb else grade)
                    yield Candidate((replace(text, phrase.start, phrase.end, opposite),), target.finding, fits)
    for target in targets:
        if target.severity is None:
            grade = rng.choice(["mild", "severe"])
            fits = only(["severity"], target, {"severity": grade})
            yield Candidate((_graded(report, target, grade),), target.finding, fits)


def _graded(report: ParsedReport, target: Finding, grade: str) -> Edit:
    """Return an edit that inserts a severity: before the describing word, or before side and place."""
    text = report.text
    verbs = list(VERB.finditer(text, target.start, target.end))
    if verbs:
        return insert(text, verbs[-1].end(), f"{grade}ly ")
    first = target.text.split()[0].lower()
    if not is_noun(report, target) or first in ("low", "high") or first.endswith(tables().adverb_takers):
        return insert(text, target.start, f"{grade}ly ")
    sized = {"mild": "small", "severe": "large"}[grade] if _SIZED.search(target.finding) else grade
    return insert(text, phrase_start(report, target), f"{sized} ")
