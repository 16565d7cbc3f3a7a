"""Splits a report into sentences as RadEval does for SRR-BERT: numbers of lists go, then Punkt splits.

Some steps lose text (`T12. Fracture` becomes `T. Fracture`). We keep that: the model must see the same sentences.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import yaml
from nltk.tokenize.punkt import _ORTHO_LC, PunktParameters, PunktSentenceTokenizer

#: the full stop after the number of a list; a digit after it would make it a decimal point
_STOP = r"\.(?!\d)\s*"
#: steps before splitting, in upstream's order: what to find, and what to put there
_STEPS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"^\s*\d+{_STOP}", ""),
        (rf"(\w)\.\d+{_STOP}", r"\1. "),
        (rf"(\w)\d+{_STOP}", r"\1. "),
        (rf"(\w)\s+\d+{_STOP}", r"\1. "),
        (rf"([.!?])\s*\d+{_STOP}", r"\1 "),
        (r"\.([A-Z])", r". \1"),
    )
)


def srr_sentences(report: str) -> list[str]:
    """Return the sentences of a report; an empty one has the sentence `.`, which the model reads like any other."""
    for pattern, replacement in _STEPS:
        report = pattern.sub(replacement, report)
    if not report.strip().endswith((".", "!", "?")):
        report = f"{report.strip()}."
    return list(_splitter().tokenize(report))


@cache
def _splitter() -> PunktSentenceTokenizer:
    words = yaml.safe_load(Path(__file__).with_name("srrbert_sentences.yaml").read_text("utf-8"))
    learnt = PunktParameters()
    learnt.abbrev_types = set(words["abbreviations"])
    learnt.sent_starters = set(words["starters"])
    for word in words["lower_case"]:
        learnt.ortho_context[word] = _ORTHO_LC
    return PunktSentenceTokenizer(learnt)
