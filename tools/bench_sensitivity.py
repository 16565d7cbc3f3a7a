"""Measure how much each metric falls when a report gets one error of a known kind. Table 3 of the FFL paper.

    python tools/bench_sensitivity.py
    python tools/bench_sensitivity.py --metrics bleu,rouge,ffl_rq --data pairs.jsonl --seeds 5

This is the section of `radeval bench --sensitivity`, on the references of any file of pairs.
`radeval_core.bench.sensitivity` explains the computation and which metrics it favours.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from radeval_core import metric_names
from radeval_core.bench.sensitivity import sensitivity
from radeval_core.bench.tables import extra_tables
from radeval_core.cli.arguments import metric_list
from radeval_core.cli.tables import print_table
from radeval_core.io import open_pairs

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "pairs.jsonl"


def main() -> None:
    """Print one row per metric and one column per kind of change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", default=str(EXAMPLES), help="file of pairs; their references are changed (default: the examples)"
    )
    parser.add_argument("--metrics", default=",".join(metric_names()), help="comma-separated names (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="changes per report and kind (default: 3)")
    args = parser.parse_args()
    references = [pair.reference for pair in open_pairs(args.data)]
    found = sensitivity(references, metric_list(args.metrics), seeds=args.seeds)
    print(f"{found['reports']} reports from {Path(args.data).name}, {args.seeds} seeds")
    (table,) = extra_tables({"sensitivity": found})
    print_table(table.header, table.rows)
    print(table.note)


if __name__ == "__main__":
    main()
