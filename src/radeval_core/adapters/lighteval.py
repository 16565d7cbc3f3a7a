"""Metrics and tasks of lighteval. The golds of a doc are the references, the model's first text the prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric, SampleLevelMetricGrouping
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from radeval_core.adapters.metric_set import Headline, MetricSet, PairValue, unscored
from radeval_core.errors import InputError


class _Sample(SampleLevelComputation):
    """Scores one doc. lighteval wants an instance; it cannot batch a group of metrics."""

    def __init__(self, metrics: MetricSet, grouped: bool) -> None:
        self._metrics = metrics
        self._grouped = grouped

    def compute(self, doc: Doc, model_response: ModelResponse, **kwargs: Any) -> PairValue | dict[str, PairValue]:
        """Return the value of the pair, or the values by name in a group."""
        golds, texts = doc.get_golds(), model_response.final_text
        if len(texts) != 1:
            raise InputError(f"doc {doc.id!r} has {len(texts)} generated texts, but a report is one: set num_samples=1")
        reference = golds[0] if len(golds) == 1 else golds
        (pair,) = self._metrics.score_pairs(texts, [reference], [(doc.specific or {}).get("context")])
        if not self._grouped:
            return next(iter(pair.values.values()))
        return {**pair.values, **{_count_of(name): value for name, value in pair.values.items()}}


def report_metric(
    name: str,
    configs: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    **settings: Any,
) -> SampleLevelMetric:
    """Return one metric, or a part of one, for a `LightevalTaskConfig`; arguments as for `report_metrics`."""
    metrics = MetricSet(name, configs, options, pair_by_pair=True, **settings)
    return SampleLevelMetric(
        metric_name=name,
        higher_is_better=metrics.shown(name).higher_is_better,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Sample(metrics, grouped=False),
        corpus_level_fn=Headline(metrics, name),
    )


def report_metrics(
    names: Sequence[str],
    configs: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    **settings: Any,
) -> SampleLevelMetricGrouping:
    """Return several metrics as one group: each text is read once for all of them.

    A doc's value is the score of its pair, NaN if it is unscored; the value of the task is the headline, as
    `radeval score` computes it, and `NAME_unscored` is the number of docs without a score.
    `Doc.specific["context"]` may have what is known about the patient.

    Args:
        names: metrics and parts, such as `radgraph_f1` and `green.error_count`.
        configs: config by metric.
        options: options by metric.
        settings: `device`, `section` and others, as for `radeval_core.load`.
    """
    metrics = MetricSet(names, configs, options, pair_by_pair=True, **settings)
    return SampleLevelMetricGrouping(
        metric_name=[*metrics.names, *map(_count_of, metrics.names)],
        higher_is_better={
            **{name: metrics.shown(name).higher_is_better for name in metrics.names},
            **{_count_of(name): False for name in metrics.names},
        },
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Sample(metrics, grouped=True),
        corpus_level_fn={
            **{name: Headline(metrics, name) for name in metrics.names},
            **{_count_of(name): unscored for name in metrics.names},
        },
    )


def _count_of(name: str) -> str:
    """Return the name of the number of docs without a score."""
    return f"{name}_unscored"
