"""Log scores with trackio, on this machine.

Usage: python examples/harnesses/tracking_example.py
       trackio show --project radiology-reports

For Weights & Biases, write `wandb.init(project=…)` instead; WANDB_MODE=offline keeps the log on this machine.
"""

import json
from pathlib import Path

import trackio

from radeval_core import score
from radeval_core.adapters.experiment_log import log_scores

PAIRS = Path(__file__).parents[1] / "pairs.jsonl"


def main() -> dict[str, object]:
    """Score the sample reports, log and return what was logged."""
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    run = trackio.init(project="radiology-reports", name="sample")
    logged = log_scores(score(pairs, ["radgraph_f1", "green.error_count"]), run, step=1, prefix="test/")
    trackio.finish()
    print(", ".join(logged))
    return logged


if __name__ == "__main__":
    main()
