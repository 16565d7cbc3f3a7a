"""`radeval oracle`: find the best report of a corpus for each test report."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import (
    TABLES,
    add_command,
    add_model_options,
    add_report_column_options,
    assignment,
    input_files,
    report_columns_of,
)
from radeval_core.cli.tables import print_table
from radeval_core.errors import OutputError, RadevalError

if TYPE_CHECKING:
    from radeval_core.bench.oracle import Oracle

_EXAMPLES = f"""REFERENCES and CORPUS are {TABLES}
with columns text or report and an optional id, or .txt files with one report per line.
The output has one row per test report: {{"id", "best_id", "score"}}. If several reports are equally good, the first of
the corpus is chosen. If every report of the corpus scores 0, an exact search chooses the most frequent one, as the
authors of RadCliQ do; --json counts these as "without_match".

The search is exact, without scoring every pair, for bleu, chexbert_f1, radgraph_f1 and rouge, and for their per-pair
values such as chexbert_f1.similarity or radgraph_f1.simple. Any other metric scores a shortlist: the --candidates N
reports with the highest ROUGE-1. The result then has `"exact": false`. BERTScore is among them: it compares every token
of one report with every token of the other, so there is no shorter way than to score each pair. To do that, give
--candidates the size of the corpus; the result is then exact.

examples:
  radeval oracle test.jsonl train.jsonl --metric radgraph_f1 --out best.jsonl
  radeval oracle test.jsonl train.jsonl --metric chexbert_f1.similarity --config chexbert --out best.jsonl
  radeval oracle test.txt train.txt --metric bleu --option lowercase=true --out best.jsonl --json
  radeval oracle test.jsonl train.jsonl --metric bertscore --candidates 100 --out best.jsonl
"""


def add_oracle_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command; `common` has the options that every command takes."""
    oracle = add_command(
        commands,
        "oracle",
        "find the best report of a corpus for each test report",
        _EXAMPLES,
        common,
        "Metric-oracle retrieval: for each test report, find the report of a corpus that a metric scores best. "
        "This is the upper bound of retrieval under that metric.",
    )
    oracle.set_defaults(run=_oracle)
    oracle.add_argument("references", metavar="REFERENCES", help="file of test reports")
    oracle.add_argument("corpus", metavar="CORPUS", help="file of reports to choose from")
    add_report_column_options(oracle)
    oracle.add_argument("--metric", required=True, metavar="METRIC[.PART]", help="a metric or one of its values")
    oracle.add_argument("--out", required=True, metavar="FILE.jsonl", help="output, one row per test report")
    oracle.add_argument("--config", metavar="CONFIG", help="a config, a Hub id or a folder for the metric")
    oracle.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the metric; can be repeated"
    )
    oracle.add_argument(
        "--candidates", type=int, metavar="N", help="length of the shortlist, for metrics without an exact search"
    )
    add_model_options(oracle)


def _oracle(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.bench.oracle import oracle

    out = io.check_output(args.out, (".jsonl",), inputs=input_files(args))
    columns = report_columns_of(args)
    references, corpus = (list(io.ReportFile.open(path, columns)) for path in (args.references, args.corpus))
    result = oracle(
        references,
        corpus,
        args.metric,
        args.config,
        dict(assignment(text, "--option NAME=VALUE") for text in args.option),
        args.candidates,
        device=args.device,
        cache=args.cache,
        progress=not args.quiet,
    )
    failures: list[OutputError] = []
    with io.kept_going(failures):
        io.write_jsonl(out, result.rows)
    files = {"references_sha256": args.references, "corpus_sha256": args.corpus}
    summary = {**result.summary, **{key: _sha256(path) for key, path in files.items()}}
    if args.json:
        print(json.dumps(summary))
        io.raise_failures(failures)
        _check_scored(result)
        return 0
    mean = "-" if summary["mean"] is None else f"{summary['mean']:.4f}"
    interval, spread = (
        "-" if ends is None else f"{ends[0]:.4f} to {ends[1]:.4f}" for ends in (summary["ci95"], summary["range"])
    )
    better = "↑ higher" if summary["higher_is_better"] else "↓ lower"
    search = "exact" if summary["exact"] else f"shortlists of {args.candidates}"
    cells = [summary["metric"], mean, interval, spread, str(summary["n"]), str(summary["corpus"]), search, better]
    header = ["metric", "mean best score", "95 % interval", "range", "n", "corpus", "search", "better"]
    print_table(header, [cells])
    print(summary["signature"])
    io.raise_failures(failures)
    if not args.quiet:
        if summary["without_match"]:
            print(f"{summary['without_match']} test reports score 0 with every report: the most frequent one is chosen")
        print(f"wrote {len(result.rows)} rows to {out}")
    _check_scored(result)
    return 0


def _check_scored(result: Oracle) -> None:
    """Raise an error if no report of the corpus could be scored for any test report."""
    if not result.summary["n"]:
        why = result.failed_judge or f"none of {len(result.rows)} test reports could be scored with any report"
        raise RadevalError(f"{result.summary['metric']}: {why}")


def _sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
