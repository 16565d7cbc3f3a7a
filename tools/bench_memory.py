"""Measure the memory of `radeval score` on many short pairs, all distinct: it must not grow with their number.

Usage: python tools/bench_memory.py [--pairs 1000000] [--metrics bleu,green]

Prints the memory of the scoring process at each tenth of the run. Only the results may grow: per-pair numbers, ids
and summed statistics.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

SIDES = ("left", "right", "bilateral")
PLACES = ("upper lobe", "lower lobe", "apex", "base", "hilum")
FINDINGS = ("pleural effusion", "pneumothorax", "opacity", "nodule", "atelectasis", "consolidation")


def write_pairs(path: Path, count: int) -> None:
    """Write pairs of one or two sentences; a number makes every text distinct."""
    rng = random.Random(0)

    def report(number: int) -> str:
        finding, other = rng.sample(FINDINGS, 2)
        return f"{rng.choice(SIDES)} {finding} of {number} mm in the {rng.choice(PLACES)}. No {other}."

    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            file.write(json.dumps({"id": i, "prediction": report(2 * i), "reference": report(2 * i + 1)}) + "\n")


def main() -> None:
    """Write the pairs, score them in another process, and print its memory as it goes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--metrics", default="bleu,green")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs, out = Path(folder, "pairs.jsonl"), Path(folder, "scores.jsonl")
        write_pairs(pairs, args.pairs)
        command = ["score", str(pairs), "--metrics", args.metrics, "--out", str(out), "--json"]
        started = time.monotonic()
        run = subprocess.Popen([sys.executable, "-m", "radeval_core.cli", *command], stdout=subprocess.PIPE, text=True)
        samples = watch(run)
        printed, _ = run.communicate()
        if run.returncode:
            raise SystemExit(run.returncode)
        with out.open(encoding="utf-8") as file:
            rows = sum(1 for _ in file)
    summary = json.loads(printed)
    scores = ", ".join(f"{name} {result['score']:.4f}" for name, result in summary.items())
    print(f"{rows:,} rows in {time.monotonic() - started:.0f} s: {scores}")
    for tenth in range(1, 11):
        print(f"{tenth * 10:4d} % of the time: {samples[max(0, len(samples) * tenth // 10 - 1)] / 2**20:7.0f} MB")
    print(f"highest: {max(samples) / 2**20:.0f} MB")


def watch(run: subprocess.Popen[str]) -> list[int]:
    """Return the resident memory of a process, sampled until it ends."""
    process, samples = psutil.Process(run.pid), []
    while run.poll() is None:
        try:
            samples.append(process.memory_info().rss)
        except psutil.NoSuchProcess:
            break
        time.sleep(0.2)
    return samples


if __name__ == "__main__":
    main()
