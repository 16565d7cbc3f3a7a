"""`radeval train inject`: training pairs with known errors, without a teacher."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import add_command, add_report_column_options, input_files, report_columns_of
from radeval_core.cli.train_files import add_training_file_options, print_training_file, token_counter
from radeval_core.errors import InputError

if TYPE_CHECKING:
    from radeval_core.train.inject.pairs import GoldPair

_EXAMPLES = """Each report is the reference. The candidate is the report with errors put into it: a finding added, left
out, denied or replaced, on the wrong side or in the wrong place, of the wrong severity, with a comparison added or left
out. All six categories are tried alike. A change that changes nothing is dropped. The answer states exactly these
errors, in the metric's own form, and the metric's own reader has read it. No model is asked and nothing is sent.

This teaches the form of the answer and single, clear errors. It does not teach the errors of real systems: train.md
says more. Pairs of a report are all in one split. The same seed gives the same file.

examples:
  radeval train inject reports.jsonl --metric green --count 1000 --out train.jsonl
  radeval train inject reports.jsonl --metric green --max-words 50 --compact --count 400 --out short.jsonl
  radeval data build radcheck --out radcheck
  radeval train inject radcheck/eval/train.parquet --text-column reference --id-column study --metric crimson \\
      --out train.jsonl
"""


def add_inject_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train inject`."""
    command = add_command(
        group, "inject", "make a training file from reports by putting known errors into them", _EXAMPLES, common
    )
    command.set_defaults(run=_inject)
    command.add_argument(
        "reports", metavar="REPORTS", help="table with id and text, or a text file, one report per line"
    )
    add_report_column_options(command)
    command.add_argument(
        "--metric", default="green", help="form of the answers: green (default), crimson or fineradscore"
    )
    command.add_argument("--count", type=int, default=500, metavar="N", help="number of pairs (default: 500)")
    command.add_argument(
        "--max-errors", type=int, default=3, metavar="N", help="most changes that make errors, per pair (default: 3)"
    )
    command.add_argument(
        "--max-words", type=int, metavar="N", help="shorten each report to its first sentences, at most N words"
    )
    command.add_argument(
        "--compact", action="store_true", help="green only: leave out categories without errors, for small models"
    )
    add_training_file_options(command)


def _inject(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.train.datasheet import Making, sheet_paths, write_datasheet
    from radeval_core.train.inject.pairs import inject_errors
    from radeval_core.train.inject.rows import LIMITS, check_metric, injected_rows
    from radeval_core.train.rows import INJECTED, write_training_rows
    from radeval_core.train.splits import check_splits, read_proportions

    check_metric(args.metric, args.compact)
    proportions = read_proportions(args.splits)
    out = io.check_output(args.out, (".jsonl",), inputs=input_files(args))
    sheet_paths(out, input_files(args))
    tokens = token_counter(args.tokenizer)
    reports = _reports(args)
    pairs = inject_errors(reports, args.count, args.seed, args.max_errors, args.max_words)
    if args.dry_run:
        return _plan(args, reports, pairs)
    shown = io.with_progress(pairs, args.count, not args.quiet)
    dropped: Counter[str] = Counter()
    rows = list(injected_rows(shown, args.metric, args.seed, proportions, args.compact, dropped))
    if not rows:
        raise InputError(f"{args.reports}: no error can be put into any report: the parser knows none of its findings")
    check_splits((row.study for row in rows), args.seed, proportions)
    write_training_rows(out, rows)
    options = {name: getattr(args, name) for name in ("count", "max_errors", "max_words", "compact", "seed", "splits")}
    making = Making("inject", [Path(args.reports)], options, [INJECTED], args.terms, LIMITS, dropped)
    print_training_file(args, out, write_datasheet(out, rows, making, tokens))
    return 0


def _plan(args: argparse.Namespace, reports: dict[str, str], pairs: Any) -> int:
    """Print what would be done, with a time estimated from the first pairs."""
    from itertools import islice
    from time import perf_counter

    start = perf_counter()
    made: list[GoldPair] = list(islice(pairs, 20))
    seconds = (perf_counter() - start) / max(len(made), 1) * args.count
    plan = {"reports": len(reports), "pairs": args.count, "seconds": round(seconds, 1), "sends_reports_to": None}
    if args.json:
        print(json.dumps(plan))
    elif made:
        print(f"{args.count} pairs from {len(reports)} reports, about {seconds:.0f} s on this machine; nothing is sent")
    else:
        print(f"no error can be put into any of {len(reports)} reports: the parser knows none of their findings")
    return 0


def _reports(args: argparse.Namespace) -> dict[str, str]:
    """Return the reports by id; a report may be repeated, as in a table of pairs, but not with another text."""
    from radeval_core.io import ReportFile

    texts: dict[str, str] = {}
    for row_id, text in ReportFile.open(args.reports, report_columns_of(args)):
        if not text.strip():
            raise InputError(f"{args.reports}: the report with id {row_id!r} is empty; remove it")
        if texts.setdefault(str(row_id), text) != text:
            raise InputError(f"{args.reports}: id {row_id!r} has two different texts")
    if not texts:
        raise InputError(f"{args.reports}: the file has no reports")
    return texts
