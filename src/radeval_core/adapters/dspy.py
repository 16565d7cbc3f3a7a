"""A metric for DSPy: a score from 0 to 1 for evaluation and optimisers, with the errors as feedback for GEPA."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import dspy

from radeval_core.adapters.feedback import feedback
from radeval_core.adapters.metric_set import MetricSet
from radeval_core.errors import InputError, RadevalError
from radeval_core.registry import get_spec, metric_value
from radeval_core.score_scale import goodness


class UnscoredError(RadevalError, RuntimeError):
    """A pair has no score, and the user stated none for this case."""


def report_metric(
    name: str = "green",
    *,
    prediction: str = "report",
    reference: str = "report",
    context: str | None = None,
    errors_from: str | None = None,
    unscored: float | None = None,
    configs: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    **settings: Any,
) -> Callable[..., Any]:
    """Return a metric for `dspy.Evaluate`, the optimisers and `dspy.GEPA`.

    The score is on the common scale: 1 for identical reports, 0 for nothing right, also if a lower value of the metric
    is better. Called with a `pred_name`, as GEPA calls it, the metric returns `dspy.Prediction(score=…, feedback=…)`.
    The feedback lists the errors, so it quotes findings of the reference: it goes to the model that reflects.

    Args:
        name: a metric.
        prediction: output field with the generated report.
        reference: field of the example with the reference report.
        context: field of the example with what is known about the patient, if the metric uses it.
        errors_from: the metric whose errors are the feedback; by default the metric itself if it lists errors, else
            `green`. With the default config, it runs without a model.
        unscored: the score to use for a pair without one. By default there is none: the metric raises `UnscoredError`,
            DSPy uses its own `failure_score`, GEPA does not learn from the example, and DSPy's error log contains the
            example with its reports. So state a number if the reports are patient data.
        configs: config by metric.
        options: options by metric.
        settings: `device`, `section` and others, as for `radeval_core.load`.
    """
    value = metric_value(name)
    if value.is_part:
        raise InputError(f"{name!r} is a part, but only whole metrics have the scale from 0 to 1: use {value.metric!r}")
    explaining = errors_from or (name if name in LISTS_ERRORS else LISTS_ERRORS[0])
    metrics = MetricSet(list(dict.fromkeys([name, explaining])), configs, options, pair_by_pair=True, **settings)

    def metric(
        gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> float | Any:
        one = None if context is None else _field(gold, context, "example")
        texts = _field(pred, prediction, "prediction"), _field(gold, reference, "example")
        (pair,) = metrics.score_pairs([texts[0]], [texts[1]], [one], detailed=True)
        score = goodness(get_spec(name), pair.values[name])
        if math.isnan(score):
            reason = pair.details[name].get("reason") or f"{name} does not score this pair"
            if unscored is None:
                raise UnscoredError(reason)
            return unscored if pred_name is None else dspy.Prediction(score=unscored, feedback=reason)
        if pred_name is None:
            return score
        return dspy.Prediction(score=score, feedback=feedback(pair.details[explaining]) or f"{name}: {score:.3f}")

    return metric


#: metrics whose details list errors in words, the default first
LISTS_ERRORS = ("green", "chexprompt", "crimson", "fineradscore", "radfact")


def _field(source: Any, name: str, what: str) -> Any:
    if name not in source:
        raise InputError(f"the {what} has no field {name!r}; fields: {', '.join(source.keys())}")
    return source[name]
