"""The `radeval` command: argument parsing and printing only."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from radeval_core import __version__
from radeval_core.cli_bench import add_bench_commands
from radeval_core.cli_data import add_data_commands
from radeval_core.cli_fit import add_fit_commands
from radeval_core.cli_forms import assignment, count_text, metric_list, print_table, width
from radeval_core.cli_leaderboard import add_leaderboard_commands
from radeval_core.cli_oracle import add_oracle_commands
from radeval_core.errors import CheckpointError, InputError, MissingDependencyError, RadevalError, unknown_name

_EXAMPLES = """examples:
  radeval score pairs.jsonl --metrics bleu,rouge
  radeval score pairs.csv --metrics all --out scores.jsonl
  radeval score --predictions mine.txt --references theirs.txt --metrics bertscore --json
  radeval score pairs.jsonl --metrics bertscore --config bertscore=distilroberta-base --device cuda
  radeval score pairs.jsonl --metrics bertscore --config bertscore=./my-encoder --option bertscore.layer=9
  radeval score pairs.jsonl --metrics fineradscore --report corrections.html
"""


_PARSE_EXAMPLES = """examples:
  radeval parse --text "Small left pleural effusion. No pneumothorax."
  radeval parse reports.jsonl --out findings.jsonl
  radeval parse reports.txt --out findings.jsonl --lexicon my_findings.yaml
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. 0: done; 2: the user's input or options are wrong; 1: anything else."""
    args = _parser().parse_args(argv)
    try:
        with _notes_on_stderr(logging.ERROR if args.quiet else logging.WARNING):
            status: int = args.run(args)
        sys.stdout.flush()
    except (InputError, CheckpointError, MissingDependencyError) as error:
        print(f"radeval: {_one_line(error)}", file=sys.stderr)
        return 2
    except RadevalError as error:
        print(f"radeval: {_one_line(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("radeval: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


@contextmanager
def _notes_on_stderr(level: int) -> Iterator[None]:
    """Show our own notes while a command runs; other libraries keep their own ways."""
    logger = logging.getLogger("radeval_core")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("radeval: %(message)s"))
    handler.setLevel(level)
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False  # some libraries print what reaches the root logger
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="radeval", description="Radiology report metrics: score, compare, list, publish."
    )
    parser.add_argument("--version", action="version", version=f"radeval {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--quiet", "-q", action="store_true", help="no notes and no progress bars")
    common.add_argument("--json", action="store_true", help="print one JSON object instead of a table")

    score = commands.add_parser(
        "score",
        parents=[common],
        help="score pairs of reports",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Score generated reports against reference reports, and print a table with 95 % intervals.",
    )
    score.set_defaults(run=_score)
    score.add_argument(
        "pairs",
        nargs="?",
        metavar="PAIRS",
        help="JSONL, CSV or Parquet with columns prediction, reference and perhaps id",
    )
    score.add_argument("--predictions", metavar="FILE", help="text file, one generated report a line")
    score.add_argument("--references", metavar="FILE", help="text file, one reference report a line")
    score.add_argument("--metrics", required=True, help="comma-separated names, or `all`; see `radeval metrics`")
    score.add_argument("--out", metavar="FILE", help="write per-pair scores: .jsonl, .csv or .parquet")
    score.add_argument(
        "--report",
        metavar="FILE.html",
        help="write a page with the corrections of each report (fineradscore)",
    )
    score.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="METRIC=CONFIG",
        help="a config, a Hub id or a folder for a metric; may be repeated",
    )
    score.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="METRIC.NAME=VALUE",
        help="an option of a metric, e.g. bertscore.idf=true; may be repeated",
    )
    score.add_argument("--device", help="cuda, cuda:N, mps or cpu; the best one by default")
    score.add_argument("--batch-tokens", type=int, metavar="N", help="tokens in a batch, padding included")
    score.add_argument(
        "--cache",
        metavar="DIR",
        help="keep annotations between runs, sealed (also: environment variable RADEVAL_CACHE)",
    )
    score.add_argument("--limit", type=int, metavar="N", help="score only the first N pairs")

    parse = commands.add_parser(
        "parse",
        parents=[common],
        help="read the findings of reports",
        epilog=_PARSE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Read what reports say, without a model: findings, polarity, place, severity, size, change.",
    )
    parse.set_defaults(run=_parse)
    parse.add_argument(
        "reports", nargs="?", metavar="REPORTS", help="JSONL with id and text, or a text file, one a line"
    )
    parse.add_argument("--text", help="a report to read instead of a file")
    parse.add_argument("--out", metavar="FILE.jsonl", help="write a row a report: id, findings, 14 CheXpert labels")
    parse.add_argument("--lexicon", action="append", default=[], metavar="FILE.yaml", help="add findings or regions")

    metrics = commands.add_parser(
        "metrics",
        parents=[common],
        help="list the metrics",
        description="List the metrics: what each measures, its range, configs and needs.",
    )
    metrics.set_defaults(run=_metrics)

    add_bench_commands(commands, common)
    add_leaderboard_commands(commands, common)
    add_data_commands(commands, common)
    add_fit_commands(commands, common)
    add_oracle_commands(commands, common)

    hub = commands.add_parser("hub", help="publish metrics to the Hugging Face Hub")
    hub_commands = hub.add_subparsers(required=True, metavar="COMMAND")
    publish = hub_commands.add_parser(
        "publish",
        parents=[common],
        help="publish metrics, the playground and the leaderboard as Spaces",
        description="Assemble each Space (module of a metric, card, requirements, app) and upload it. "
        "Run it from a checkout, logged in with `hf auth login`.",
    )
    publish.set_defaults(run=_publish)
    publish.add_argument("names", nargs="+", metavar="NAME", help="metrics, playground, leaderboard, or `all`")
    publish.add_argument("--org", default="radeval", help="user or organisation on the Hub (default: radeval)")
    publish.add_argument("--root", default=".", metavar="DIR", help="the checkout (default: this folder)")
    publish.add_argument("--dry-run", metavar="DIR", help="write the Spaces to DIR and upload nothing")
    return parser


