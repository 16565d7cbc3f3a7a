"""`radeval leaderboard studies, check, import, submit, withdraw, log`: from the input of a system to its submission."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.leaderboard_arguments import (
    Commands,
    add_benchmark_option,
    add_board_options,
    benchmark_of,
    print_value,
    store_of,
)
from radeval_core.errors import InputError

if TYPE_CHECKING:
    from radeval_core.leaderboard.owners import Submitter
    from radeval_core.leaderboard.store import Store
    from radeval_core.leaderboard.submission import SubmissionError


def add_entry_commands(commands: Commands) -> None:
    """Add the commands that submitters use."""
    studies = commands.add("studies", _studies, "write the input of each study", "studies --out s.jsonl")
    add_benchmark_option(studies)
    studies.add_argument("--out", required=True, metavar="FILE.jsonl", help="one line per study, without references")
    check = commands.add("check", _check, "list every problem of a submission", "check mine.jsonl")
    add_benchmark_option(check)
    _add_import(commands)
    submit = commands.add(
        "submit", _submit, "check a submission and put it in the queue", "submit mine.jsonl --hub clinic"
    )
    add_board_options(submit)
    for parser in (check, submit):
        parser.add_argument("file", metavar="FILE", help="JSONL or JSON, see `radeval leaderboard --help`")
    submit.add_argument(
        "--secret-file",
        metavar="FILE",
        help="file with the secret of the system's name; the first submission without one gets a new secret",
    )
    withdraw = commands.add(
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
    add_board_options(withdraw)
    withdraw.add_argument("system", metavar="SUBMISSION", help="its id, the start of it, or the exact name")
    withdraw.add_argument("--secret-file", metavar="FILE", help="file with the secret of the system's name")
    log = commands.add("log", _log, "check the log of submissions, line by line", "log --expect HASH")
    add_board_options(log)
    log.add_argument("--expect", metavar="HASH", help="also check that the line with this hash is still in the log")


def _add_import(commands: Commands) -> None:
    parser = commands.add(
        "import",
        _import,
        "turn a file of predictions into a submission",
        "import rexrank predictions.json --benchmark iu-xray --name 'My system' --link https://example.org/model "
        "--training-data MIMIC-CXR --out mine.jsonl",
        about="rexrank: the JSON that ReXrank's inference scripts write (by study id, with model_prediction), or the "
        "CSV of its evaluation (study_id, report). table: CSV, TSV, JSONL or Parquet with one report per row. Ids of "
        "Open-i are recognised in every form: 2034, CXR2034, CXR2034_IM-0681. The result is checked before it is "
        "written.",
    )
    add_benchmark_option(parser)
    parser.add_argument("format", choices=("rexrank", "table"), metavar="rexrank|table", help="format of the file")
    parser.add_argument("file", metavar="FILE", help="the predictions")
    parser.add_argument("--out", required=True, metavar="FILE.jsonl", help="the submission")
    parser.add_argument("--name", required=True, help="name of the system")
    parser.add_argument("--link", required=True, metavar="URL", help="https address of the system")
    parser.add_argument("--training-data", required=True, metavar="TEXT", help="what the system was trained on")
    parser.add_argument(
        "--kind",
        default="system",
        help="system, baseline or oracle (it saw the answer); only systems are ranked (default: %(default)s)",
    )
    parser.add_argument("--subset", action="store_true", help="leave out studies that the benchmark does not have")
    parser.add_argument("--id-column", default="id", metavar="NAME", help="of a table (default: %(default)s)")
    parser.add_argument("--text-column", default="prediction", metavar="NAME", help="of a table (default: %(default)s)")


def _studies(args: argparse.Namespace) -> int:
    from radeval_core import io

    benchmark = benchmark_of(args)
    out = io.check_output(args.out, (".jsonl",))
    io.write_jsonl(out, benchmark.inputs())
    text = f"wrote {len(benchmark.studies)} studies to {out}"
    print_value(args, {"studies": len(benchmark.studies), "file": str(out)}, text)
    return 0


def _check(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.submission import SubmissionError, read_submission

    benchmark = benchmark_of(args)
    try:
        submission = read_submission(args.file, benchmark)
    except SubmissionError as error:
        return _refuse(args, error)
    text = f"{args.file}: valid: {len(submission.predictions)} predictions of {submission.system.name!r} for"
    print_value(args, {"ok": True, "submission": submission.id}, f"{text} {benchmark.name} {benchmark.revision}")
    return 0


def _refuse(args: argparse.Namespace, error: SubmissionError) -> int:
    """Print every problem of a submission."""
    from radeval_core.leaderboard.submission import SHOWN

    if args.json:
        print(json.dumps({"ok": False, "problems": error.problems}, ensure_ascii=False))
    for problem in error.problems[:SHOWN]:
        print(f"{args.file}: {problem}", file=sys.stderr)
    if len(error.problems) > SHOWN:
        print(f"and {len(error.problems) - SHOWN} more", file=sys.stderr)
    return 2


def _import(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.leaderboard.import_predictions import make_submission, read_rexrank, read_table
    from radeval_core.leaderboard.submission import SubmissionError

    benchmark = benchmark_of(args)
    out = io.check_output(args.out, (".jsonl",), inputs=[Path(args.file)])
    path = Path(args.file)
    found = read_rexrank(path) if args.format == "rexrank" else read_table(path, args.id_column, args.text_column)
    system = {"name": args.name, "link": args.link, "training_data": args.training_data, "kind": args.kind}
    try:
        submission, data = make_submission(found, benchmark, system, args.subset)
    except SubmissionError as error:
        return _refuse(args, error)
    io.write_text(out, data.decode(), private=True)
    left_out = len(found) - len(submission.predictions)
    text = f"wrote {len(submission.predictions)} predictions of {submission.system.name!r} to {out}" + (
        f"; left out {left_out} of other studies" if left_out else ""
    )
    value = {"submission": submission.id, "file": str(out), "left_out": left_out}
    print_value(args, value, f"{text}; to submit it, type: radeval leaderboard submit {out}")
    return 0


def _submit(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.queue import utc_now
    from radeval_core.leaderboard.submission import read_submission

    benchmark, store = benchmark_of(args), store_of(args)
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
    print_value(args, result, "\n".join(lines))
    return 0


def _withdraw(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.queue import utc_now
    from radeval_core.leaderboard.withdrawal import find_submission, withdraw

    benchmark, store = benchmark_of(args), store_of(args, must_exist=True)
    submitter, made = _submitter(args, store)
    if made:
        raise InputError("give the secret of the name: --secret-file FILE, or RADEVAL_LEADERBOARD_SECRET")
    submission = find_submission(store, benchmark.name, args.system)
    new = withdraw(store, benchmark.name, submission, utc_now().isoformat(timespec="seconds"), submitter)
    print_value(
        args, {"submission": submission, "new": new}, f"{'withdrawn' if new else 'already withdrawn'}: {submission}"
    )
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
    benchmark, store = benchmark_of(args), store_of(args, must_exist=True)
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
    print_value(args, value, f"{text}\nhash of the last line: {log.last_hash}")
    return 1 if problems else 0
