"""Reads which metrics make a reward, with their weights, configs and options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.errors import InputError
from radeval_core.registry import get_spec, metric_value, metrics_behind
from radeval_core.score_scale import Scale, scale_of
from radeval_core.shown_values import shown_value


@dataclass(frozen=True)
class WeightedMetric:
    """One metric, or one part of a metric, in a reward.

    Attributes:
        name: as the user names it: METRIC or METRIC.PART.
        metric: the metric that computes it.
        key: its key in the values of the metric.
        weight: its share of the reward; the weights of a reward sum to 1.
        scale: the map of its values to 0…1, 1 being best.
    """

    name: str
    metric: str
    key: str
    weight: float
    scale: Scale


def read_metrics(wanted: Any) -> tuple[WeightedMetric, ...]:
    """Return the metrics of a reward, given one name or a mapping from names to weights.

    Raises:
        InputError: no such metric or part, a number without a value per pair, or a weight that is not positive.
    """
    if isinstance(wanted, str):
        wanted = {wanted: 1.0}
    if not isinstance(wanted, Mapping):
        raise InputError(
            f"a reward needs one metric or a mapping from metrics to weights, got {type(wanted).__name__}: write "
            "make_reward('radgraph_f1') or make_reward({'radgraph_f1': 0.5, 'crimson': 0.5})"
        )
    if not wanted:
        raise InputError("a reward needs at least one metric: write make_reward('radgraph_f1')")
    for name, weight in wanted.items():
        _check_weight(name, weight)
    total = sum(wanted.values())
    if not math.isfinite(total):
        raise InputError("the weights of a reward are too large to be added up")
    found = []
    for name, weight in wanted.items():
        _refuse_corpus_number(name)
        named = metric_value(name)
        found.append(WeightedMetric(name, named.metric, named.key, weight / total, scale_of(name)))
    return tuple(found)


def _check_weight(name: Any, weight: Any) -> None:
    if not isinstance(name, str):
        raise InputError(f"the metrics of a reward are named by texts, got {type(name).__name__}")
    number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
    if not number or not math.isfinite(weight) or weight <= 0:
        raise InputError(
            f"the weight of {name} must be a positive number, got {weight!r}. Metrics for which lower is better are "
            "turned round already"
        )


def _refuse_corpus_number(name: str) -> None:
    """Refuse a number that a metric has only over a corpus, such as a macro F1: a reward needs one per completion."""
    value = shown_value(name)
    if value.key not in (value.metric, *get_spec(value.metric).parts):
        raise InputError(
            f"{name} is a number over a whole corpus, and a reward needs one per completion: use {value.metric}"
        )


def read_settings(kind: str, given: Any, metrics: tuple[WeightedMetric, ...]) -> dict[str, Any]:
    """Return configs or options by metric; refuse those of a metric that is not in the reward.

    Args:
        kind: `configs` or `options`, for errors.
        given: a mapping by metric, or None; for a reward of one metric, its config alone will do.
        metrics: the metrics of the reward.
    """
    names = metrics_behind(metric.name for metric in metrics)
    example = "'radgraph-xl'" if kind == "configs" else "{...}"
    if isinstance(given, str) and kind == "configs" and len(names) == 1:
        return {names[0]: given}
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{kind} must be a mapping by metric: write {kind}={{{names[0]!r}: {example}}}")
    for name, value in given.items():
        if name not in names:
            raise InputError(f"{kind} are given for {name!r}, which is not in the reward: {', '.join(names)}")
        if kind == "options" and not isinstance(value, Mapping):
            raise InputError(f"options of {name} must be a mapping: write options={{{name!r}: {{...}}}}")
    return dict(given)
