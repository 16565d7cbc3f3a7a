"""Names a reward by its settings: trainers log rewards by name, and two rewards of one name would share a curve."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.rewards.length_guard import LengthGuard
from radeval_core.rewards.weighted_metrics import WeightedMetric


def telling_name(
    metrics: Sequence[WeightedMetric],
    reference_column: str,
    configs: Mapping[str, str],
    guard: LengthGuard | None,
    further: Mapping[str, Any],
) -> str:
    """Return a name such as `radgraph_f1`, `0.7*green+0.3*bleu` or `radgraph_f1@radgraph-xl,guard2`.

    Args:
        metrics: the metrics of the reward; weights are shown if they differ.
        reference_column: shown as `:COLUMN` unless it is `reference`.
        configs: the config of each metric that has another than its default.
        guard: the length guard, if there is one.
        further: other settings that change rewards; if any is set, the name ends with a hash of them.
    """
    equal = len({metric.weight for metric in metrics}) == 1
    parts = []
    for metric in metrics:
        config = configs.get(metric.metric)
        shown = f"{metric.name}@{_plain(config)}" if config else metric.name
        parts.append(shown if equal else f"{metric.weight:g}*{shown}")
    name = "+".join(parts)
    if reference_column != "reference":
        name += f":{_plain(reference_column)}"
    if guard is not None:
        name += f",guard{guard.longest or 0:g}" + (f"-{guard.shortest:g}" if guard.shortest else "")
    told = {key: value for key, value in further.items() if value}
    if _plain(reference_column) != reference_column:
        told["reference_column"] = reference_column
    if any(_plain(config) != config for config in configs.values()):
        told["configs"] = dict(configs)
    if not told:
        return name
    text = json.dumps(told, sort_keys=True, default=str)
    return f"{name}#{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def _plain(config: str) -> str:
    """Return the end of a config without what would read as a path in a trainer's log."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", config).strip("-")[-40:]
