"""What every metric says of a pair, and which of its errors each metric notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from radeval_core.api import make_scorer
from radeval_core.engine.annotations import AnnotationStore
from radeval_core.findings.parser import parse
from radeval_core.judges.fineradscore.analysis import Correction
from radeval_core.judges.fineradscore.apply import apply_corrections
from radeval_core.judges.fineradscore.embedded import correct
from radeval_core.pairs import pairs_from_lists
from radeval_core.registry import get_spec, metric_names
from radeval_core.scorer import Resources
from radeval_core.scoring import run
from radeval_core.ui.demo import demo_options
from radeval_core.ui.goodness import goodness

#: corrections that are tried one by one, the most severe first
MAX_CORRECTIONS = 6
#: a metric notices a change that moves it at least so far on the common scale
NOTICED = 0.02


@dataclass(frozen=True)
class Reading:
    """One metric's score of a pair.

    Attributes:
        metric: its name.
        raw: the score as the metric gives it; NaN if it gives none.
        goodness: the score on the common scale, 0 to 1.
        signature: everything that can move the number.
    """

    metric: str
    raw: float
    goodness: float
    signature: str


@dataclass(frozen=True)
class Noticed:
    """One error of a candidate, and how far each metric rises when it alone is corrected.

    Attributes:
        correction: the line that is deleted, rewritten or inserted.
        gains: rise on the common scale by metric.
    """

    correction: Correction
    gains: dict[str, float]


@cache
def _shared() -> Resources:
    """What all visitors share: the models, and the annotations of the last reports.

    A report comes again with every key that is pressed in the other one. Annotations stay in memory, up to a bound,
    and are found only by whoever sends the same text.
    """
    return Resources(AnnotationStore(memory=64 << 20), progress=False)


def read_pairs(pairs: Sequence[tuple[str, str]]) -> list[list[Reading]]:
    """Every metric on (reference, candidate) pairs, scored together: one pass of each model for all of them."""
    rows = pairs_from_lists([c for _, c in pairs], [r for r, _ in pairs], "playground", False)
    scorers = [make_scorer(name, None, _shared(), demo_options(get_spec(name))) for name in metric_names()]
    _, results = run(lambda: rows, scorers, detailed=False)
    return [
        [
            Reading(name, float(r.scores[i]), goodness(r.spec, float(r.scores[i])), r.signature)
            for name, r in results.items()
        ]
        for i in range(len(pairs))
    ]


def errors_noticed(reference: str, candidate: str) -> list[Noticed]:
    """The candidate's most severe errors, each corrected alone to see which metrics rise."""
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
