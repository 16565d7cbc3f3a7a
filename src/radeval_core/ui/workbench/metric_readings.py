"""Scores candidates with every metric and finds out which metric notices which error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.api import make_scorer
from radeval_core.findings.coverage import coverage_of
from radeval_core.findings.parser import parse
from radeval_core.metrics._coverage import PairCoverage
from radeval_core.metrics.base import Resources
from radeval_core.pairs import pairs_from_lists
from radeval_core.patient_context import PatientContext
from radeval_core.registry import get_spec, metric_names
from radeval_core.runner import run
from radeval_core.score_scale import goodness
from radeval_core.ui.demo import demo_options
from radeval_core.ui.sheet.corrected import corrected
from radeval_core.ui.sheet.from_reports import read_sheet
from radeval_core.ui.sheet.marks import Mark

#: errors that are corrected one by one: each takes a run of every metric, and no real report has as many
MAX_ERRORS = 60
#: errors that are scored together
_TOGETHER = 12
#: a number that moves less than this has not moved: metrics add up floats in different orders
UNMOVED = 1e-9


@dataclass(frozen=True)
class MetricReading:
    """One metric's score of a pair.

    Attributes:
        metric: the metric's name.
        raw: the metric's score; NaN if the pair is unscored.
        goodness: the score on the common scale, 0 to 1.
        signature: everything that can change the score.
    """

    metric: str
    raw: float
    goodness: float
    signature: str


@dataclass(frozen=True)
class Noticed:
    """One error of a candidate, and what each metric says when only this error is corrected.

    Attributes:
        number: the number of its mark on the sheet.
        mark: the error.
        before: by metric, the score of the candidate.
        after: by metric, the score with this error corrected.
    """

    number: int
    mark: Mark
    before: dict[str, MetricReading]
    after: dict[str, MetricReading]

    @property
    def gains(self) -> dict[str, float]:
        """Return by metric the rise on the common scale; NaN if one of the scores is missing."""
        return {name: self.after[name].goodness - reading.goodness for name, reading in self.before.items()}

    @property
    def unmoved(self) -> list[str]:
        """Return the metrics whose number did not move at all."""
        return [name for name, old in self.before.items() if abs(self.after[name].raw - old.raw) <= UNMOVED]


def read_pairs(
    pairs: Sequence[tuple[str, str]], contexts: Sequence[PatientContext | None] | None = None
) -> list[list[MetricReading]]:
    """Score (reference, candidate) pairs with every metric, in one batch per model.

    Args:
        pairs: the pairs.
        contexts: what is known about the patient of each pair, or None.
    """
    known = [context is not None for context in contexts or ()]
    if any(known) and not all(known):  # a signature says if the patient is known: of this pair, not of its neighbours
        groups = [[i for i, is_known in enumerate(known) if is_known is wanted] for wanted in (False, True)]
        found = {
            i: readings
            for group in groups
            for i, readings in zip(
                group, read_pairs([pairs[i] for i in group], [(contexts or ())[i] for i in group]), strict=True
            )
        }
        return [found[i] for i in range(len(pairs))]
    candidates, references = [c for _, c in pairs], [r for r, _ in pairs]
    rows = pairs_from_lists(
        candidates, references, "workbench", False, contexts=list(contexts or ()) if any(known) else None
    )
    # made for this call alone: nothing of a visitor's reports is kept for the next one
    resources = Resources(progress=False)
    scorers = [make_scorer(name, None, resources, demo_options(get_spec(name))) for name in metric_names()]
    _, results = run(lambda: rows, scorers, detailed=False)
    return [
        [
            MetricReading(name, float(r.scores[i]), goodness(r.spec, float(r.scores[i])), r.signature)
            for name, r in results.items()
        ]
        for i in range(len(pairs))
    ]


def pair_coverage(reference: str, candidate: str) -> PairCoverage:
    """Return how much of both reports the findings parser understands."""
    return PairCoverage(coverage_of(parse(candidate)), coverage_of(parse(reference)))


def errors_noticed(reference: str, candidate: str, context: PatientContext | None = None) -> list[Noticed]:
    """Correct each error of the candidate alone, and return what every metric says then; the worst error first."""
    errors = read_sheet(reference, candidate, context).errors[:MAX_ERRORS]
    found: list[Noticed] = []
    for first in range(0, len(errors), _TOGETHER):
        part = errors[first : first + _TOGETHER]
        texts = [candidate, *(corrected(candidate, [mark]) for mark in part)]
        before, *after = (
            {reading.metric: reading for reading in row}
            for row in read_pairs([(reference, text) for text in texts], [context] * len(texts))
        )
        found += [
            Noticed(first + i, mark, before, row) for i, (mark, row) in enumerate(zip(part, after, strict=True), 1)
        ]
    return found
