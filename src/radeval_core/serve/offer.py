"""What the owner of a server offers: metrics, their configs, and the options that clients may set.

Clients choose by name among what was loaded at the start. A name is looked up and never used as a path, a Hub id or an
address, so no request starts a download or opens a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radeval_core.api import announce, check_options, make_scorer
from radeval_core.errors import InputError
from radeval_core.metrics.base import Option, Resources, Scorer
from radeval_core.metrics.configs import resolve_config
from radeval_core.registry import get_spec, metric_names, metric_options
from radeval_core.shown_values import ShownValue, shown_value

#: backends that send reports to another server: they wait for it, so each has its own worker
_REMOTE = ("http", "anthropic")
#: the worker of everything that runs on this machine
LOCAL = "local"


@dataclass(frozen=True)
class Task:
    """One metric under one config and set of options; pairs of several requests with the same task are scored at once.

    Attributes:
        metric: the metric.
        config: the name of the config on this server.
        options: what the client set, by name, in alphabetical order.
    """

    metric: str
    config: str
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Offer:
    """What a server offers.

    Attributes:
        configs: per metric, the configs by the name clients use, with what `make_scorer` takes; the default first.
        fixed: options that the owner set, by metric; clients cannot change them.
    """

    configs: Mapping[str, Mapping[str, str]]
    fixed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        metrics: Sequence[str],
        configs: Sequence[tuple[str, str]] = (),
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Offer:
        """Return an offer; raise an error for names that do not exist.

        Args:
            metrics: the metrics to offer.
            configs: metric and config; a metric may have several, of which the first is its default. Without any, its
                own default is offered.
            options: options that the owner sets, by metric.
        """
        for name in (*(metric for metric, _ in configs), *(options or {})):
            if name not in metrics:
                raise InputError(f"a config or option is given for {name!r}, which is not among the metrics: {metrics}")
        for metric, given in (options or {}).items():
            check_options(metric, given)
        offered: dict[str, dict[str, str]] = {}
        for metric in metrics:
            wanted = [config for name, config in configs if name == metric] or [get_spec(metric).default_config.name]
            offered[metric] = _named(metric, wanted)
        return cls(offered, dict(options or {}))

    def value(self, place: int, name: str) -> ShownValue:
        """Return the number that a client named; errors do not repeat what the client wrote."""
        metric = name.partition(".")[0]
        if metric not in self.configs:
            known = "a metric that this server does not offer" if metric in metric_names() else "no metric"
            raise InputError(f"metrics[{place}] is {known}; offered: {', '.join(self.configs)}")
        try:
            return shown_value(name)
        except InputError:
            parts = [f"{metric}.{part}" for part in get_spec(metric).parts]
            raise InputError(f"metrics[{place}] is no part of {metric}; parts: {', '.join(parts) or 'none'}") from None

    def task(self, metric: str, config: str | None, options: Mapping[str, Any]) -> Task:
        """Return what a client chose for a metric; raise an error if it is not offered.

        Args:
            metric: an offered metric.
            config: the name of a config, or None for the default.
            options: the options to set.
        """
        configs = self.configs[metric]
        if config is not None and config not in configs:
            raise InputError(f"configs: not a config of {metric} on this server; offered: {', '.join(configs)}")
        known = self.client_options(metric)
        for name in options:
            if name not in known:
                raise InputError(
                    f"options: not an option of {metric} that clients may set; offered: {', '.join(known) or 'none'}"
                )
        chosen: dict[str, Any] = {}
        for name, value in options.items():
            try:
                chosen[name] = known[name].check(f"{metric}.{name}", value)
            except InputError:
                values = ", ".join(known[name].choices) or "true or false"
                raise InputError(f"options: {metric}.{name} must be one of: {values}") from None
        return Task(metric, config or next(iter(configs)), tuple(sorted(chosen.items())))

    def client_options(self, metric: str) -> dict[str, Option]:
        """Return the options that clients may set: switches and choices.

        Texts and lists may name files, models or servers. The number format would load a model again.
        """
        return {
            name: option
            for name, option in metric_options(metric).items()
            if (option.type is bool or option.choices) and name != "dtype" and name not in self.fixed.get(metric, {})
        }

    def scorer(self, task: Task, resources: Resources) -> Scorer:
        """Return a new scorer of a task."""
        options = {**self.fixed.get(task.metric, {}), **dict(task.options)}
        return make_scorer(task.metric, self.configs[task.metric][task.config], resources, options)

    def worker_of(self, task: Task) -> str:
        """Return the name of the worker that does a task."""
        remote = self.configs[task.metric][task.config].partition(":")[0] in _REMOTE
        return f"{task.metric}={task.config}" if remote else LOCAL

    def tasks(self) -> list[Task]:
        """Return every metric with every config, without options of clients."""
        return [Task(metric, config) for metric, configs in self.configs.items() for config in configs]

    def warm_up(self, task: Task, resources: Resources) -> None:
        """Load what a task needs; raise an error if it cannot be loaded."""
        scorer = self.scorer(task, resources)
        scorer.warm_up()
        announce(scorer.spec, scorer.config.name)

    def listing(self) -> list[dict[str, Any]]:
        """Return what is offered, for clients."""
        return [
            {
                "name": metric,
                "measures": get_spec(metric).measures,
                "higher_is_better": get_spec(metric).higher_is_better,
                "parts": list(get_spec(metric).parts),
                "configs": list(configs),
                "options": {
                    name: list(option.choices) or [True, False] for name, option in self.client_options(metric).items()
                },
            }
            for metric, configs in self.configs.items()
        ]


def _named(metric: str, wanted: Sequence[str]) -> dict[str, str]:
    """Return the configs of a metric by the name clients use: a folder is called by its last part."""
    named: dict[str, str] = {}
    for config in dict.fromkeys(wanted):
        _, checkpoint = resolve_config(get_spec(metric), config)
        name = Path(config).name if checkpoint and Path(config).is_dir() else config
        if name in named:
            raise InputError(f"two configs of {metric} are called {name!r}: {named[name]} and {config}")
        named[name] = config
    return named
