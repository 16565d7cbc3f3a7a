"""A board under the names of a published table: the columns of a preset, and the file that ReXrank publishes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from radeval_core.errors import InputError
from radeval_core.io import csv_cell
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.ranking import Ranked
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.presets import Preset, get_preset
from radeval_core.registry import get_spec
from radeval_core.shown_values import ShownValue, shown_value

#: the columns of results/findings_result_iu_xray.csv in https://github.com/rajpurkarlab/ReXrank, in its order, before
#: the scores and for the scores. Its RadCliQ is 1 divided by the mean: higher is better in every column.
REXRANK_FACTS = ("Rank", "Date", "Model Name", "Institution", "Model URL")
REXRANK_SCORES = ("BLEU", "BertScore", "SembScore", "RadGraph", "1/RadCliQ-v1", "RaTEScore", "GREEN", "CRIMSON")


def preset_values(benchmark: Benchmark, preset: Preset) -> tuple[ShownValue, ...]:
    """Return the numbers of a preset, marked as comparable with the published table or not.

    Raises:
        InputError: the benchmark computes none of them.
    """
    values, _, _ = preset.settings(benchmark.configs, benchmark.options, published=False)
    if not any(value.source in benchmark.metrics for value in values):
        raise InputError(
            f"{benchmark.name} has none of the numbers of the preset {preset.name}; a benchmark that has them: "
            f"radeval leaderboard benchmark build … --preset {preset.name}"
        )
    return values


def preset_score(outcome: SubmissionResult, value: ShownValue) -> Mapping[str, Any]:
    """Return a number of a preset for a system: `score` and `ci95`, both None if it has none."""
    row = outcome.metrics.get(value.source, {"score": None, "ci95": None})
    if not value.inverse:
        return row
    # the quantiles of 1/x are those of x in reverse order, as long as x is positive
    positive = row["score"] is not None and row["score"] > 0
    interval = [1 / row["ci95"][1], 1 / row["ci95"][0]] if positive and row["ci95"] and row["ci95"][0] > 0 else None
    return {"score": 1 / row["score"] if positive else None, "ci95": interval}


def missing_columns(benchmark: Benchmark, values: Sequence[ShownValue]) -> list[str]:
    """Return the names of the numbers that the benchmark does not compute."""
    return [value.name for value in values if value.source not in benchmark.metrics]


def metrics_of_preset(preset: Preset, values: Sequence[ShownValue], configs: Mapping[str, str]) -> dict[str, str]:
    """Return the config of each metric or part behind a preset, for a benchmark.

    Raises:
        InputError: a number of the preset has no value per study, so that systems cannot be tested on it.
    """
    corpus = [v.name for v in values if v.key != v.metric and v.key not in get_spec(v.metric).parts]
    if corpus:
        raise InputError(
            f"preset {preset.name} has numbers without a score per study, which a leaderboard needs: "
            f"{', '.join(corpus)}; choose another preset, or --metrics"
        )
    return {v.source: configs.get(v.metric, get_spec(v.metric).default_config.name) for v in values}


def rexrank_values(benchmark: Benchmark) -> tuple[ShownValue, ...]:
    """Return the numbers behind the score columns of ReXrank's file, under their names there."""
    values = preset_values(benchmark, get_preset("rexrank"))
    published = get_spec("crimson").published
    as_published = published is not None and benchmark.configs.get("crimson") == published.name
    crimson = replace(shown_value("crimson"), comparable=as_published)
    return tuple(replace(v, name=name) for v, name in zip((*values, crimson), REXRANK_SCORES, strict=True))


def rexrank_csv(ranked: Sequence[Ranked], benchmark: Benchmark) -> str:
    """Return the ranked systems as ReXrank publishes them: scores with three digits, empty where there is none.

    `Date` is the year of scoring. `Institution` stays empty, because submissions do not state it.
    """
    values = rexrank_values(benchmark)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*REXRANK_FACTS, *(value.name for value in values)])
    for row in ranked:
        scores = [preset_score(row.outcome, value)["score"] for value in values]
        system = row.outcome.system
        facts = ["" if row.rank is None else row.rank, row.outcome.date[:4], csv_cell(system.name), "", system.link]
        writer.writerow([*facts, *("" if score is None else f"{score:.3f}" for score in scores)])
    return out.getvalue()
