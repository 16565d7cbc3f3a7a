"""`radeval leaderboard score, seed, show`: score the queue, and print the board."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import preset_notes
from radeval_core.cli.leaderboard_arguments import (
    Commands,
    add_board_options,
    benchmark_of,
    print_value,
    progress_bar,
    store_of,
)
from radeval_core.cli.tables import print_table
from radeval_core.errors import RadevalError

if TYPE_CHECKING:
    from radeval_core.leaderboard.benchmark import Benchmark
    from radeval_core.leaderboard.board import Board
    from radeval_core.leaderboard.ranking import Ranked
    from radeval_core.leaderboard.submission_result import SubmissionResult
    from radeval_core.shown_values import ShownValue


def add_board_commands(commands: Commands) -> None:
    """Add the commands that score and show a board."""
    score = commands.add("score", _score, "score the submissions in the queue", "score --store ./board")
    add_board_options(score)
    score.add_argument("--retry-failed", action="store_true", help="also score failed submissions again")
    score.add_argument("--device", help="cuda, cuda:N, mps or cpu (default: the best available)")
    seed = commands.add("seed", _seed, "submit and score the baselines of the benchmark", "seed --hub clinic")
    add_board_options(seed)
    show = commands.add("show", _show, "print the ranked systems", "show --metric radgraph_f1")
    add_board_options(show)
    show.add_argument("--metric", help="rank by this metric (default: the benchmark's first)")
    show.add_argument(
        "--preset", metavar="NAME", help="show the columns of a published table under its names, e.g. rexrank"
    )


def _score(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.queue import score_waiting

    options = {"device": args.device} if args.device else {}
    benchmark, store = benchmark_of(args), store_of(args, must_exist=True)
    with progress_bar(args) as report:
        outcomes = score_waiting(store, benchmark, retry_failed=args.retry_failed, on_progress=report, **options)
    _report(args, outcomes)
    if failed := sum(outcome.failed for outcome in outcomes):
        again = "radeval leaderboard score --retry-failed"
        raise RadevalError(f"{failed} of {len(outcomes)} submissions could not be scored; to try again, type: {again}")
    return 0


def _seed(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.baselines import seed

    benchmark, store = benchmark_of(args), store_of(args)
    with progress_bar(args) as report:
        outcomes = seed(store, benchmark, on_progress=report)
    _report(args, outcomes)
    return 0


def _show(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.board import read_board
    from radeval_core.leaderboard.preset_columns import preset_values
    from radeval_core.presets import get_preset
    from radeval_core.shown_values import shown_value

    benchmark = benchmark_of(args)
    metric = args.metric or benchmark.main_metric
    preset = get_preset(args.preset) if args.preset else None
    values = preset_values(benchmark, preset) if preset else tuple(shown_value(name) for name in benchmark.metrics)
    with progress_bar(args) as report:
        board = read_board(store_of(args, must_exist=True), benchmark, seed_if_empty=not args.hub, on_progress=report)
    rows = [*board.ranked(metric), *board.unranked(metric)]
    if args.json:
        table = board.as_dict(metric)
        if preset:
            table["preset"] = {"name": preset.name, "columns": _preset_json(rows, values)}
        print(json.dumps(table, ensure_ascii=False))
        return 0
    arrows = ["↑" if value.higher_is_better else "↓" for value in values]
    header = ["rank", "system", *(f"{v.name} {a}" for v, a in zip(values, arrows, strict=True)), "submission"]
    print_table(header, [_cells(row, values) for row in rows])
    if not args.quiet:
        print("\n".join([*_notes(board, metric), *preset_notes(preset, values), *_missing(benchmark, values)]))
    if board.current:
        print("\n".join(dict.fromkeys(board.current[0].signatures.values())))
    return 0


def _notes(board: Board, metric: str) -> list[str]:
    """Return what is not in the table."""
    benchmark = board.benchmark
    notes = [
        f"{benchmark.name} {benchmark.revision}; ranked by {metric}; systems with the same rank do not differ "
        "significantly; baselines and oracles have no rank"
    ]
    if board.others:
        notes.append(f"not ranked with these: {sum(len(g.outcomes) for g in board.others)} results of other versions")
    if board.waiting:
        notes.append(f"waiting submissions: {board.waiting}; to score them, type: radeval leaderboard score")
    if board.withdrawn:
        notes.append(f"withdrawn by their submitters: {board.withdrawn}")
    notes.extend(f"failed: {o.submission[:12]} {o.system.name!r}: {o.reason}" for o in board.failed)
    again = "to score it again, type: radeval leaderboard score --retry-failed"
    notes.extend(f"skipped: {note}; {again}" for note in board.skipped)
    return notes


def _missing(benchmark: Benchmark, values: Sequence[ShownValue]) -> list[str]:
    from radeval_core.leaderboard.preset_columns import missing_columns

    missing = missing_columns(benchmark, values)
    return [f"not computed by {benchmark.name}: {', '.join(missing)}"] if missing else []


def _preset_json(rows: Sequence[Ranked], values: Sequence[ShownValue]) -> list[dict[str, Any]]:
    from radeval_core.leaderboard.preset_columns import preset_score

    return [
        {
            "name": value.name,
            "source": value.source,
            "higher_is_better": value.higher_is_better,
            "comparable": value.comparable,
            "scores": {row.outcome.submission: preset_score(row.outcome, value)["score"] for row in rows},
        }
        for value in values
    ]


def _cells(row: Ranked, values: Sequence[ShownValue]) -> list[str]:
    from radeval_core.leaderboard.board import with_interval
    from radeval_core.leaderboard.preset_columns import preset_score

    outcome = row.outcome
    scores = [with_interval(preset_score(outcome, value)) for value in values]
    unranked = "-" if row.kind == "system" else row.kind
    return [unranked if row.rank is None else str(row.rank), outcome.system.name, *scores, outcome.submission[:12]]


def _report(args: argparse.Namespace, outcomes: list[SubmissionResult]) -> None:
    rows = [
        {"submission": o.submission, "system": o.system.name, "reason": o.reason, "metrics": dict(o.metrics)}
        for o in outcomes
    ]
    lines = [f"{o.submission} {o.system.name!r}: {(o.reason and 'failed: ' + o.reason) or 'scored'}" for o in outcomes]
    print_value(args, {"scored": rows}, "\n".join(lines) or "no submissions waiting")
