"""How fast each metric is, embedded config, on a corpus that repeats like real output.

    python tools/bench_metrics.py
    python tools/bench_metrics.py --pairs 2000 --metrics bleu,rouge

Prints pairs per second after loading, and how many times slower than the fastest metric of the same run: the first
changes from machine to machine, the second hardly does.
"""

from __future__ import annotations

import argparse
import time

from bench_engine import repeating_corpus
from radeval_core import metric_names, score


def main() -> None:
    """Time every metric in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=590, help="size of the made corpus (default: 590)")
    parser.add_argument("--distinct", type=int, default=25, help="distinct predictions in it (default: 25)")
    parser.add_argument("--metrics", default=",".join(metric_names()), help="comma-separated names (default: all)")
    args = parser.parse_args()
    pairs = repeating_corpus(args.pairs, args.distinct)
    speed = {}
    for name in args.metrics.split(","):
        score(pairs[:8], [name])  # load and warm up
        started = time.perf_counter()
        score(pairs, [name])
        speed[name] = len(pairs) / (time.perf_counter() - started)
    fastest = max(speed.values())
    print(f"{args.pairs} pairs, {args.distinct} distinct predictions")
    for name, rate in sorted(speed.items(), key=lambda item: -item[1]):
        print(f"{name:14} {rate:10,.0f} pairs/s   {fastest / rate:6.1f}x the time of the fastest")


if __name__ == "__main__":
    main()
