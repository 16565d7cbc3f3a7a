"""Build the radcheck dataset: `python tools/build_radcheck.py OUT [--seed N] [--sample FILE]`."""

from __future__ import annotations

import argparse
from pathlib import Path

import pyarrow.parquet as pq

from radeval_core.data.radcheck.generate import build, write_sample


def main() -> None:
    """Write the Parquet files, and the small sample if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder of the Parquet files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=Path, help="also write about 20 pairs as JSON Lines here")
    args = parser.parse_args()
    for path in build(args.out, args.seed):
        print(path, pq.read_metadata(path).num_rows)
    if args.sample:
        write_sample(args.sample, seed=args.seed)


if __name__ == "__main__":
    main()
