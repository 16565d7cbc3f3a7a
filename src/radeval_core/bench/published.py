"""Show the values that papers published for a dataset next to the measured ones, and whether they compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from radeval_core.bench.expert_data import MEASURES, ExpertData
from radeval_core.bench.plain import plain
from radeval_core.bench.values import ScoredValue, values_of
from radeval_core.registry import metrics_behind
from radeval_core.runner import MetricResult
from radeval_core.stats.agreement import COEFFICIENTS, Array, agreement

_CONFIG = re.compile(r"\|config:([^|]*)\|")
Measured = Mapping[str, Any] | None


@cache
def _entries() -> dict[str, list[dict[str, Any]]]:
    text = files(__package__).joinpath("published.yaml").read_text(encoding="utf-8")
    loaded: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    return loaded


def published_values(provenance: Mapping[str, Any], coefficient: str) -> list[dict[str, Any]]:
    """Return the published values for the dataset, config and split in `provenance`; none for your own files.

    Args:
        provenance: provenance of the data: `dataset`, `config` and `split`.
        coefficient: `kendall`, `pearson` or `spearman` for agreement, `accuracy` for triads, `counts` for error counts,
            `candidates` for the errors of the data's candidates, `preference` for the preference accuracy.
    """
    entries = _entries().get(str(provenance.get("dataset", "")), [])
    wanted = [e for e in entries if e["coefficient"] == coefficient]
    for key in ("config", "split"):
        wanted = [e for e in wanted if e.get(key) in (None, provenance.get(key))]
    shared = ("paper", "table", "pairs", "not_comparable")
    return [{**{key: e[key] for key in shared if key in e}, **row} for e in wanted for row in e["values"]]


def with_measured(
    rows: list[dict[str, Any]],
    results: Mapping[str, MetricResult],
    measure: Callable[[ScoredValue, dict[str, Any]], Measured],
) -> list[dict[str, Any]]:
    """Add to each published row our measurement, if its metric was run, and why they do not compare, if they do not.

    Args:
        rows: published values.
        results: results by metric.
        measure: returns our measurement for a row, or None if the data does not allow it.
    """
    out = []
    for row in rows:
        name = row["metric"]
        run = name is not None and metrics_behind([name])[0] in results
        value = values_of(results, [name])[name] if run else None
        measured = measure(value, row) if value else None
        why = _why_not(row, value) if value and measured is not None else ""
        kept = {key: cell for key, cell in row.items() if key not in ("needs", "not_comparable")}
        out.append({**kept, "measured": measured, "comparable": None if measured is None else not why, "why_not": why})
    return out


def _why_not(row: Mapping[str, Any], value: ScoredValue) -> str:
    """Return why a measurement cannot be compared with a published row; empty if it can."""
    if row.get("not_comparable"):
        return str(row["not_comparable"])
    found = _CONFIG.search(value.signature)
    config, needs = found[1] if found else "", row.get("needs")
    if needs and needs != config.rpartition(":")[2].lower():  # http:gpt-4 runs gpt-4
        return f"measured with {config or 'another model'}, published with {needs}"
    return ""


def counts_beside_measured(
    counts: Mapping[str, Mapping[str, Any]], results: Mapping[str, MetricResult], provenance: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the published errors and accuracies of error counts, each with our measurement if its metric was run.

    Args:
        counts: the result of `count_rows`.
        results: results by metric.
        provenance: provenance of the data.
    """

    def measure(value: ScoredValue, row: dict[str, Any]) -> Measured:
        found = counts.get(value.name, {})
        name, _, category = row["measure"].partition(" ")
        measured: Measured = found.get("categories", {}).get(category, {}).get(name) if category else found.get(name)
        return measured

    return with_measured(published_values(provenance, "counts"), results, measure)


def beside_measured(results: Mapping[str, MetricResult], data: ExpertData, resamples: Array) -> list[dict[str, Any]]:
    """Return the published correlations, each with our measurement if its metric was run.

    Some papers report a part of our metrics: CheXbert's vector similarity is `chexbert_f1.similarity`.
    """
    rows: list[dict[str, Any]] = []
    for kind in COEFFICIENTS:

        def measure(value: ScoredValue, row: dict[str, Any], kind: str = kind) -> Measured:
            wanted = row["measure"]
            if wanted not in data.raters:
                return None
            same = value.higher_is_better == MEASURES[wanted]
            return plain(agreement(kind, value.scores, data.expert(wanted), resamples, same))

        found = with_measured(published_values(data.provenance, kind), results, measure)
        rows += [{**row, "coefficient": kind} for row in found]
    return rows
