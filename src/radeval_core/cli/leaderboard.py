"""`radeval leaderboard …`: check, submit, score, show and export systems."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError

if TYPE_CHECKING:
    from radeval_core.leaderboard.benchmark import Benchmark
    from radeval_core.leaderboard.ranking import Ranked
    from radeval_core.leaderboard.store import Store
    from radeval_core.leaderboard.submission_result import SubmissionResult

_OVERVIEW = """A submission is one JSONL file (JSON works too: {"system": …, "predictions": [rows]}):
  {"system": {"name": "My system", "link": "https://example.org/model", "training_data": "what it was trained on"}}
  {"id": "study-001", "prediction": "The heart is normal in size. …"}
  …one line per study

To enter the leaderboard, type:
  radeval leaderboard studies --out studies.jsonl      write the input of each study
  radeval leaderboard check mine.jsonl                 list every problem of your file, by row
  radeval leaderboard submit mine.jsonl                put it in the queue
  radeval leaderboard score                            score the queue; safe to run repeatedly and in parallel
  radeval leaderboard show                             print the ranked systems

By default, everything is stored in a local folder (RADEVAL_LEADERBOARD, or ~/.local/share/radeval/leaderboard).
--hub ORG uses the private dataset repos ORG/leaderboard-requests and ORG/leaderboard-results instead. Do not submit
reports of patients: predictions are stored, and the worst ones are shown.
"""


def add_leaderboard_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command group; `common` has the options that every command takes."""
    top = commands.add_parser(
        "leaderboard",
        help="submit systems to a leaderboard, score and rank them",
        epilog=_OVERVIEW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Submit the reports of a system to a benchmark, score them, rank systems, and export results.",
    )
    group = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, help_text: str, example: str, store: bool = True) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = group.add_parser(
            name,
            parents=[common],
            help=help_text,
            description=help_text[:1].upper() + help_text[1:] + ".",
            epilog=f"example:\n  radeval leaderboard {example}\n",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(run=run)
        parser.add_argument(
            "--benchmark",
            default="radcheck-open",
            help="an included benchmark or your own folder (default: %(default)s)",
        )
        if store:
            parser.add_argument("--store", metavar="DIR", help="folder of submissions and results")
            parser.add_argument("--hub", metavar="ORG", help="use dataset repos of this organisation instead")
        return parser

    studies = command("studies", _studies, "write the input of each study", "studies --out s.jsonl", False)
    studies.add_argument("--out", required=True, metavar="FILE.jsonl", help="one line per study, without references")
    check = command("check", _check, "list every problem of a submission", "check mine.jsonl", False)
    submit = command("submit", _submit, "check a submission and put it in the queue", "submit mine.jsonl --hub clinic")
    for parser in (check, submit):
        parser.add_argument("file", metavar="FILE", help="JSONL or JSON, see `radeval leaderboard --help`")
    score = command("score", _score, "score the submissions in the queue", "score --store ./board")
    score.add_argument("--retry-failed", action="store_true", help="also score failed submissions again")
    score.add_argument("--device", help="cuda, cuda:N, mps or cpu (default: the best available)")
    command("seed", _seed, "submit and score the baselines of the benchmark", "seed --hub clinic")
    show = command("show", _show, "print the ranked systems", "show --metric radgraph_f1")
    show.add_argument("--metric", help="rank by this metric (default: the benchmark's first)")
    export = command(
        "export",
        _export,
        "write a system's results for a model repo",
        "export 'Nearest neighbour' --out ./model",
    )
    export.add_argument("system", metavar="SYSTEM", help="id of the submission, the start of it, or the exact name")
    export.add_argument("--out", required=True, metavar="DIR", help="folder for .eval_results/*.yaml and eval.yaml")
    export.add_argument("--source", metavar="URL", help="address of the leaderboard")


def _studies(args: argparse.Namespace) -> int:
    from radeval_core import io

    benchmark = _benchmark(args)
    out = io.check_output(args.out, (".jsonl",))
    io.write_atomically(out, lambda path: io.write_jsonl(path, benchmark.inputs()))
    text = f"wrote {len(benchmark.studies)} studies to {out}"
    _print(args, {"studies": len(benchmark.studies), "file": str(out)}, text)
    return 0


def _check(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.submission import SHOWN, SubmissionError, read_submission

    benchmark = _benchmark(args)
    try:
        submission = read_submission(args.file, benchmark)
    except SubmissionError as error:
        if args.json:
            print(json.dumps({"ok": False, "problems": error.problems}, ensure_ascii=False))
        for problem in error.problems[:SHOWN]:
            print(f"{args.file}: {problem}", file=sys.stderr)
        if len(error.problems) > SHOWN:
            print(f"and {len(error.problems) - SHOWN} more", file=sys.stderr)
        return 2
    text = f"{args.file}: valid: {len(submission.predictions)} predictions of {submission.system.name!r} for"
    _print(args, {"ok": True, "submission": submission.id}, f"{text} {benchmark.name} {benchmark.revision}")
    return 0


def _submit(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.queue import utc_now
    from radeval_core.leaderboard.submission import read_submission

    benchmark, store = _benchmark(args), _store(args)
    submission = read_submission(args.file, benchmark)
    new = store.submit(submission, benchmark, utc_now().isoformat(timespec="seconds"))
    status = "submitted" if new else "already submitted"
    text = f"{status}: {submission.id}; to score it, type: radeval leaderboard score"
    _print(args, {"submission": submission.id, "new": new}, text)
    return 0


def _score(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.queue import score_waiting

    options = {"device": args.device} if args.device else {}
    outcomes = score_waiting(_store(args), _benchmark(args), retry_failed=args.retry_failed, **options)
    _report(args, outcomes)
    return 0


def _seed(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.baselines import seed

    _report(args, seed(_store(args), _benchmark(args)))
    return 0


def _show(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.board import read_board
    from radeval_core.registry import metric_value

    benchmark = _benchmark(args)
    metric = args.metric or benchmark.main_metric
    board = read_board(_store(args), benchmark, seed_if_empty=not args.hub)
    ranked = board.ranked(metric)
    if args.json:
        print(json.dumps(board.as_dict(metric), ensure_ascii=False))
        return 0
    header = ["rank", "system", *(f"{name} {metric_value(name).arrow}" for name in benchmark.metrics), "submission"]
    print_table(header, [_cells(row, benchmark) for row in ranked])
    if not args.quiet:
        print(
            f"{benchmark.name} {benchmark.revision}; ranked by {metric}; "
            "systems with the same rank do not differ significantly"
        )
        if board.others:
            print(f"not ranked with these: {sum(len(g.outcomes) for g in board.others)} results of other versions")
        if board.waiting:
            print(f"waiting submissions: {board.waiting}; to score them, type: radeval leaderboard score")
        for outcome in board.failed:
            print(f"failed: {outcome.submission[:12]} {outcome.system.name!r}: {outcome.reason}")
    if ranked:
        print("\n".join(ranked[0].outcome.signatures.values()))
    return 0


def _export(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.board import read_board
    from radeval_core.leaderboard.export import write_eval_files

    benchmark = _benchmark(args)
    outcome = read_board(_store(args), benchmark, seed_if_empty=not args.hub).find(args.system)
    files = write_eval_files(outcome, benchmark, Path(args.out), args.source)
    _print(args, {"files": [str(f) for f in files]}, "\n".join(map(str, files)))
    return 0


def _benchmark(args: argparse.Namespace) -> Benchmark:
    from radeval_core.leaderboard.benchmark import load_benchmark

    return load_benchmark(args.benchmark)


def _store(args: argparse.Namespace) -> Store:
    from radeval_core.leaderboard.store import open_store

    if args.store and Path(args.store).is_file():
        raise InputError(f"--store {args.store} is a file; give a folder")
    return open_store(args.store, args.hub)


def _print(args: argparse.Namespace, value: dict[str, Any], text: str) -> None:
    if args.json:
        print(json.dumps(value, ensure_ascii=False))
    elif not args.quiet:
        print(text)


def _report(args: argparse.Namespace, outcomes: list[SubmissionResult]) -> None:
    rows = [
        {"submission": o.submission, "system": o.system.name, "reason": o.reason, "metrics": dict(o.metrics)}
        for o in outcomes
    ]
    lines = [f"{o.submission} {o.system.name!r}: {(o.reason and 'failed: ' + o.reason) or 'scored'}" for o in outcomes]
    _print(args, {"scored": rows}, "\n".join(lines) or "no submissions waiting")


def _cells(row: Ranked, benchmark: Benchmark) -> list[str]:
    from radeval_core.leaderboard.board import with_interval

    outcome = row.outcome
    scores = [with_interval(outcome.metrics[name]) for name in benchmark.metrics]
    return ["-" if row.rank is None else str(row.rank), outcome.system.name, *scores, outcome.submission[:12]]
