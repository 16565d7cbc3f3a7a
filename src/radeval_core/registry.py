"""Find the metrics: every module of `radeval_core.metrics` declares one, as SPEC and SCORER."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from radeval_core import metrics
from radeval_core.errors import unknown_name
from radeval_core.metrics.base import Option, Scorer
from radeval_core.metrics.spec import MetricSpec

#: modules of the room that are no metric
_SHARED = ("base", "configs", "spec")


@dataclass(frozen=True)
class MetricValue:
    """A value per pair that can be named wherever a metric is: a metric's score, or one of its parts.

    Attributes:
        name: what the user types: `green`, `green.error_count`.
        metric: the metric that computes it.
        key: its key in `MetricResult.values` and `MetricResult.extras`; the metric's name for the score.
        higher_is_better: its direction.
    """

    name: str
    metric: str
    key: str
    higher_is_better: bool

    @property
    def is_part(self) -> bool:
        return self.key != self.metric

    @property
    def arrow(self) -> str:
        return "↑" if self.higher_is_better else "↓"


@cache
def metric_names() -> tuple[str, ...]:
    """Return the names of all metrics, in alphabetical order."""
    modules = (module.name for module in pkgutil.iter_modules(metrics.__path__))
    return tuple(sorted(name for name in modules if not name.startswith("_") and name not in _SHARED))


def get_spec(name: str) -> MetricSpec:
    """Return the declared facts of a metric."""
    return scorer_class(name).spec


def metric_value(name: str) -> MetricValue:
    """Return what a metric, or METRIC.PART, names.

    Raises:
        InputError: no such metric, or the metric has no such part; the message lists what there is.
    """
    metric, dot, part = name.partition(".")
    spec = get_spec(metric)
    if not dot:
        return MetricValue(name, metric, metric, spec.higher_is_better)
    if part not in spec.parts:
        raise unknown_name(f"part of {metric}", part, spec.parts or ["(none)"])
    return MetricValue(name, metric, part, spec.parts[part].higher_is_better)


def metrics_behind(names: Iterable[str]) -> list[str]:
    """Return the metrics to run for these metrics and parts, each once, in order."""
    return list(dict.fromkeys(metric_value(name).metric for name in names))


def scorer_class(name: str) -> type[Scorer]:
    """Return the class that scores pairs for a metric."""
    if name not in metric_names():
        raise unknown_name("metric", name, metric_names())
    found: type[Scorer] = import_module(f"radeval_core.metrics.{name}").SCORER
    return found


def metric_options(name: str) -> dict[str, Option]:
    """Return the options of a metric by name: those its scorer declares, and `checkpoint` if it takes one."""
    scorer = scorer_class(name)
    options = dict(scorer.options)
    if scorer.spec.takes_checkpoint:
        about = "Hub id or folder of a model to use instead of the config's"
        if scorer.spec.backends:
            about += "; or " + ", ".join(f"{backend}:MODEL" for backend in scorer.spec.backends)
        options["checkpoint"] = Option(None, str, about)
    return options
