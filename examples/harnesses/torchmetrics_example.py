"""Score reports with a torchmetrics `Metric` in two processes, each with half of the pairs.

Usage: python examples/harnesses/torchmetrics_example.py
"""

import json
import tempfile
from pathlib import Path

import torch.distributed as dist
import torch.multiprocessing as multiprocessing

from radeval_core.adapters.torchmetrics import ReportScore

PAIRS = Path(__file__).parents[1] / "pairs.jsonl"
PROCESSES = 2


def work(rank: int, meeting_place: str) -> None:
    """Score every second pair; the first process prints the numbers of all."""
    dist.init_process_group("gloo", init_method=f"file://{meeting_place}", rank=rank, world_size=PROCESSES)
    rows = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()][rank::PROCESSES]
    metric = ReportScore(["radgraph_f1", "bleu"])
    for start in range(0, len(rows), 4):
        batch = rows[start : start + 4]
        metric.update([row["prediction"] for row in batch], [row["reference"] for row in batch])
    numbers = metric.compute()  # the processes add up their sums
    if rank == 0:
        for name, value in numbers.items():
            print(f"{name}: {value.item():.4f}")
    dist.destroy_process_group()


def main() -> None:
    """Start the processes and wait for them."""
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(work, (f"{folder}/meeting-place",), nprocs=PROCESSES)


if __name__ == "__main__":
    main()
