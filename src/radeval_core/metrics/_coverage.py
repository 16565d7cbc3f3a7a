"""Leave out pairs that the findings parser cannot read, and say how much of each pair it understood.

A report with words of which nothing is understood makes its pair unscored for every config that reads findings: we do
not know whether the reports agree, not even if they are the same. An empty report is no such report: it keeps the
metric's empty rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radeval_core.findings.coverage import Coverage
from radeval_core.metrics.base import PairScores, Resources, Scorer
from radeval_core.metrics.spec import MetricSpec
from radeval_core.pairs import Pair

#: a mean coverage below this is low for English reports; docs/findings.md says where it comes from
LOW_COVERAGE = 0.7


@dataclass(frozen=True)
class PairCoverage:
    """How much of both reports of a pair the parser understood.

    Attributes:
        prediction: of the prediction.
        reference: of the reference.
    """

    prediction: Coverage
    reference: Coverage

    @property
    def share(self) -> float:
        """Return the lower of both shares."""
        return min(self.prediction.share, self.reference.share)

    @property
    def unread(self) -> list[Coverage]:
        """Return the coverage of each report of which nothing was understood."""
        return [side for side in (self.prediction, self.reference) if side.reason]

    @property
    def language(self) -> str:
        """Return the language of the first report that is not in English, or empty."""
        return next((side.language for side in self.unread if side.language), "")

    @property
    def problem(self) -> str:
        """Return what is wrong with the reports that the parser cannot read; empty if it can."""
        sides = (("prediction", self.prediction), ("reference", self.reference))
        what = " and ".join(f"the {name} {side.reason}" for name, side in sides if side.reason)
        return f"not scored: {what}; the embedded parser reads English." if what else ""

    def reason(self, spec: MetricSpec) -> str:
        """Return why a metric does not score the pair, and what to do; empty if it does."""
        return f"{self.problem} {advice([spec], self.language)}" if self.unread else ""

    def as_dict(self) -> dict[str, Any]:
        """Return both shares, and the sentences that were not understood, as plain values."""
        return {name: _plain(side) for name, side in (("prediction", self.prediction), ("reference", self.reference))}


def _plain(side: Coverage) -> dict[str, Any]:
    return {"share": side.share, "language": side.language, "unread": [list(span) for span in side.unread]}


def pair_coverages(resources: Resources, pairs: Sequence[Pair]) -> list[PairCoverage]:
    """Return the coverage of each pair; each text is read once. The worst of several references counts."""
    found = resources.coverage([text for pair in pairs for text in (pair.prediction, *pair.references)])
    return [
        PairCoverage(found[pair.prediction], min(map(found.__getitem__, pair.references), key=_rank)) for pair in pairs
    ]


def _rank(side: Coverage) -> tuple[bool, float]:
    return not side.reason, side.share


def score_covered(scorer: Scorer, pairs: Sequence[Pair], detailed: bool) -> PairScores:
    """Score pairs, with their coverage; pairs that the parser cannot read get NaN and a reason in their details."""
    got = scorer.score(pairs, detailed)
    if not scorer.reads_findings:
        return got
    covered = pair_coverages(scorer.resources, pairs)
    unread = np.array([bool(pair.unread) for pair in covered])
    values = got.values
    if unread.any():
        values = {name: np.where(unread, math.nan, column) for name, column in values.items()}
    details = got.details
    if details is not None:
        details = [_explained(row, pair, scorer.spec) for row, pair in zip(details, covered, strict=True)]
    return replace(got, values=values, details=details, coverage=covered)


def _explained(detail: dict[str, Any], pair: PairCoverage, spec: MetricSpec) -> dict[str, Any]:
    """Return the details of a pair with its coverage and with the reason why it is unscored, or an empty one."""
    reason = pair.reason(spec) or detail.get("reason", "")
    return {**detail, "reason": reason, "coverage": pair.as_dict()}


def advice(specs: Sequence[MetricSpec], language: str = "") -> str:
    """Return what to do about reports that the parser cannot read.

    Args:
        specs: the metrics that cannot score them.
        language: the language of the reports, if it is known and not English.
    """
    models = [_foreign_model(spec) if language else _model(spec) for spec in specs]
    named = ", ".join(model for model in models if model)
    if language:
        return f"Use a model config that reads {language}: {named}." if named else "Translate the reports."
    return f"Use a model config: {named}." if named else "Add the missing words with a lexicon."


def _model(spec: MetricSpec) -> str:
    """Return a config of the metric that runs a model, as the user types it; empty if it has none."""
    return f"{spec.name}={spec.published.name}" if spec.published else _foreign_model(spec)


def _foreign_model(spec: MetricSpec) -> str:
    """Return how to name a model of another language; empty if the metric has no config that reads text with a model.

    The published checkpoints read English.
    """
    if spec.backends:
        return f"{spec.name}=http:MODEL"
    return f"{spec.name}=CHECKPOINT" if spec.published and spec.takes_checkpoint else ""
