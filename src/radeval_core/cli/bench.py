"""`radeval bench`: measure how well metrics agree with experts."""

from __future__ import annotations

import argparse
import json
from typing import Any

from radeval_core.cli.arguments import (
    add_command,
    add_data_options,
    add_metric_options,
    add_model_options,
    configs_of,
    input_files,
    metric_list,
)
from radeval_core.cli.judge_failures import check_scored, failure_notes
from radeval_core.cli.tables import print_table
from radeval_core.errors import OutputError

_EXAMPLES = """A row of the data. Each measure is a number or a list with one per rater (null if they did not read it):
  {"id": "1a", "study": "1", "prediction": "Clear lungs.", "reference": "Left effusion.",
   "expert": {"errors": [1, 2], "significant_errors": [1, 1], "rating": [2, 1],
              "categories": {"missing_finding": {"significant": [1, 1], "insignificant": [0, 1]}}}}
Other measures: matched_findings, and for two candidates preferred (1 or 0) and confidence. Categories: false_finding,
missing_finding, wrong_location, wrong_severity, false_comparison, omitted_comparison; a missing one means no error.

Candidates for the same report share a `study` (default: the id). The 95 % intervals resample whole studies. Studies
with two candidates and ratings give the preference accuracy. `experts` in the result compares each rater with the mean
of the others: the most a metric can reach. --json adds Spearman and Pearson, and tests between pairs of metrics.

Other kinds of rows:
  {"id", "original", "synonym", "opposite"}
    measures if a metric scores the synonym better than the opposite
  {"id", "prediction", "reference", "lines": [{"line": 0, "action": "rewrite", "corrected": "...", "severity": 2}]}
    measures if fineradscore corrects as a radiologist does (action: keep, delete, rewrite, insert)
  {"id", "tokens": ["No", "effusion"], "tags": ["O", "B-Non-Abnormality"]}
    measures if ratescore's reader finds the entities: precision, recall, F1 and accuracy per type

examples:
  radeval bench --data rated.jsonl --metrics green,rouge
  radeval bench --data rated.jsonl --metrics green.error_count,chexbert_f1.similarity,radgraph_f1.combined
  radeval bench --data rated.jsonl --metrics all --json > agreement.json
  radeval bench --data rated.jsonl --metrics bertscore --config bertscore=./my-encoder
  radeval bench --data radcheck --data-config eval --split test --metrics all --html bench.html
  radeval bench --data radcheck --data-config synthetic --metrics green,ratescore,bleu
  radeval bench --data ./rexval --metrics all --sensitivity
  radeval bench --data radcheck --metrics all --discrimination --html page.html
  radeval bench --data rate_ner --metrics ratescore --config ratescore=rate-ner-deberta
"""


def add_bench_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    bench = add_command(
        commands,
        "bench",
        "measure how well metrics agree with experts",
        _EXAMPLES,
        common,
        "Measure how well metrics agree with experts: Kendall's tau-b with their ratings; positive is agreement.",
    )
    bench.set_defaults(run=_bench)
    add_data_options(bench)
    bench.add_argument("--sensitivity", action="store_true", help="also test with known errors put into the references")
    bench.add_argument(
        "--discrimination",
        action="store_true",
        help="also test on generated reports: which errors does each metric notice, and what does rewording cost?",
    )
    bench.add_argument("--html", metavar="FILE.html", help="write a page with plots, without report texts")

    add_metric_options(bench, parts=True)
    add_model_options(bench)


def _bench(args: argparse.Namespace) -> int:
    from radeval_core.bench.page import bench_page
    from radeval_core.bench.run import run_bench
    from radeval_core.bench.sources import open_data
    from radeval_core.bench.tables import extra_tables, main_table, metrics_of
    from radeval_core.io import check_output, kept_going, raise_failures, write_text

    page = check_output(args.html, (".html",), "--html", input_files(args)) if args.html else None
    names = metric_list(args.metrics, parts=True)
    data = open_data(args.data, args.data_config, args.split)
    outcome = run_bench(
        data,
        names,
        with_sensitivity=args.sensitivity,
        with_discrimination=args.discrimination,
        configs=configs_of(args),
        device=args.device,
        cache=args.cache,
        progress=not args.quiet,
    )
    result = outcome.result
    failures: list[OutputError] = []
    with kept_going(failures):
        if page:
            write_text(page, bench_page(outcome))
    if args.json:
        print(json.dumps(result))
        raise_failures(failures)
        check_scored(outcome.metric_results)
        return 0
    for i, table in enumerate((main_table(result), *extra_tables(result))):
        if i:
            print(f"\n{table.title}")
        print_table(table.header, table.rows)
        if table.note and not args.quiet:
            print(table.note)
        if not i and not args.quiet:
            print(f"95 % intervals: {result['resamples']} resamples of studies, seed {result['seed']}")
    print("\n" + "\n".join(result[name]["signature"] for name in metrics_of(result)))
    print("".join(f"{note}\n" for note in failure_notes(outcome.metric_results)), end="")
    raise_failures(failures)
    if page and not args.quiet:
        print(f"wrote page to {page}")
    check_scored(outcome.metric_results)
    return 0
