"""`radeval score`: score pairs of reports."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from typing import Any

from radeval_core.cli.arguments import (
    TABLES,
    add_command,
    add_lexicon_option,
    add_metric_options,
    add_model_options,
    add_pair_column_options,
    configs_of,
    metric_list,
    options_of,
    pair_columns_of,
)
from radeval_core.cli.report import DetailSinks, add_report_options, check_report_options, write_report
from radeval_core.cli.tables import count_text, print_table
from radeval_core.errors import InputError

_EXAMPLES = """examples:
  radeval score pairs.jsonl --metrics bleu,rouge
  radeval score pairs.csv --metrics all --out scores.jsonl
  radeval score study.csv --metrics green --prediction-column generated_report --reference-column ground_truth
  radeval score --predictions mine.txt --references theirs.txt --metrics bertscore --json
  radeval score pairs.jsonl --metrics bertscore --config bertscore=distilroberta-base --device cuda
  radeval score pairs.jsonl --metrics bertscore --config bertscore=./my-encoder --option bertscore.layer=9
  radeval score pairs.jsonl --metrics green,ffl_rq --lexicon my_findings.yaml
  radeval score pairs.jsonl --metrics green,radgraph_f1 --details details.jsonl
  radeval score pairs.jsonl --metrics all --report report.html
"""


def add_score_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    score = add_command(
        commands,
        "score",
        "score pairs of reports",
        _EXAMPLES,
        common,
        "Score generated reports against reference reports, and print a table with 95 % intervals.",
    )
    score.set_defaults(run=_score)
    score.add_argument(
        "pairs",
        nargs="?",
        metavar="PAIRS",
        help=f"{TABLES} with columns prediction, reference, optional id; boxes or image where a metric uses them",
    )
    add_pair_column_options(score)
    score.add_argument("--predictions", metavar="FILE", help="text file, one generated report per line")
    score.add_argument("--references", metavar="FILE", help="text file, one reference report per line")
    add_metric_options(score)
    score.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="METRIC.NAME=VALUE",
        help="an option of a metric, e.g. bertscore.idf=true; may be repeated",
    )
    add_lexicon_option(score)
    score.add_argument("--out", metavar="FILE", help="write per-pair scores: .jsonl, .csv or .parquet")
    score.add_argument(
        "--details",
        metavar="FILE.jsonl",
        help="write what is behind each score: errors, matches, corrections, entities; quotes the reports",
    )
    add_report_options(score)
    score.add_argument(
        "--signatures",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="print the signature of each score below the table (default), or leave them out",
    )
    add_model_options(score)
    score.add_argument("--batch-tokens", type=int, metavar="N", help="tokens per batch, including padding")
    score.add_argument("--limit", type=int, metavar="N", help="score only the first N pairs")


def _score(args: argparse.Namespace) -> int:
    from radeval_core import api, io
    from radeval_core.spool import PairSpool

    names = metric_list(args.metrics)
    out = io.check_output(args.out) if args.out else None
    details = io.check_output(args.details, (".jsonl",), "--details") if args.details else None
    if out and details and out.resolve() == details.resolve():
        raise InputError(f"--out and --details are the same file: {out}")
    page = io.check_output(args.report, (".html",), "--report") if args.report else None
    check_report_options(args)
    configs, options = configs_of(args), options_of(args)
    # reads and checks the whole file once, before the first pair is scored
    pairs = PairSpool(_open_pairs(args, api.columns_read(names, configs, options)))
    total = len(pairs)
    if not total:
        raise InputError(f"{args.pairs or args.predictions}: no pairs to score")
    with io.jsonl_writer(details) if details else nullcontext() as write_details:
        sinks = DetailSinks(write_details, bool(page))
        scores = api.score(
            pairs,
            names,
            configs,
            options,
            device=args.device,
            batch_tokens=args.batch_tokens,
            cache=args.cache,
            progress=not args.quiet,
            total=total,
            lexicon=args.lexicon,
            on_details=sinks.on_details,
        )
    if out:
        io.write_rows(out, scores.rows())
    if page:
        write_report(page, args, scores, pairs, sinks)
    empty = {"empty_predictions": pairs.empty_predictions, "empty_references": pairs.empty_references}
    summary = {name: row | empty for name, row in scores.summary().items()}
    if args.json:
        print(json.dumps(summary))
        return 0
    _print_scores(summary, args.signatures)
    _warn_coverage(summary, total)
    if any(empty.values()) and not args.quiet:
        counts = [f"{number} of {total} {name.removeprefix('empty_')}" for name, number in empty.items() if number]
        print(f"empty reports, scored as such: {', '.join(counts)}")
    if out and not args.quiet:
        print(f"{total} rows written to {out}")
    if details and not args.quiet:
        print(f"details of {total} pairs written to {details}")
    if page and not args.quiet:
        print(f"report on {total} pairs written to {page}")
    return 0


def _open_pairs(args: argparse.Namespace, further: tuple[str, ...]) -> Any:
    """Return a reader of the pairs in PAIRS, or in the two text files; `further` are columns that a metric reads."""
    from radeval_core import io

    if bool(args.pairs) == bool(args.predictions or args.references):
        raise InputError("give a file of PAIRS, or --predictions FILE and --references FILE")
    if not args.pairs and not (args.predictions and args.references):
        raise InputError("--predictions and --references must be given together")
    if args.limit is not None and args.limit < 1:
        raise InputError(f"--limit must be at least 1, got {args.limit}")
    columns = pair_columns_of(args)
    if args.pairs:
        return io.open_pairs(args.pairs, args.limit, columns, further)
    if columns != io.PairColumns():
        raise InputError("text files have no columns: --prediction-column and the like are for a file of PAIRS")
    return io.open_text_files(args.predictions, args.references, args.limit)


def _warn_coverage(summary: dict[str, dict[str, Any]], total: int) -> None:
    """Print a warning if the findings parser understood little of the reports. All its metrics read the same pairs."""
    covered = [name for name, row in summary.items() if "coverage" in row]
    coverage = summary[covered[0]]["coverage"] if covered else None
    if coverage and coverage["mean"] < coverage["low_below"]:
        print(
            f"low coverage: the findings parser understood {coverage['mean']:.0%} of the words of a pair on average, "
            f"and less than {coverage['low_below']:.0%} in {coverage['low']} of {total} pairs. Do not trust "
            f"{', '.join(covered)} there; --out has the coverage of each pair."
        )


def _print_scores(summary: dict[str, dict[str, Any]], signatures: bool) -> None:
    """Print a table of the scores and, below it, one signature per line, never wrapped."""
    rows, short_rows = [], []
    for name, row in summary.items():
        interval = f"{row['ci95'][0]:.4f} to {row['ci95'][1]:.4f}" if row["ci95"] else "-"
        score = "-" if row["score"] is None else f"{row['score']:.4f}"
        arrow, word = ("↑", "higher") if row["higher_is_better"] else ("↓", "lower")
        of_all = f"{row['n']} of {row['n'] + row['unscored']}" if row["unscored"] else f"{row['n']}"
        rows.append([name, score, interval, count_text(row), f"{arrow} {word}"])
        short_rows.append([name, score, interval, of_all, arrow])
    print_table(["metric", "score", "95 % interval", "n", "better"], rows, short_rows)
    if signatures:
        print(*(row["signature"] for row in summary.values()), sep="\n")
