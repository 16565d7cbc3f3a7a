"""Find the metrics: every module of `radeval_core.metrics` declares one, as SPEC and SCORER."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from radeval_core import metrics
from radeval_core.errors import unknown_name
from radeval_core.metrics.base import Option, Scorer
from radeval_core.metrics.spec import MetricSpec

#: modules of the room that are no metric
_SHARED = ("base", "configs", "spec")


@cache
def metric_names() -> tuple[str, ...]:
    """Return the names of all metrics, in alphabetical order."""
    modules = (module.name for module in pkgutil.iter_modules(metrics.__path__))
    return tuple(sorted(name for name in modules if not name.startswith("_") and name not in _SHARED))


def get_spec(name: str) -> MetricSpec:
    """Return the declared facts of a metric."""
    return scorer_class(name).spec


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
