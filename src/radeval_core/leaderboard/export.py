"""Results in the Hub's own formats: `.eval_results/*.yaml` for a model's repo, `eval.yaml` for the benchmark's.

See https://huggingface.co/docs/hub/eval-results. Each metric is one task of the benchmark.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

from radeval_core.io import write_text
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.outcome import Outcome

SPLIT = "test"
FRAMEWORK = "radeval"


def eval_results(outcome: Outcome, benchmark: Benchmark, source_url: str | None = None) -> list[EvalResultEntry]:
    """The headline of every metric, with its signature; a metric without a number has no entry."""
    return [
        EvalResultEntry(
            dataset_id=benchmark.dataset,
            task_id=name,
            value=row["score"],
            dataset_revision=None,  # a Git commit, which a benchmark that is read from files does not have
            date=outcome.date,
            source_url=source_url,
            source_name="radeval leaderboard" if source_url else None,
            notes=f"{row['signature']}; studies {outcome.revision}; n {row['n']}",
        )
        for name, row in outcome.metrics.items()
        if row["score"] is not None
    ]


def benchmark_config(benchmark: Benchmark) -> dict[str, Any]:
    """The contents of the benchmark's `eval.yaml`; its task ids are those of the results."""
    return {
        "name": benchmark.title,
        "description": benchmark.about,
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": name, "config": "default", "split": SPLIT} for name in benchmark.metrics],
    }


def write_eval_files(outcome: Outcome, benchmark: Benchmark, out: Path, source_url: str | None = None) -> list[Path]:
    """Write `.eval_results/<benchmark>.yaml` and `eval.yaml` below a folder."""
    entries = eval_result_entries_to_yaml(eval_results(outcome, benchmark, source_url))
    files = {
        out / ".eval_results" / f"{benchmark.name}.yaml": entries,
        out / "eval.yaml": benchmark_config(benchmark),
    }
    for path, contents in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, yaml.safe_dump(contents, sort_keys=False, allow_unicode=True, width=110))
    return list(files)
