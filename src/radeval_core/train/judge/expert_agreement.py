"""How a trained judge agrees with experts, measured as `radeval bench` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from radeval_core.bench.run import run_bench
from radeval_core.bench.sources import open_data


def expert_agreement(
    metric: str, folder: Path, data: str, device: str | None = None, progress: bool = True
) -> dict[str, Any]:
    """Return the agreement of a trained judge and of the metric's embedded judge with experts.

    Args:
        metric: the judge's metric.
        folder: the judge.
        data: a `.jsonl` file with expert numbers, a dataset, or its folder.
        device: where the judge runs.
        progress: show progress bars.

    Returns:
        Per judge, `trained` and `embedded`: the metric's entry in the result of `radeval bench`; and `data`.
    """
    found = {}
    for judge, config in (("trained", str(folder)), ("embedded", "embedded")):
        outcome = run_bench(
            open_data(data, None, None), [metric], configs={metric: config}, device=device, progress=progress
        )
        found[judge] = outcome.result[metric]
    return {"data": Path(data).name, "judges": found}