def _score(args: argparse.Namespace) -> int:
    from radeval_core import api, io
    from radeval_core.ui import correction_report

    if bool(args.pairs) == bool(args.predictions or args.references):
        raise InputError("give a file of PAIRS, or --predictions FILE and --references FILE")
    if not args.pairs and not (args.predictions and args.references):
        raise InputError("--predictions and --references must be given together")
    if args.limit is not None and args.limit < 1:
        raise InputError(f"--limit must be at least 1, got {args.limit}")
    names = metric_list(args.metrics)
    out = io.check_output(args.out) if args.out else None
    page = io.check_output(args.report, (".html",), "--report") if args.report else None
    shown = correction_report.metric_with_report(names) if page else ""
    configs = dict(assignment(text, "--config METRIC=CONFIG") for text in args.config)
    options: dict[str, dict[str, Any]] = {}
    for text in args.option:
        key, value = assignment(text, "--option METRIC.NAME=VALUE")
        metric, _, option = key.partition(".")
        options.setdefault(metric, {})[option] = _value(value)
    if args.pairs:
        pairs: io.PairFile | io.TextFilePair = io.open_pairs(args.pairs, args.limit)
    else:
        pairs = io.open_text_files(args.predictions, args.references, args.limit)
    total = sum(1 for _ in pairs)  # the whole file is checked before the first pair is scored
    if not total:
        raise InputError(f"{args.pairs or args.predictions}: no pairs to score")
    scores = api.score(
        pairs,
        names,
        configs,
        options,
        device=args.device,
        batch_tokens=args.batch_tokens,
        cache=args.cache,
        detailed=bool(page),
        progress=not args.quiet,
        total=total,
    )
    summary = scores.summary()
    if out:
        io.write_rows(out, scores.rows())
    if page:
        io.write_text(page, correction_report.correction_report(scores.results[shown], pairs))
    if args.json:
        print(json.dumps(summary))
    else:
        _print_scores(summary)
        if out and not args.quiet:
            print(f"{total} rows written to {out}")
        if page and not args.quiet:
            print(f"corrections of {total} reports written to {page}")
    return 0


