"""`radeval oracle`: argument parsing and printing."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from radeval_core.cli_forms import add_command, add_model_options, assignment, print_table

_EXAMPLES = """REFERENCES and CORPUS: JSONL with text and perhaps id, or text files with one report a line. OUT gets a
row a test report, {"id", "best_id", "score"}; of equally good reports the first of the corpus is taken.

Exact, without scoring every pair: bleu, chexbert_f1, radgraph_f1 and rouge, and their per-pair values such as
chexbert_f1.similarity or radgraph_f1.simple. Any other metric scores a shortlist, the --candidates N reports with the
highest ROUGE-1; the result then says `"exact": false`.

examples:
  radeval oracle test.jsonl train.jsonl --metric radgraph_f1 --out best.jsonl
  radeval oracle test.jsonl train.jsonl --metric chexbert_f1.similarity --config chexbert --out best.jsonl
  radeval oracle test.txt train.txt --metric bleu --option lowercase=true --out best.jsonl --json
  radeval oracle test.jsonl train.jsonl --metric bertscore --candidates 100 --out best.jsonl
"""


def add_oracle_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command; `common` has the options every command takes."""
    oracle = add_command(
        commands,
        "oracle",
        "the best report of a corpus for each test report",
        _EXAMPLES,
        common,
        "Metric-oracle retrieval: for each test report the report of a corpus that a metric scores best, "
        "the ceiling of retrieval under that metric.",
    )
    oracle.set_defaults(run=_oracle)
    oracle.add_argument("references", metavar="REFERENCES", help="the test reports")
    oracle.add_argument("corpus", metavar="CORPUS", help="the reports to choose from")
    oracle.add_argument("--metric", required=True, metavar="METRIC[.PART]", help="a metric or one of its values")
    oracle.add_argument("--out", required=True, metavar="FILE.jsonl", help="a row a test report")
    oracle.add_argument("--config", metavar="CONFIG", help="a config, a Hub id or a folder for the metric")
    oracle.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the metric; may be repeated"
    )
    oracle.add_argument("--candidates", type=int, metavar="N", help="shortlist for metrics without an exact search")
    add_model_options(oracle)


def _oracle(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.bench.oracle import oracle

    out = io.check_output(args.out, (".jsonl",))
    references, corpus = (list(io.ReportFile.open(path)) for path in (args.references, args.corpus))
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
    io.write_atomically(out, lambda path: io.write_jsonl(path, result.rows))
    files = {"references_sha256": args.references, "corpus_sha256": args.corpus}
    summary = {**result.summary, **{key: _sha256(path) for key, path in files.items()}}
    if args.json:
        print(json.dumps(summary))
        return 0
    mean = "-" if summary["mean"] is None else f"{summary['mean']:.4f}"
    better = "↑ higher" if summary["higher_is_better"] else "↓ lower"
    search = "exact" if summary["exact"] else f"shortlists of {args.candidates}"
    cells = [summary["metric"], mean, str(summary["n"]), str(summary["corpus"]), search, better]
    print_table(["metric", "mean of the best", "n", "corpus", "search", "better"], [cells])
    print(summary["signature"])
    if not args.quiet:
        print(f"{len(result.rows)} rows written to {out}")
    return 0


def _sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
