"""Show the values that papers published for a dataset next to the measured ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from radeval_core.bench.expert_data import MEASURES, ExpertData
from radeval_core.bench.plain import plain
from radeval_core.registry import metric_value
from radeval_core.runner import MetricResult
from radeval_core.stats.agreement import Array, agreement


@cache
def _entries() -> dict[str, list[dict[str, Any]]]:
    text = files(__package__).joinpath("published.yaml").read_text(encoding="utf-8")
    loaded: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    return loaded


def published_values(provenance: Mapping[str, Any], coefficient: str) -> list[dict[str, Any]]:
    """Return the published values for the dataset and config in `provenance`; an empty list for your own files.

    Args:
        provenance: provenance of the data: `dataset`, and `config` if papers report several configs.
        coefficient: `kendall` for agreement, `accuracy` for triads, `counts` for error counts.
    """
    entries = _entries().get(str(provenance.get("dataset", "")), [])
    wanted = [e for e in entries if e["coefficient"] == coefficient]
    wanted = [e for e in wanted if e.get("config") in (None, provenance.get("config"))]
    return [{**{key: e[key] for key in ("paper", "table", "pairs")}, **row} for e in wanted for row in e["values"]]


def counts_beside_measured(
    counts: Mapping[str, Mapping[str, Any]], provenance: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the published errors and accuracies of error counts, each with our measurement if its metric was run.

    Args:
        counts: the result of `count_rows`.
        provenance: provenance of the data.
    """
    rows = []
    for row in published_values(provenance, "counts"):
        found = counts.get(row["metric"], {})
        name, _, category = row["measure"].partition(" ")
        measured = found.get("categories", {}).get(category, {}).get(name) if category else found.get(name)
        rows.append({**row, "measured": measured})
    return rows


def beside_measured(results: Mapping[str, MetricResult], data: ExpertData, resamples: Array) -> list[dict[str, Any]]:
    """Return the published values of Kendall's tau, each with our measurement if its metric was run.

    Some papers report a part of our metrics: CheXbert's vector similarity is `chexbert_f1.similarity`.
    """
    rows = []
    for row in published_values(data.provenance, "kendall"):
        value, measure = metric_value(row["metric"]), row["measure"]
        measured = None
        if value.metric in results and measure in data.raters:
            scores, same = results[value.metric].values[value.key], value.higher_is_better == MEASURES[measure]
            measured = plain(agreement("kendall", scores, data.expert(measure), resamples, same))
        rows.append({**row, "measured": measured})
    return rows
