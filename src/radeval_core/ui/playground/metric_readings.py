"""Scores a pair with every metric and finds out which metric notices which error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.api import make_scorer
from radeval_core.corrections.apply import apply_corrections
from radeval_core.corrections.types import Correction
from radeval_core.findings.coverage import coverage_of
from radeval_core.findings.parser import parse
from radeval_core.judges.fineradscore.embedded import correct
from radeval_core.metrics._coverage import PairCoverage
from radeval_core.metrics.base import Resources
from radeval_core.pairs import pairs_from_lists
from radeval_core.registry import get_spec, metric_names
from radeval_core.runner import run
from radeval_core.score_scale import goodness
from radeval_core.ui.demo import demo_options

#: maximum number of corrections to try one by one, the most severe first
MAX_CORRECTIONS = 6
#: a metric notices a change that moves its score at least this much on the common scale
NOTICED = 0.02


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
    """One error of a candidate, and how much each metric rises when only this error is corrected.

    Attributes:
        correction: the correction, which deletes, rewrites or inserts one line.
        gains: by metric, the rise on the common scale.
    """

    correction: Correction
    gains: dict[str, float]


def read_pairs(pairs: Sequence[tuple[str, str]]) -> list[list[MetricReading]]:
    """Score (reference, candidate) pairs with every metric, in one batch per model."""
    rows = pairs_from_lists([c for _, c in pairs], [r for r, _ in pairs], "playground", False)
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


def errors_noticed(reference: str, candidate: str) -> list[Noticed]:
    """Correct each of the candidate's most severe errors alone, and return how much each metric rises."""
    corrections = correct(parse(reference), parse(candidate)).corrections
    worst = sorted(corrections, key=lambda c: -c.severity)[:MAX_CORRECTIONS]
    if not worst:
        return []
    texts = [candidate, *(apply_corrections(candidate, [c]) for c in worst)]
    before, *after = read_pairs([(reference, text) for text in texts])
    return [
        Noticed(c, {old.metric: new.goodness - old.goodness for old, new in zip(before, corrected, strict=True)})
        for c, corrected in zip(worst, after, strict=True)
    ]
