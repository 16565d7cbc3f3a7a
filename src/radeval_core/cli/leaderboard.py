"""`radeval leaderboard …`: check, submit, score, show and export systems."""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError, RadevalError

if TYPE_CHECKING:
    from radeval_core.leaderboard.benchmark import Benchmark
    from radeval_core.leaderboard.owners import Submitter
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
  radeval leaderboard withdraw SUBMISSION              take your submission off the board

The first submission under a name binds the name, and names that look like it, to you: to your account with --hub,
else to a secret. Give your own (--secret-file FILE, or RADEVAL_LEADERBOARD_SECRET), or keep the one that is printed.
Nobody else can submit under that name, or withdraw what you submitted. `radeval leaderboard log` checks that nobody
changed the log of submissions.

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

    def command(
        name: str, run: Any, help_text: str, example: str, store: bool = True, about: str = ""
    ) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = group.add_parser(
            name,
            parents=[common],
            help=help_text,
            description=f"{help_text[:1].upper()}{help_text[1:]}.",
            epilog=(f"{textwrap.fill(about, 118)}\n\n" if about else "")
            + f"example:\n  radeval leaderboard {example}\n",
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
    submit.add_argument(
        "--secret-file",
        metavar="FILE",
        help="file with the secret of the system's name; the first submission without one gets a new secret",
    )
    withdraw = command(
        "withdraw",
        _withdraw,
        "take your submission off the board",
        "withdraw 3f2a91c07b5e --secret-file my.secret",
        about="Only its owner can withdraw a submission: the account that submitted it (--hub), or whoever knows the "
        "secret of its name (--secret-file FILE, or RADEVAL_LEADERBOARD_SECRET). It is no longer shown, ranked or "
        "scored. The name stays yours, the log says when it was withdrawn, and its file stays in the store; ask the "
        "store's keeper to delete it. It still counts for the limits. To enter the same reports again, change "
        "training_data.",
    )
    withdraw.add_argument("system", metavar="SUBMISSION", help="its id, the start of it, or the exact name")
    withdraw.add_argument("--secret-file", metavar="FILE", help="file with the secret of the system's name")
    score = command("score", _score, "score the submissions in the queue", "score --store ./board")
    score.add_argument("--retry-failed", action="store_true", help="also score failed submissions again")
    score.add_argument("--device", help="cuda, cuda:N, mps or cpu (default: the best available)")
    command("seed", _seed, "submit and score the baselines of the benchmark", "seed --hub clinic")
    show = command("show", _show, "print the ranked systems", "show --metric radgraph_f1")
    show.add_argument("--metric", help="rank by this metric (default: the benchmark's first)")
    log = command("log", _log, "check the log of submissions, line by line", "log --expect HASH")
    log.add_argument("--expect", metavar="HASH", help="also check that the line with this hash is still in the log")
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
    io.write_jsonl(out, benchmark.inputs())
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
    submitter, made = _submitter(args, store)
    first = store.owner(benchmark.name, submission.system.name) is None
    new = store.submit(submission, benchmark, utc_now().isoformat(timespec="seconds"), submitter)
    status = "submitted" if new else "already submitted"
    lines = [f"{status}: {submission.id}; to score it, type: radeval leaderboard score"]
    result: dict[str, Any] = {"submission": submission.id, "new": new}
    if made and new and first:
        result["secret"] = made
        lines.append(f"secret of the name {submission.system.name!r}: {made}")
        lines.append("keep it in a file: to submit under this name again, add --secret-file FILE")
    _print(args, result, "\n".join(lines))
    return 0


def _withdraw(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.queue import utc_now
    from radeval_core.leaderboard.withdrawal import find_submission, withdraw

    benchmark, store = _benchmark(args), _store(args, must_exist=True)
    submitter, made = _submitter(args, store)
    if made:
        raise InputError("give the secret of the name: --secret-file FILE, or RADEVAL_LEADERBOARD_SECRET")
    submission = find_submission(store, benchmark.name, args.system)
    new = withdraw(store, benchmark.name, submission, utc_now().isoformat(timespec="seconds"), submitter)
    _print(args, {"submission": submission, "new": new}, f"{'withdrawn' if new else 'already withdrawn'}: {submission}")
    return 0


def _submitter(args: argparse.Namespace, store: Store) -> tuple[Submitter, str]:
    """Return who submits, and the secret if it is a new one."""
    from radeval_core.leaderboard.owners import new_secret, with_account, with_secret

    if args.hub:
        if args.secret_file:
            raise InputError("--secret-file is for a local store; on the Hub, names belong to your account")
        return with_account(store.files.account()), ""
    given = os.environ.get("RADEVAL_LEADERBOARD_SECRET", "")
    if args.secret_file:
        try:
            given = Path(args.secret_file).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"--secret-file {args.secret_file}: cannot be read: {error}") from None
    made = "" if given else new_secret()
    return with_secret(given or made), made


def _log(args: argparse.Namespace) -> int:
    benchmark, store = _benchmark(args), _store(args, must_exist=True)
    log = store.log(benchmark.name)
    problems = log.problems()
    if args.expect and not log.contains(args.expect):
        problems.append(f"no line has the hash {args.expect}: lines were removed or changed")
    unlogged = sorted(set(store.submissions(benchmark.name)) - log.submissions())
    problems.extend(f"submission {submission} is not in the log" for submission in unlogged)
    hidden = sorted(store.withdrawn(benchmark.name) - log.withdrawals())
    problems.extend(f"the withdrawal of {submission} is not in the log" for submission in hidden)
    count = sum(1 for _ in log.events())
    text = "\n".join(problems) or f"{count} lines in the log; none was changed"
    value = {"ok": not problems, "lines": count, "last": log.last_hash, "problems": problems}
    _print(args, value, f"{text}\nhash of the last line: {log.last_hash}")
    return 1 if problems else 0


def _score(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.queue import score_waiting

    options = {"device": args.device} if args.device else {}
    outcomes = score_waiting(_store(args, must_exist=True), _benchmark(args), retry_failed=args.retry_failed, **options)
    _report(args, outcomes)
    if failed := sum(outcome.failed for outcome in outcomes):
        again = "radeval leaderboard score --retry-failed"
        raise RadevalError(f"{failed} of {len(outcomes)} submissions could not be scored; to try again, type: {again}")
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
    board = read_board(_store(args, must_exist=True), benchmark, seed_if_empty=not args.hub)
    ranked = board.ranked(metric)
    if args.json:
        print(json.dumps(board.as_dict(metric), ensure_ascii=False))
        return 0
    unranked = board.unranked(metric)
    header = ["rank", "system", *(f"{name} {metric_value(name).arrow}" for name in benchmark.metrics), "submission"]
    print_table(header, [_cells(row, benchmark) for row in (*ranked, *unranked)])
    if not args.quiet:
        print(
            f"{benchmark.name} {benchmark.revision}; ranked by {metric}; "
            "systems with the same rank do not differ significantly"
        )
        if board.others:
            print(f"not ranked with these: {sum(len(g.outcomes) for g in board.others)} results of other versions")
        if board.waiting:
            print(f"waiting submissions: {board.waiting}; to score them, type: radeval leaderboard score")
        if board.withdrawn:
            print(f"withdrawn by their submitters: {board.withdrawn}")
        for outcome in board.failed:
            print(f"failed: {outcome.submission[:12]} {outcome.system.name!r}: {outcome.reason}")
        for note in board.skipped:
            print(f"skipped: {note}; to score it again, type: radeval leaderboard score --retry-failed")
    if board.current:
        print("\n".join(board.current[0].signatures.values()))
    return 0


def _export(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.board import read_board
    from radeval_core.leaderboard.export import write_eval_files

    benchmark = _benchmark(args)
    outcome = read_board(_store(args, must_exist=True), benchmark, seed_if_empty=not args.hub).find(args.system)
    files = write_eval_files(outcome, benchmark, Path(args.out), args.source)
    _print(args, {"files": [str(f) for f in files]}, "\n".join(map(str, files)))
    return 0


def _benchmark(args: argparse.Namespace) -> Benchmark:
    from radeval_core.leaderboard.benchmark import load_benchmark

    return load_benchmark(args.benchmark)


def _store(args: argparse.Namespace, must_exist: bool = False) -> Store:
    from radeval_core.leaderboard.store import open_store

    if args.store and Path(args.store).is_file():
        raise InputError(f"--store {args.store} is a file; give a folder")
    store = open_store(args.store, args.hub)
    if must_exist and args.store and not Path(args.store).exists():
        raise InputError(f"--store {args.store} does not exist; to make it, type: radeval leaderboard seed or submit")
    return store


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
    unranked = "-" if row.kind == "system" else row.kind
    return [unranked if row.rank is None else str(row.rank), outcome.system.name, *scores, outcome.submission[:12]]
