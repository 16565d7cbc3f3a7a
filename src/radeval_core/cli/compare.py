"""`radeval compare`: test if one system is better than another."""

from __future__ import annotations

import argparse
import json
from typing import Any

from radeval_core.cli.arguments import (
    TABLES,
    add_command,
    add_metric_options,
    add_model_options,
    add_pair_column_options,
    configs_of,
    metric_list,
    pair_columns_of,
)
from radeval_core.cli.tables import count_text, print_table

_EXAMPLES = """Both files must have the same ids and references in the same order. p-values are (k + 1) / (n + 1), from
1,000 resamples and 10,000 sign flips of the per-pair differences with a fixed seed. Holm's method corrects for several
metrics. The means are over per-pair scores; for corpus scores such as bleu they differ from the headline of
`radeval score`.

examples:
  radeval compare old.jsonl new.jsonl --metrics green,rouge
  radeval compare old.csv new.csv --metrics all --json
"""


def add_compare_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    compare = add_command(
        commands,
        "compare",
        "compare two systems on the same references",
        _EXAMPLES,
        common,
        "Test if system B is better than system A, by paired bootstrap and approximate randomisation.",
    )
    compare.set_defaults(run=_compare)
    compare.add_argument("first", metavar="A", help=f"pairs of system A: {TABLES}")
    compare.add_argument("second", metavar="B", help="pairs of system B, with the same ids and references")
    add_pair_column_options(compare)
    add_metric_options(compare)
    add_model_options(compare)


def _compare(args: argparse.Namespace) -> int:
    from radeval_core.bench.compare_systems import compare
    from radeval_core.bench.tables import value

    result = compare(
        args.first,
        args.second,
        metric_list(args.metrics),
        configs=configs_of(args),
        columns=pair_columns_of(args),
        device=args.device,
        cache=args.cache,
        progress=not args.quiet,
    )
    if args.json:
        print(json.dumps(result))
        return 0
    rows = []
    for name, row in result.items():
        means = ["-" if row[key] is None else f"{row[key]:.4f}" for key in ("a", "b")]
        gap = value({"value": row["difference"], "ci95": row["ci95"]})
        tests = [f"{row[f'{key}_holm']:.4f}" for key in ("p_bootstrap", "p_randomisation")]
        rows.append([name, *means, gap, *tests, count_text(row), "↑ higher" if row["higher_is_better"] else "↓ lower"])
    header = ["metric", "mean A", "mean B", "B - A (95 % interval)", "p bootstrap", "p randomisation", "n", "better"]
    print_table(header, rows)
    if not args.quiet:
        print(f"p-values after Holm's correction for {len(result)} metric{'s' if len(result) > 1 else ''}")
    print("\n".join(row["signature"] for row in result.values()))
    return 0
