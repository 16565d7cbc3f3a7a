"""Measure what a reward costs on top of its metric, per call of 16 pairs, and whether memory stays flat.

    python tools/bench_rewards.py
    python tools/bench_rewards.py --metrics green,bleu --repeats 30
    python tools/bench_rewards.py --memory 1000

The same completions go through the scorer of the metric alone ("own") and through the reward, in turns, each with its
own memory of texts. References repeat from call to call, as in training; completions never do. CPU time is compared,
because other programs on the machine change the time on the clock; the median of the calls counts.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from bench_metrics import distinct_corpus
from radeval_core import Pair, metric_names
from radeval_core.api import make_resources, make_scorer
from radeval_core.metrics._coverage import score_covered
from radeval_core.rewards import make_reward

BATCH = 16


class Batches:
    """Batches of pairs whose references are always the same and whose completions were never seen before."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = pairs
        self.references = [pair.reference for pair in pairs]
        self._numbers = count(1)

    def new(self) -> list[Pair]:
        """Return the next batch."""
        number = next(self._numbers)
        return [Pair(f"{p.prediction} Image {number}.", p.references, i) for i, p in enumerate(self.pairs)]


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of a call, in seconds."""
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(name: str, repeats: int) -> tuple[float, float]:
    """Return the CPU time per call of the metric alone and of the reward, in milliseconds."""
    batches = Batches(distinct_corpus(BATCH, seed=17))
    options = {"corpus": batches.references} if name == "cider" else {}
    resources = make_resources(progress=False)
    reward = make_reward(name, options={name: options} if options else None)
    scorer = make_scorer(name, None, resources, options)
    own, rewarded = [], []
    for turn in range(-2, repeats):  # the first two calls warm up
        pairs = batches.new()
        texts = [pair.prediction for pair in pairs]

        def alone(pairs: list[Pair] = pairs) -> object:
            return score_covered(scorer, pairs, False)

        def call(texts: list[str] = texts) -> object:
            return reward(completions=texts, reference=batches.references)

        order = (alone, call) if turn % 2 else (call, alone)
        seconds = {work.__name__: cpu_seconds(work) for work in order}
        if turn >= 0:
            own.append(seconds["alone"])
            rewarded.append(seconds["call"])
    return 1e3 * statistics.median(own), 1e3 * statistics.median(rewarded)


def resident() -> float:
    """Return the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096 / 1e6


def memory(name: str, calls: int) -> list[float]:
    """Return the memory after the warm-up and after each quarter of the calls, in MB; every completion is new."""
    batches = Batches(distinct_corpus(BATCH, seed=17))
    options = {name: {"corpus": batches.references}} if name == "cider" else None
    reward = make_reward(name, options=options)

    def some(number: int) -> None:
        for _ in range(number):
            reward(completions=[pair.prediction for pair in batches.new()], reference=batches.references)

    some(max(1, calls // 10))
    found = [resident()]
    for _ in range(4):
        some(calls // 4)
        found.append(resident())
    return found


def main() -> None:
    """Print one line per metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", default="all", help="metrics, separated by commas (default: all)")
    parser.add_argument("--repeats", type=int, default=15, help="calls per metric (default: 15)")
    parser.add_argument("--memory", type=int, metavar="CALLS", help="measure memory over this many calls instead")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    names = metric_names() if args.metrics == "all" else args.metrics.split(",")
    if args.memory:
        print(f"{'metric':14} MB after warm-up and after each quarter of {args.memory} calls")
        for name in names:
            print(f"{name:14} " + "  ".join(f"{value:7.1f}" for value in memory(name, args.memory)), flush=True)
        return
    print(f"{'metric':14} {'own ms':>8} {'reward ms':>10} {'ratio':>6}   CPU time per call of {BATCH} pairs")
    for name in names:
        own, rewarded = measure(name, args.repeats)
        print(f"{name:14} {own:8.1f} {rewarded:10.1f} {rewarded / own:6.2f}", flush=True)


if __name__ == "__main__":
    main()