def _parse(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.findings import FindingsParser
    from radeval_core.findings.rows import finding_cells, report_row

    if (args.reports is None) == (args.text is None):
        raise InputError("give a file of REPORTS, or --text REPORT")
    parser = FindingsParser(args.lexicon)
    if args.text is not None:
        report = parser.parse(args.text)
        if args.json:
            print(json.dumps(report_row("text", report), ensure_ascii=False))
        else:
            header = ["finding", "polarity", "anatomy", "side", "severity", "size (mm)", "change", "words"]
            print_table(header, [finding_cells(f) for f in report.findings])
        return 0
    if not args.out and not args.json:
        raise InputError("give --out FILE.jsonl, or --json to print the rows")
    reports = io.ReportFile.open(args.reports)
    total = sum(1 for _ in reports)
    rows = (report_row(row_id, parser.parse(text)) for row_id, text in io.with_progress(reports, total, not args.quiet))
    if args.out:
        out = io.check_output(args.out, (".jsonl",))
        io.write_atomically(out, lambda path: io.write_jsonl(path, rows))
        if not args.quiet:
            print(f"{total} rows written to {out}")
    else:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
    return 0


def _metrics(args: argparse.Namespace) -> int:
    from radeval_core.registry import get_spec, metric_names

    specs = [get_spec(name) for name in metric_names()]
    if args.json:
        print(
            json.dumps(
                {
                    s.name: {
                        "measures": s.measures,
                        "range": list(s.bounds),
                        "higher_is_better": s.higher_is_better,
                        "configs": {c.name: c.about for c in s.configs},
                        "takes_checkpoint": s.takes_checkpoint,
                        "multi_reference": s.multi_reference,
                        "parts": list(s.parts),
                        "version": s.version,
                    }
                    for s in specs
                }
            )
        )
        return 0
    rows = []
    for s in specs:
        for i, config in enumerate(s.configs):
            needs = f"radeval_core[{config.extra}]" if config.extra else "nothing more"
            needs += ", downloads weights" if config.checkpoint else ""
            first = [s.name, s.measures, s.range_text, s.arrow] if i == 0 else [""] * 4
            rows.append([*first, f"{config.name}: {config.about}", needs])
        if s.takes_checkpoint:
            rows.append([""] * 4 + ["any Hub id or folder", "radeval_core[models]"])
        if s.backends:
            rows.append([""] * 4 + [", ".join(f"{backend}:MODEL" for backend in s.backends), "radeval_core[judges]"])
    print_table(["metric", "measures", "range", "better", "configs (default first)", "needs"], rows)
    return 0


def _publish(args: argparse.Namespace) -> int:
    from radeval_core.hub.publish import assemble, space_names, upload

    root = Path(args.root)
    known = space_names(root)
    names = known if args.names == ["all"] else args.names
    for name in names:
        if name not in known:
            raise unknown_name("Space", name, [*known, "all"])
    with tempfile.TemporaryDirectory() as scratch:
        # all of them before the first upload: a bad card must not leave half of them published
        folders = {name: assemble(name, root, Path(args.dry_run or scratch) / name) for name in names}
        done = []
        for name, folder in folders.items():
            where = str(folder) if args.dry_run else upload(folder, args.org)
            done.append({"space": name, "folder" if args.dry_run else "url": where, "files": _file_names(folder)})
            if not args.json:
                print(f"{name}: {where}", flush=True)
    if args.json:
        print(json.dumps(done))
    return 0


def _file_names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def _value(text: str) -> Any:
    """An option's value: JSON where it is JSON (true, 9, [..]), else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _print_scores(summary: dict[str, dict[str, Any]]) -> None:
    rows = []
    for name, row in summary.items():
        interval = f"{row['ci95'][0]:.4f} to {row['ci95'][1]:.4f}" if row["ci95"] else "-"
        score = "-" if row["score"] is None else f"{row['score']:.4f}"
        better = "↑ higher" if row["higher_is_better"] else "↓ lower"
        rows.append([name, score, interval, count_text(row), better, row["signature"]])
    header = ["metric", "score", "95 % interval", "n", "better", "signature"]
    widest = max(len(cells[-1]) for cells in rows)
    if width() >= widest + 65:
        print_table(header, rows)
    else:  # too narrow: whole signatures below, easier to copy than folded ones
        print_table(header[:-1], [cells[:-1] for cells in rows])
        print("\n".join(cells[-1] for cells in rows))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
