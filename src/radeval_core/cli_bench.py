"""`radeval bench` and `radeval compare`: argument parsing and printing."""

from __future__ import annotations

import argparse
import json
from typing import Any

from radeval_core.cli_forms import (
    add_command,
    add_data_options,
    add_model_options,
    assignment,
    count_text,
    metric_list,
    print_table,
)

_BENCH_EXAMPLES = """a row of the data, each measure a number or a list with one a rater (null: not read by them):
  {"id": "1a", "study": "1", "prediction": "Clear lungs.", "reference": "Left effusion.",
   "expert": {"errors": [1, 2], "significant_errors": [1, 1], "rating": [2, 1],
              "categories": {"missing_finding": {"significant": [1, 1], "insignificant": [0, 1]}}}}
Further measures: matched_findings, and for two candidates preferred (1 or 0) and confidence. Categories: false_finding,
missing_finding, wrong_location, wrong_severity, false_comparison, omitted_comparison; left out means no error.

Candidates for one report share a `study` (default: the id): whole studies are resampled for the 95 % intervals, and
studies with two candidates and ratings give the preference accuracy. `experts` in the result is each rater against
the mean of the others: what a metric can hope for. --json has Spearman and Pearson too, and tests metrics in pairs.

Other rows: {"id", "original", "synonym", "opposite"} asks which metric tells a synonym from an opposite;
{"id", "prediction", "reference", "lines": [{"line": 0, "action": "rewrite", "corrected": "...", "severity": 2}]}
asks whether fineradscore corrects as a radiologist does (action: keep, delete, rewrite, insert).

examples:
  radeval bench --data rated.jsonl --metrics green,rouge
  radeval bench --data rated.jsonl --metrics all --json > agreement.json
  radeval bench --data rated.jsonl --metrics bertscore --config bertscore=./my-encoder
  radeval bench --data radcheck --data-config eval --split test --metrics all --html bench.html
  radeval bench --data radcheck --data-config synthetic --metrics green,ratescore,bleu
  radeval bench --data ./rexval --metrics all --sensitivity
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
    bench = add_command(
        commands,
        "bench",
        "agreement of metrics with experts",
        _BENCH_EXAMPLES,
        common,
        "Which metric agrees with experts? Kendall's tau-b with their numbers, positive for agreement.",
    )
    bench.set_defaults(run=_bench)
    add_data_options(bench)
    bench.add_argument("--sensitivity", action="store_true", help="also put errors of known kinds into the references")
    bench.add_argument("--html", metavar="FILE.html", help="write a page with plots; no report text is on it")

    compare = add_command(
        commands,
        "compare",
        "compare two systems on the same references",
        _COMPARE_EXAMPLES,
        common,
        "Is system B better than system A? Paired bootstrap and approximate randomisation.",
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
        add_model_options(command)


def _bench(args: argparse.Namespace) -> int:
    from radeval_core.bench.page import bench_page
    from radeval_core.bench.run import run_bench
    from radeval_core.bench.sources import open_data
    from radeval_core.bench.tables import extra_tables, main_table, metrics_of
    from radeval_core.io import check_output, write_text

    page = check_output(args.html, (".html",), "--html") if args.html else None
    names = list(dict.fromkeys(metric_list(args.metrics)))
    data = open_data(args.data, args.data_config, args.split)
    outcome = run_bench(data, names, with_sensitivity=args.sensitivity, **_scoring_options(args))
    result = outcome.result
    if page:
        write_text(page, bench_page(outcome))
    if args.json:
        print(json.dumps(result))
        return 0
    for i, table in enumerate((main_table(result), *extra_tables(result))):
        if i:
            print(f"\n{table.title}")
        print_table(table.header, table.rows)
        if table.note and not args.quiet:
            print(table.note)
        if not i and not args.quiet:
            print(f"95 % intervals: {result['resamples']} resamples by study, seed {result['seed']}")
    print("\n" + "\n".join(result[name]["signature"] for name in metrics_of(result)))
    if page and not args.quiet:
        print(f"page written to {page}")
    return 0


def _compare(args: argparse.Namespace) -> int:
    from radeval_core.bench.compare import compare
    from radeval_core.bench.tables import value

    result = compare(args.first, args.second, metric_list(args.metrics), **_scoring_options(args))
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


def _scoring_options(args: argparse.Namespace) -> dict[str, Any]:
    configs = dict(assignment(text, "--config METRIC=CONFIG") for text in args.config)
    return {"configs": configs, "device": args.device, "cache": args.cache, "progress": not args.quiet}
