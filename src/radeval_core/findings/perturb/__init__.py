"""Put one error of a known kind into a report, or make one change that keeps its meaning, to see which metrics notice.

Every candidate is parsed again; only one whose findings changed as intended is returned.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from radeval_core.errors import unknown_name
from radeval_core.findings.parser import parse
from radeval_core.findings.perturb.checks import said, same_findings
from radeval_core.findings.perturb.comparison import added_comparisons, dropped_comparisons
from radeval_core.findings.perturb.content import insertions, omissions, other_findings
from radeval_core.findings.perturb.edits import apply
from radeval_core.findings.perturb.negation import negations
from radeval_core.findings.perturb.place import other_regions, other_sides
from radeval_core.findings.perturb.rewording import orders, synonyms
from radeval_core.findings.perturb.severity import other_severities
from radeval_core.findings.perturb.targets import Candidate
from radeval_core.findings.types import ParsedReport

__all__ = ["COMPARISONS", "KINDS", "MEANING_KEPT", "Perturbed", "perturb", "perturb_comparison"]

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
#: errors of comparison. They change no finding of this study, so no metric of findings alone can notice them.
COMPARISONS = {"added_comparison": added_comparisons, "dropped_comparison": dropped_comparisons}

#: candidates tried before giving up; each costs one parse
_TRIES = 400


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A changed report.

    Attributes:
        text: the whole report after the change.
        kind: one of `KINDS` or `COMPARISONS`.
        finding: canonical name of the finding that was changed, dropped or added; empty for `order`.
        before: the words that were replaced; empty if words were only added.
        after: the words that replaced them; empty if words were only dropped.
    """

    text: str
    kind: str
    finding: str
    before: str
    after: str


def perturb(text: str, kind: str, seed: int = 0) -> Perturbed | None:
    """Change one thing in a report. The same seed makes the same change.

    Args:
        text: the report.
        kind: `negation` turns present into absent or back; `finding` replaces a finding by another one of the same kind
            and place; `side` changes or adds left or right; `region` moves a finding within the larger region;
            `severity` changes or adds a degree; `omission` drops a sentence; `insertion` adds a false one;
            `paraphrase` uses a synonym; `order` shuffles the sentences. The last two keep the meaning.
        seed: chooses one of the possible changes.

    Returns:
        The changed report, or None if nothing in it can be changed in this way.

    Raises:
        InputError: the kind is unknown.
    """
    if kind not in KINDS:
        raise unknown_name("kind of perturbation", kind, KINDS)
    report = parse(text)
    return _first_that_fits(report, kind, _MAKERS[kind](report, random.Random(seed)), kind in MEANING_KEPT)


def perturb_comparison(text: str, kind: str, seed: int = 0) -> Perturbed | None:
    """State a change of one finding since an earlier study, or leave one out. The same seed makes the same change.

    Args:
        text: the report.
        kind: one of `COMPARISONS`.
        seed: chooses one of the possible changes.

    Returns:
        The changed report, or None if nothing in it can be changed in this way.

    Raises:
        InputError: the kind is unknown.
    """
    if kind not in COMPARISONS:
        raise unknown_name("kind of perturbation", kind, COMPARISONS)
    report = parse(text)
    return _first_that_fits(report, kind, COMPARISONS[kind](report, random.Random(seed)), same=True)


def _first_that_fits(report: ParsedReport, kind: str, candidates: Iterator[Candidate], same: bool) -> Perturbed | None:
    """Return the first change that passes its check and keeps the findings the same, or not."""
    text, before = report.text, said(report)
    for candidate in islice(candidates, _TRIES):
        changed = apply(text, candidate.edits)
        if changed == text or not changed.strip():
            continue
        after = said(parse(changed))
        # Dropping one of two equal statements changes nothing, so such a candidate is rejected.
        if same_findings(before, after) == same and candidate.fits(before, after):
            edits = sorted(candidate.edits)
            start, end = edits[0].start, edits[-1].end
            shift = len(changed) - len(text)
            return Perturbed(changed, kind, candidate.finding, text[start:end], changed[start : end + shift])
    return None
