"""Score many hostile pairs with the embedded metrics, and count what must never happen.

`python tools/soak_hostile.py --pairs 1000000` prints the counts by metric and the peak memory, and ends with exit code
1 if any count is above 0. The reports come from the grammar and the Unicode trouble of `tests/hostile_reports.py`.
A batch depends on its seed only, so `--workers 4` finds the same as one process. A pair with the eight metrics that
need no model takes 5 to 7 ms: a million take up to two hours on one idle core, and half of that on two.
"""

from __future__ import annotations

import argparse
import gc
import logging
import random
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from hostile_checks import Problems, check_pairs, check_reading, cider_identities, is_valid
from hostile_reports import pair
from radeval_core.registry import metric_names

#: batches between two that are also scored in reverse order
_ORDER_EVERY = 10


def main() -> int:
    """Run the soak and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000, help="number of pairs (default: 10000)")
    parser.add_argument("--batch", type=int, default=500, help="pairs per run of the metrics (default: 500)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first batch (default: 0)")
    parser.add_argument("--seconds", type=float, default=None, help="stop after the batch that ends past this time")
    parser.add_argument("--metrics", default=",".join(metric_names()), help="comma-separated names (default: all)")
    parser.add_argument("--workers", type=int, default=1, help="processes that score batches (default: 1)")
    chosen = parser.parse_args()
    sizes = [min(chosen.batch, chosen.pairs - first) for first in range(0, chosen.pairs, chosen.batch)]
    problems, done, peak, started = Counter[str](), 0, 0.0, time.monotonic()
    with _scored(chosen.seed, sizes, chosen.metrics.split(","), chosen.workers) as batches:
        for size, (found, memory) in zip(sizes, batches, strict=True):
            problems += found
            done, peak = done + size, max(peak, memory)
            print(f"{done} pairs, {sum(problems.values())} problems, peak {peak:.0f} MB", flush=True)
            if chosen.seconds is not None and time.monotonic() - started > chosen.seconds:
                break
    for problem, count in problems.most_common():
        print(f"{count:8d}  {problem}")
    print(f"{done} pairs: {sum(problems.values())} problems; peak memory of a process {peak:.0f} MB")
    return 1 if problems else 0


@contextmanager
def _scored(
    seed: int, sizes: list[int], metrics: list[str], workers: int
) -> Iterator[Iterator[tuple[Problems, float]]]:
    """Give the problems of each batch, in order, and the peak memory of the process that scored it."""
    seeds = range(seed, seed + len(sizes))
    if workers == 1:
        _prepare()
        yield (_batch(*task, metrics) for task in zip(seeds, sizes, strict=True))
        return
    # a pool of this kind fails if a process is killed; one of `multiprocessing` waits for its answer without end
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_prepare)
    try:
        yield pool.map(_batch, seeds, sizes, [metrics] * len(sizes))
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Set up a process that scores batches."""
    logging.disable(logging.WARNING)  # pairs that the parser cannot read are expected here
    # most objects of a batch stay until its end: looking for garbage only then saves a tenth of the time
    gc.freeze()
    gc.disable()


def _batch(seed: int, size: int, metrics: list[str]) -> tuple[Problems, float]:
    problems = _problems(seed, size, metrics)
    gc.collect()
    return problems, _peak()


def _problems(seed: int, size: int, metrics: list[str]) -> Problems:
    drawn = random.Random(seed)
    pairs = [pair(drawn) for _ in range(size)]
    texts = [text for couple in pairs for text in couple]
    try:
        problems: Problems = Counter()
        for text in texts:
            problems += check_reading(text)
        problems += cider_identities([text for text in texts if is_valid((text, text))])
        return problems + check_pairs(pairs, metrics, order=seed % _ORDER_EVERY == 0)
    except Exception as error:
        traceback.print_exc()
        print(f"seed {seed} ended with {type(error).__name__}", file=sys.stderr)
        return Counter({f"exception {type(error).__name__}": 1})


def _peak() -> float:
    """Return the peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 10)


if __name__ == "__main__":
    sys.exit(main())
