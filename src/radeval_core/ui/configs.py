"""Chooses the configs a demo offers: the embedded one, and those named in RADEVAL_SPACE_CONFIGS.

Example: `RADEVAL_SPACE_CONFIGS=bertscore=distilroberta-base,radgraph_f1=radgraph-xl`. All configs are loaded when the
demo is built, so a visitor never waits for a download. If a config cannot be loaded, the demo does not start; on the
server of all Spaces its page says why.
"""

from __future__ import annotations

import os

from radeval_core.api import load, make_scorer
from radeval_core.errors import InputError, unknown_name
from radeval_core.registry import get_spec, metric_names

VARIABLE = "RADEVAL_SPACE_CONFIGS"


def offered_configs(name: str) -> list[str]:
    """Load the configs that a metric's demo offers and return their names, the default first."""
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
            raise InputError(f"{VARIABLE}: {config} would send visitors' reports to another program: name a checkpoint")
        if metric == name:
            configs.append(config)
    return configs
