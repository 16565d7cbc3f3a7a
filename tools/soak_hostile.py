"""Score many hostile pairs with the embedded metrics, and count what must never happen.

`python tools/soak_hostile.py --pairs 1000000` prints the counts by metric and the peak memory, and ends with exit code
1 if any count is above 0. The reports come from the grammar and the Unicode trouble of `tests/hostile_reports.py`.
"""

from __future__ import annotations

import argparse
import logging
import random
import resource
import sys
import time
import traceback
from collections import Counter
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
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)  # pairs that the parser cannot read are expected here
    problems, done, started = Counter[str](), 0, time.monotonic()
    while done < chosen.pairs and (chosen.seconds is None or time.monotonic() - started < chosen.seconds):
        size = min(chosen.batch, chosen.pairs - done)
        problems += _batch(chosen.seed + done // chosen.batch, size, chosen.metrics.split(","))
        done += size
        print(f"{done} pairs, {sum(problems.values())} problems, peak {_peak():.0f} MB", flush=True)
    for problem, count in problems.most_common():
        print(f"{count:8d}  {problem}")
    print(f"{done} pairs: {sum(problems.values())} problems; peak memory {_peak():.0f} MB")
    return 1 if problems else 0


def _batch(seed: int, size: int, metrics: list[str]) -> Problems:
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
