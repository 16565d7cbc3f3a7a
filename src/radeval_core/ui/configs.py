"""Which configs a demo offers: the embedded one, and those its owner names and has loaded before the first visitor.

A visitor never starts a download: what RADEVAL_SPACE_CONFIGS names, such as `bertscore=distilroberta-base,
radgraph_f1=radgraph-xl`, is loaded when the demo is built, or the demo does not start.
"""

from __future__ import annotations

import os

from radeval_core.api import load, make_scorer
from radeval_core.errors import InputError, unknown_name
from radeval_core.registry import get_spec, metric_names

VARIABLE = "RADEVAL_SPACE_CONFIGS"


def offered_configs(name: str) -> list[str]:
    """Configs of a metric that its demo offers, the default first; all of them are loaded."""
    spec = get_spec(name)
    wanted = [spec.default_config.name, *_named_by_owner(name)]
    for config in wanted:
        make_scorer(name, config, load(name, config, progress=False).resources, {}).warm_up()
    return list(dict.fromkeys(wanted))


def _named_by_owner(name: str) -> list[str]:
    configs = []
    for entry in filter(None, (part.strip() for part in os.environ.get(VARIABLE, "").split(","))):
        metric, _, config = entry.partition("=")
        if not config:
            raise InputError(f"{VARIABLE}: expected metric=config, such as green=radphi2, got {entry!r}")
        if metric not in metric_names():
            raise unknown_name(f"metric in {VARIABLE}", metric, metric_names())
        if config.partition(":")[0] in get_spec(metric).backends:
            raise InputError(f"{VARIABLE}: {config} would send visitors' reports to another program; name a checkpoint")
        if metric == name:
            configs.append(config)
    return configs
