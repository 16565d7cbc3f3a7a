"""`radeval bench` and `radeval compare`: argument parsing and printing."""

from __future__ import annotations

import argparse
import json
from typing import Any

from radeval_core.cli_forms import assignment, count_text, metric_list, print_table

_BENCH_EXAMPLES = """a row of the data, each measure a number or a list with one a rater (null: not read by them):
  {"id": "1a", "study": "1", "prediction": "Clear lungs.", "reference": "Left effusion.",
   "expert": {"errors": [1, 2], "significant_errors": [1, 1], "rating": [2, 1]}}

Candidates for one report share a `study` (default: the id): whole studies are resampled for the 95 % intervals, and
studies with two candidates and ratings give the preference accuracy. `experts` in the result is each rater against
the mean of the others: what a metric can hope for. --json has Spearman and Pearson too, and tests metrics in pairs.

examples:
  radeval bench --data rated.jsonl --metrics green,rouge
  radeval bench --data rated.jsonl --metrics all --json > agreement.json
  radeval bench --data rated.jsonl --metrics bertscore --config bertscore=./my-encoder
"""

_COMPARE_EXAMPLES = """Both files hold the same ids and references in the same order. p-values are (k + 1) / (n + 1),
from 1,000 resamples and 10,000 sign flips of per-pair differences, seed fixed; Holm corrects for several metrics.
The means are those of per-pair scores, which for corpus scores such as bleu is not the headline of `radeval score`.

examples:
  radeval compare old.jsonl new.jsonl --metrics green,rouge
  radeval compare old.csv new.csv --metrics all --json
"""


def add_bench_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add both commands; `common` has the options every command takes."""
    bench = commands.add_parser(
        "bench",
        parents=[common],
        help="agreement of metrics with experts",
        epilog=_BENCH_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Which metric agrees with experts? Kendall's tau-b with their numbers, positive for agreement.",
    )
    bench.set_defaults(run=_bench)
    bench.add_argument("--data", required=True, metavar="FILE.jsonl", help="pairs with expert numbers, see below")

    compare = commands.add_parser(
        "compare",
        parents=[common],
        help="compare two systems on the same references",
        epilog=_COMPARE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Is system B better than system A? Paired bootstrap and approximate randomisation.",
    )
    compare.set_defaults(run=_compare)
    compare.add_argument("first", metavar="A", help="pairs of system A: JSONL, CSV or Parquet")
    compare.add_argument("second", metavar="B", help="pairs of system B, with the same ids and references")
    for command in (bench, compare):
        command.add_argument("--metrics", required=True, help="comma-separated names, or `all`; see `radeval metrics`")
        command.add_argument(
            "--config",
            action="append",
            default=[],
            metavar="METRIC=CONFIG",
            help="a config, a Hub id or a folder for a metric; may be repeated",
        )
        command.add_argument("--device", help="cuda, cuda:N, mps or cpu; the best one by default")
        command.add_argument("--cache", metavar="DIR", help="keep annotations between runs, sealed")


def _bench(args: argparse.Namespace) -> int:
    from radeval_core.bench.agreement import bench
    from radeval_core.bench.expert_data import MEASURES, read_expert_data

    names = list(dict.fromkeys(metric_list(args.metrics)))
    data = read_expert_data(args.data)
    result = bench(data, names, **_scoring_options(args))
    if args.json:
        print(json.dumps(result))
        return 0
    titles = {f"kendall_{m}": f"tau {m.replace('_', ' ')}" for m in MEASURES if m in data.raters}
    titles["preference_accuracy"] = "preference accuracy"
    rows = [
        [name, *(_with_interval(result[name].get(key)) for key in titles), count_text(result[name])] for name in names
    ]
    if result["experts"]:
        rows.append(["experts", *(_with_interval(result["experts"].get(key)) for key in titles), ""])
    print_table(["metric", *titles.values(), "n"], rows)
    if not args.quiet:
        print(f"95 % intervals: {result['resamples']} resamples by study, seed {result['seed']}")
    print("\n".join(result[name]["signature"] for name in names))
    return 0


def _compare(args: argparse.Namespace) -> int:
    from radeval_core.bench.compare import compare

    result = compare(args.first, args.second, metric_list(args.metrics), **_scoring_options(args))
    if args.json:
        print(json.dumps(result))
        return 0
    rows = []
    for name, row in result.items():
        means = ["-" if row[key] is None else f"{row[key]:.4f}" for key in ("a", "b")]
        gap = _with_interval({"value": row["difference"], "ci95": row["ci95"]})
        tests = [f"{row[f'{key}_holm']:.4f}" for key in ("p_bootstrap", "p_randomisation")]
        rows.append([name, *means, gap, *tests, count_text(row), "↑ higher" if row["higher_is_better"] else "↓ lower"])
    header = ["metric", "mean A", "mean B", "B - A (95 % interval)", "p bootstrap", "p randomisation", "n", "better"]
    print_table(header, rows)
    if not args.quiet:
        print(f"p-values after Holm's correction for {len(result)} metric{'s' if len(result) > 1 else ''}")
    print("\n".join(row["signature"] for row in result.values()))
    return 0


def _scoring_options(args: argparse.Namespace) -> dict[str, Any]:
    configs = dict(assignment(text, "--config METRIC=CONFIG") for text in args.config)
    return {"configs": configs, "device": args.device, "cache": args.cache, "progress": not args.quiet}


def _with_interval(row: dict[str, Any] | None) -> str:
    if row is None or row["value"] is None:
        return "-"
    interval = f" ({row['ci95'][0]:.3f} to {row['ci95'][1]:.3f})" if row["ci95"] else ""
    return f"{row['value']:.3f}{interval}"
