"""Score many pairs on a local Ray cluster, kill a worker half-way, and compare with `radeval score` in one process.

Usage: python tools/soak_ray.py [--pairs 200000] [--workers 2] [--metrics bleu,rouge,green,cider]

Both outputs must be the same bytes and both summaries the same numbers. Prints the times and, at each tenth of the
Ray run, the memory of its scoring processes and of the process that drives them. Needs the extra `ray` and psutil.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench_memory import write_pairs

#: name of the processes that score, as Ray sets it
ACTOR = "ScoringActor"


@dataclass
class Watched:
    """A command that has ended.

    Attributes:
        summary: what it printed.
        seconds: how long it took.
        memory: samples of the memory of the command and of the largest scoring process, in bytes.
    """

    summary: object
    seconds: float
    memory: list[tuple[int, int]] = field(default_factory=list)


def actors() -> list[psutil.Process]:
    """Return the processes that score at the moment."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        title = " ".join(process.info["cmdline"] or ())
        if title.startswith("ray::") and ACTOR in title:
            found.append(process)
    return found


def memory(process: psutil.Process) -> int:
    """Return the private memory of a process; 0 if it has ended. Shared memory is counted once, not per process."""
    try:
        info = process.memory_info()
        return int(info.rss - info.shared)
    except psutil.Error:
        return 0


def watch(command: Sequence[str], each: Callable[[], None] = lambda: None) -> Watched:
    """Run `radeval` with some arguments, and sample its memory once per second."""
    started = time.monotonic()
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    run = subprocess.Popen(
        [sys.executable, "-m", "radeval_core.cli", *command], stdout=subprocess.PIPE, text=True, env=environment
    )
    found, samples = psutil.Process(run.pid), []
    while run.poll() is None:
        samples.append((memory(found), max(map(memory, actors()), default=0)))
        each()
        time.sleep(1)
    printed, _ = run.communicate()
    if run.returncode:
        raise SystemExit(run.returncode)
    return Watched(json.loads(printed), time.monotonic() - started, samples)


class Killer:
    """Kills one scoring process when half of the parts are written.

    Args:
        folder: the folder of the parts.
        parts: how many there will be.
    """

    def __init__(self, folder: Path, parts: int) -> None:
        self._folder, self._parts = folder, parts
        self.killed = 0

    def __call__(self) -> None:
        """Kill, if it is time."""
        if self.killed or len(list(self._folder.glob("part-*.parquet"))) < self._parts // 2:
            return
        for process in actors()[:1]:
            process.send_signal(signal.SIGKILL)
            self.killed = process.pid


def main() -> None:
    """Run both and compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--metrics", default="bleu,rouge,green,cider")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs, alone, together = (Path(folder, name) for name in ("pairs.jsonl", "alone.jsonl", "ray.jsonl"))
        write_pairs(pairs, args.pairs)
        score = ["score", str(pairs), "--metrics", args.metrics, "--json", "--quiet", "--out"]
        one = watch([*score, str(alone)])
        print(f"one process: {one.seconds:.0f} s, {max(one.memory)[0] / 2**20:.0f} MB", flush=True)
        killer = Killer(together.with_name("ray.jsonl.parts"), args.pairs // 2048)
        ray = watch([*score, str(together), "--engine", "ray", "--workers", str(args.workers)], killer)
        print(f"Ray with {args.workers} workers: {ray.seconds:.0f} s, worker {killer.killed or 'none'} killed half-way")
        for tenth in range(1, 11):
            driver, worker = ray.memory[max(0, len(ray.memory) * tenth // 10 - 1)]
            print(f"{tenth * 10:4d} %: driver {driver / 2**20:6.0f} MB, largest worker {worker / 2**20:6.0f} MB")
        if not killer.killed:
            raise SystemExit("no worker was killed: give more pairs")
        if ray.summary != one.summary or together.read_bytes() != alone.read_bytes():
            raise SystemExit("the results differ")
    print(f"{args.pairs:,} rows, numbers, intervals and signatures are the same")


if __name__ == "__main__":
    main()
