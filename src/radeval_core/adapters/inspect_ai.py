"""Scorers of inspect_ai. The pair's target is the reference report, the model's completion the prediction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from radeval_core.adapters.feedback import feedback
from radeval_core.adapters.metric_set import MetricSet, PairValue
from radeval_core.registry import get_spec, metric_value

_STATISTICS = "statistics"


def report_scorer(
    name: str,
    config: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    context_key: str | None = None,
    **settings: Any,
) -> Scorer:
    """Return a scorer named after a metric, or a part of one, such as `radgraph_f1` or `green.error_count`.

    The results have the headline under the same name, as `radeval score` computes it, and its 95 % interval as
    `ci95_low` and `ci95_high`. Several epochs count as further pairs. An unscored pair is `Score.unscored()` with the
    reason; inspect counts it and leaves it out.

    Args:
        name: the metric or part.
        config: its config.
        options: its options.
        context_key: key of the samples' metadata with what is known about the patient (`age`, `sex`, `indication`,
            `history`), for metrics that use it.
        settings: `device`, `section` and others, as for `radeval_core.load`.
    """
    owner = metric_value(name).metric
    metrics = MetricSet(
        name, {owner: config} if config else None, {owner: options} if options else None, pair_by_pair=True, **settings
    )

    @metric(name=name, scores="unreduced")
    def headline() -> Metric:
        def aggregate(scores: list[SampleScore]) -> Value:
            values = [_pair_value(one.score) for one in scores]
            interval = metrics.ci95(name, values) or (math.nan, math.nan)
            return {name: metrics.headline(name, values), "ci95_low": interval[0], "ci95_high": interval[1]}

        return aggregate

    @scorer(metrics=[headline()], name=name)
    def build() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            # the texts of a target are alternatives; `target.text` would join them without a space
            references: Any = list(target) if get_spec(owner).multi_reference else _only(target, owner)
            context = (state.metadata or {}).get(context_key) if context_key else None
            answer = state.output.completion

            def work() -> Score:
                (pair,) = metrics.score_pairs([answer], [references], [context], detailed=True)
                value, details = pair.values[name], pair.details[owner]
                explanation = feedback(details) or None
                if math.isnan(value):
                    return Score.unscored(reason="scoring_failed", answer=answer, explanation=explanation)
                return Score(
                    value=float(value), answer=answer, explanation=explanation,
                    metadata={_STATISTICS: list(value.statistics or ())},
                )  # fmt: skip

            return await anyio.to_thread.run_sync(work)  # scoring would block the event loop

        return score

    return build()


def _only(target: Target, owner: str) -> str | list[str]:
    """Return the text of a target, or the texts, which the metric then refuses."""
    return target[0] if len(target) == 1 else list(target)


def _pair_value(score: Score) -> PairValue:
    statistics = (score.metadata or {}).get(_STATISTICS)
    return PairValue(None if statistics is None else score.as_float(), statistics and tuple(statistics))
