"""`radeval leaderboard result, compare, export`: the result of one system, two systems, files for elsewhere."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from radeval_core.cli.leaderboard_arguments import (
    Commands,
    add_board_options,
    benchmark_of,
    print_value,
    progress_bar,
    store_of,
)
from radeval_core.cli.tables import print_table
from radeval_core.error_categories import in_words
from radeval_core.errors import InputError

if TYPE_CHECKING:
    from radeval_core.leaderboard.board import Board
    from radeval_core.leaderboard.comparison import Comparison, PartDifference

_PART_COLUMNS = ("difference", "studies", "better")
_SYSTEM = "id of the submission, the start of it, or the exact name"


def add_result_commands(commands: Commands) -> None:
    """Add the commands that look at single systems."""
    result = commands.add(
        "result",
        _result,
        "print the result of a system, and how it differs from its neighbours",
        "result 'My system' --json",
        about="Rank, scores with 95 % intervals, scores by facet, and a comparison with the next better and the next "
        "worse system: see `radeval leaderboard compare --help`.",
    )
    result.add_argument("system", metavar="SUBMISSION", help=_SYSTEM)
    compare = commands.add(
        "compare",
        _compare,
        "compare two systems on the same studies",
        "compare 'My system' 'Another system'",
        about="Differences are the mean of the scores per study, first minus second, with a 95 % interval. The test is "
        "approximate randomisation, with Holm's correction over all metrics. Intervals of facets and error categories "
        "are not corrected: they say where to look.",
    )
    compare.add_argument("system", metavar="FIRST", help=_SYSTEM)
    compare.add_argument("other", metavar="SECOND", help="the system to compare it with, named in the same ways")
    for parser in (result, compare):
        add_board_options(parser)
        parser.add_argument("--metric", help="rank by this metric (default: the benchmark's first)")
    export = commands.add(
        "export",
        _export,
        "write results in another format",
        "export 'Nearest neighbour' --out ./model\n  radeval leaderboard export --format rexrank --out board.csv",
        about="hub: .eval_results/*.yaml and eval.yaml of one system, for a model repo on the Hub. rexrank: one row "
        "per ranked system with the columns that ReXrank publishes, RadCliQ as 1 divided by the mean.",
    )
    add_board_options(export)
    export.add_argument("system", nargs="?", metavar="SYSTEM", help=f"{_SYSTEM}; not for rexrank")
    export.add_argument("--format", choices=("hub", "rexrank"), default="hub", help="default: %(default)s")
    export.add_argument("--out", required=True, metavar="DIR|FILE.csv", help="folder for hub, file for rexrank")
    export.add_argument("--source", metavar="URL", help="address of the leaderboard, for hub")


def _board(args: argparse.Namespace) -> Board:
    from radeval_core.leaderboard.board import read_board

    with progress_bar(args) as report:
        return read_board(
            store_of(args, must_exist=True), benchmark_of(args), seed_if_empty=not args.hub, on_progress=report
        )


def _result(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.board import with_interval
    from radeval_core.leaderboard.entry_report import report_entry
    from radeval_core.registry import metric_value

    report = report_entry(_board(args), args.system, args.metric)
    if args.json:
        print(json.dumps(report.as_dict(), ensure_ascii=False))
        return 0
    rank = f"rank {report.rank} of {report.systems}" if report.rank else f"{report.kind}, not ranked"
    shared = f", shared with {report.shared}" if report.shared else ""
    print(f"{report.name} ({report.submission[:12]}): {rank}{shared}, by {report.ranked_by}")
    print_table(
        ["metric", "score", "studies"],
        [[f"{k} {metric_value(k).arrow}", with_interval(row), str(row["n"])] for k, row in report.metrics.items()],
    )
    if report.facets:
        rows = [
            [facet, value, with_interval({"score": found.mean, "ci95": found.ci95}), str(found.n)]
            for facet, values in report.facets.items()
            for value, found in values.items()
        ]
        print_table(["facet", "value", f"mean {report.ranked_by}", "studies"], rows)
    for where, neighbour in (("above", report.above), ("below", report.below)):
        if neighbour:
            rank = "-" if neighbour.rank is None else str(neighbour.rank)
            print(f"\n{where}: {neighbour.name} ({neighbour.submission[:12]}), rank {rank}")
            _print_comparison(neighbour.comparison, report.name, neighbour.name)
    print("\n".join(dict.fromkeys(str(row["signature"]) for row in report.metrics.values())))
    return 0


def _compare(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.comparison import compare_entries

    board = _board(args)
    first, second = board.find(args.system), board.find(args.other)
    comparison = compare_entries(first, second, board.benchmark, board.metric(args.metric))
    if args.json:
        print(json.dumps(asdict(comparison), ensure_ascii=False))
        return 0
    print(f"first: {first.system.name} ({first.submission[:12]})")
    print(f"second: {second.system.name} ({second.submission[:12]})")
    _print_comparison(comparison, first.system.name, second.system.name)
    return 0


def _print_comparison(comparison: Comparison, first: str, second: str) -> None:
    names = {"first": first, "second": second, "": "-"}
    rows = [
        [
            f"{row.metric} {'↑' if row.higher_is_better else '↓'}{'' if row.is_headline else ' (mean per study)'}",
            "-" if row.difference is None else _signed(row.difference, row.ci95),
            f"{row.p:.4f}",
            f"{row.p_holm:.4f}",
            names[row.better],
        ]
        for row in comparison.metrics
    ]
    print_table(["metric", "difference", "p", "p (Holm)", "better"], rows)
    shown = [(f"{p.name}: {p.value}", p) for p in comparison.facets if p.better]
    if shown:
        print_table([f"{comparison.ranked_by}, by facet", *_PART_COLUMNS], _part_rows(shown, names))
    shown = [(in_words(p.value), p) for p in comparison.errors if p.better]
    if shown:
        print_table(["errors per study", *_PART_COLUMNS], _part_rows(shown, names))
    if comparison.cases:
        print(f"studies that differ most in {comparison.ranked_by} (first: {first}, second: {second}):")
        print_table(
            ["study", "first", "second"], [[c.study, f"{c.first:.3f}", f"{c.second:.3f}"] for c in comparison.cases]
        )


def _part_rows(parts: Sequence[tuple[str, PartDifference]], names: dict[str, str]) -> list[list[str]]:
    return [[title, _signed(p.difference, p.ci95), str(p.n), names[p.better]] for title, p in parts]


def _signed(difference: float, interval: tuple[float, float] | None) -> str:
    around = f" ({interval[0]:+.3f} to {interval[1]:+.3f})" if interval else ""
    return f"{difference:+.3f}{around}"


def _export(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.export import write_eval_files

    if args.format == "rexrank":
        return _export_rexrank(args)
    if not args.system:
        raise InputError("name a system: radeval leaderboard export SYSTEM --out DIR")
    board = _board(args)
    files = write_eval_files(board.find(args.system), board.benchmark, Path(args.out), args.source)
    print_value(args, {"files": [str(f) for f in files]}, "\n".join(map(str, files)))
    return 0


def _export_rexrank(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.leaderboard.preset_columns import missing_columns, rexrank_csv, rexrank_values

    if args.system or args.source:
        raise InputError("--format rexrank writes all ranked systems: leave out SYSTEM and --source")
    out = io.check_output(args.out, (".csv",))
    board = _board(args)
    values, ranked = rexrank_values(board.benchmark), board.ranked()
    io.write_text(out, rexrank_csv(ranked, board.benchmark))
    missing = missing_columns(board.benchmark, values)
    unlike = [value.name for value in values if not value.comparable and value.name not in missing]
    notes = [f"wrote {len(ranked)} ranked systems to {out}; baselines and oracles are left out"]
    if missing:
        notes.append(f"empty, because {board.benchmark.name} does not compute them: {', '.join(missing)}")
    if unlike:
        notes.append(f"not comparable with ReXrank's own numbers, because of another config: {', '.join(unlike)}")
    value = {"file": str(out), "systems": len(ranked), "empty": missing, "not_comparable": unlike}
    print_value(args, value, "\n".join(notes))
    return 0
