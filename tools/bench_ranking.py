"""Measure the time and memory of ranking many systems by one metric, on invented scores of 112 studies.

python tools/bench_ranking.py --systems 100 300 1000
python tools/bench_ranking.py --systems 1000 --missing 0.01
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from radeval_core.leaderboard.ranking import ALPHA
from radeval_core.stats.all_pairs import flips_for, significantly_better


def main() -> None:
    """Rank invented systems and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--missing", type=float, default=0.0, help="share of unscored studies (default: 0)")
    options = parser.parse_args()
    for count in options.systems:
        rng = np.random.default_rng(count)
        skill = rng.normal(0.5, 0.1, count)[:, None]
        scores = np.clip(rng.normal(0, 0.2, 112) + skill + rng.normal(0, 0.2, (count, 112)), 0, 1)
        scores[rng.random(scores.shape) < options.missing] = np.nan
        start = time.process_time()
        better = significantly_better(scores, ALPHA)
        taken = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ranks = len(set(better.sum(axis=1)))
        print(
            f"{count} systems: {taken:.1f} s CPU, {memory:.0f} MB, {flips_for(count):,} flips, {ranks} ranks",
            flush=True,
        )


if __name__ == "__main__":
    main()
