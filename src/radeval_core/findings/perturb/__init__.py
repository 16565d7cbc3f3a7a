"""One error of a known kind put into a report, or one change that keeps its meaning: to see which metrics notice.

Every candidate is parsed again, and only one that reads as intended is returned.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from radeval_core.errors import unknown_name
from radeval_core.findings.parser import parse
from radeval_core.findings.perturb.checks import said, same_findings
from radeval_core.findings.perturb.content import insertions, omissions, other_findings
from radeval_core.findings.perturb.edits import apply
from radeval_core.findings.perturb.negation import negations
from radeval_core.findings.perturb.place import other_regions, other_sides
from radeval_core.findings.perturb.rewording import orders, synonyms
from radeval_core.findings.perturb.severity import other_severities
from radeval_core.findings.perturb.targets import Candidate
from radeval_core.findings.structures import ParsedReport

__all__ = ["KINDS", "MEANING_KEPT", "Perturbed", "perturb"]

_MAKERS: dict[str, Callable[[ParsedReport, random.Random], Iterator[Candidate]]] = {
    "negation": negations,
    "finding": other_findings,
    "side": other_sides,
    "region": other_regions,
    "severity": other_severities,
    "omission": omissions,
    "insertion": insertions,
    "paraphrase": synonyms,
    "order": orders,
}
KINDS = tuple(_MAKERS)
MEANING_KEPT = frozenset({"paraphrase", "order"})

#: candidates tried before giving up; each costs one parse
_TRIES = 400


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A changed report.

    Attributes:
        text: the whole report after the change.
        kind: one of `KINDS`.
        finding: canonical name of the finding that was changed, dropped or added; empty for `order`.
        before: the words that were replaced; empty where words were only added.
        after: the words in their place; empty where words were only dropped.
    """

    text: str
    kind: str
    finding: str
    before: str
    after: str


def perturb(text: str, kind: str, seed: int = 0) -> Perturbed | None:
    """Change one thing in a report, the same thing for the same seed.

    Args:
        text: the report.
        kind: `negation` turns present into absent or back; `finding` puts another finding of the same kind and place
            there; `side` changes or adds left and right; `region` moves it within the larger region; `severity`
            changes or adds a degree; `omission` drops a sentence; `insertion` adds a false one; `paraphrase` uses a
            synonym; `order` shuffles the sentences. The last two keep the meaning.
        seed: which of the possible changes.

    Returns:
        The changed report, or None where it has nothing that can be changed in that way.

    Raises:
        InputError: there is no such kind.
    """
    if kind not in KINDS:
        raise unknown_name("kind of perturbation", kind, KINDS)
    report = parse(text)
    before = said(report)
    for tried, candidate in enumerate(_MAKERS[kind](report, random.Random(seed))):
        if tried == _TRIES:
            break
        changed = apply(text, candidate.edits)
        if changed == text or not changed.strip():
            continue
        after = said(parse(changed))
        # Words said twice are not lost by dropping one of them.
        if same_findings(before, after) == (kind in MEANING_KEPT) and candidate.fits(before, after):
            edits = sorted(candidate.edits)
            start, end = edits[0].start, edits[-1].end
            shift = len(changed) - len(text)
            return Perturbed(changed, kind, candidate.finding, text[start:end], changed[start : end + shift])
    return None
