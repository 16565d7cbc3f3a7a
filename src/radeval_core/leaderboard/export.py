"""Export results in the Hub's formats: `.eval_results/*.yaml` for a model repo, `eval.yaml` for the benchmark's repo.

See https://huggingface.co/docs/hub/eval-results. Each metric is one task of the benchmark.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

from radeval_core.io import write_text
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.submission_result import SubmissionResult

SPLIT = "test"
FRAMEWORK = "radeval"


def eval_results(
    outcome: SubmissionResult, benchmark: Benchmark, source_url: str | None = None
) -> list[EvalResultEntry]:
    """Return one entry per metric, with its headline score and signature. A metric without a score has no entry."""
    return [
        EvalResultEntry(
            dataset_id=benchmark.dataset,
            task_id=name,
            value=row["score"],
            dataset_revision=None,  # must be a Git commit, but the benchmark is read from files
            date=outcome.date,
            source_url=source_url,
            source_name="radeval leaderboard" if source_url else None,
            notes=f"{row['signature']}; studies {outcome.revision}; n {row['n']}",
        )
        for name, row in outcome.metrics.items()
        if row["score"] is not None
    ]


def benchmark_config(benchmark: Benchmark) -> dict[str, Any]:
    """Return the content of the benchmark's `eval.yaml`. Its task ids match those of the results."""
    return {
        "name": benchmark.title,
        "description": benchmark.about,
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": name, "config": "default", "split": SPLIT} for name in benchmark.metrics],
    }


def write_eval_files(
    outcome: SubmissionResult, benchmark: Benchmark, out: Path, source_url: str | None = None
) -> list[Path]:
    """Write `.eval_results/<benchmark>.yaml` and `eval.yaml` into a folder, and return their paths."""
    entries = eval_result_entries_to_yaml(eval_results(outcome, benchmark, source_url))
    files = {
        out / ".eval_results" / f"{benchmark.name}.yaml": entries,
        out / "eval.yaml": benchmark_config(benchmark),
    }
    for path, contents in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, yaml.safe_dump(contents, sort_keys=False, allow_unicode=True, width=110))
    return list(files)
