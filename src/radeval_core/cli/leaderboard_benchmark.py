"""`radeval leaderboard benchmark list, build`: the benchmarks, and one on real reports from files on disk."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from radeval_core.cli.arguments import (
    add_metric_options,
    add_preset_options,
    configs_of,
    metric_list,
    preset_notes,
    preset_of,
)
from radeval_core.cli.leaderboard_arguments import Commands, print_value
from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError


def add_benchmark_commands(commands: Commands) -> None:
    """Add the commands on benchmarks."""
    top = commands.group.add_parser("benchmark", help="list benchmarks, or build one from files on your disk")
    group = Commands(
        top.add_subparsers(required=True, metavar="COMMAND"), commands.common, "radeval leaderboard benchmark"
    )
    group.add("list", _list, "list the included benchmarks and those you can build", "list")
    build = group.add(
        "build",
        _build,
        "build a benchmark on real reports",
        "build iu-xray --source NLMCXR_reports.tgz --out iu-xray",
        about="Reads the publisher's files from your disk and downloads nothing. Only you can read the folder, which "
        "contains the references. Give it to the other commands: --benchmark DIR. The first metric ranks. Without "
        "--metrics or --preset, the metrics are those of radcheck-open.",
    )
    build.add_argument("name", choices=("iu-xray",), metavar="iu-xray", help="the benchmark")
    build.add_argument("--source", required=True, metavar="FILE", help="NLMCXR_reports.tgz, the archive of Open-i")
    build.add_argument("--out", required=True, metavar="DIR", help="a new folder")
    add_metric_options(build, parts=True, required=False)
    add_preset_options(build)
    build.add_argument("--rank-by", metavar="METRIC", help="the metric that ranks (default: the first)")
    build.add_argument(
        "--show-references",
        action="store_true",
        help="let the leaderboard page show the reference of a study beside a system's report",
    )


def _list(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.benchmark import benchmark_names, load_benchmark
    from radeval_core.leaderboard.iu_xray import iu_xray_texts

    found = [load_benchmark(name) for name in benchmark_names()]
    rows: list[dict[str, Any]] = [
        {"name": b.name, "title": b.title, "studies": len(b.studies), "summary": b.summary, "included": True}
        for b in found
    ]
    texts = iu_xray_texts()
    facts = {key: texts[key] for key in ("name", "title", "summary")}
    rows.append({**facts, "studies": len(texts["ids"]), "included": False})
    if args.json:
        print_value(args, {"benchmarks": rows}, "")
        return 0
    get = {True: "included", False: "build it: radeval leaderboard benchmark build NAME --source FILE --out DIR"}
    print_table(
        ["name", "title", "studies", "about", "to get it"],
        [[row["name"], row["title"], str(row["studies"]), row["summary"], get[row["included"]]] for row in rows],
    )
    return 0


def _build(args: argparse.Namespace) -> int:
    from radeval_core.leaderboard.iu_xray import build_iu_xray
    from radeval_core.leaderboard.preset_columns import metrics_of_preset
    from radeval_core.registry import get_spec, metric_value

    metrics: dict[str, str] | None = None
    options: dict[str, dict[str, Any]] = {}
    notes: list[str] = []
    configs = configs_of(args)
    preset = preset_of(args) if args.preset or args.metrics else None
    if preset:
        values, configs, options = preset.settings(configs, None, args.published)
        metrics, notes = metrics_of_preset(preset, values, configs), preset_notes(preset, values)
    elif args.metrics:
        names = metric_list(args.metrics, parts=True)
        behind = {name: metric_value(name).metric for name in names}
        metrics = {name: configs.get(m, get_spec(m).default_config.name) for name, m in behind.items()}
    elif configs or args.published or args.rank_by:
        raise InputError("--config, --published and --rank-by need --metrics or --preset")
    if metrics and args.rank_by:
        if args.rank_by not in metrics:
            raise InputError(f"--rank-by {args.rank_by}: not among the metrics: {', '.join(metrics)}")
        metrics = {args.rank_by: metrics[args.rank_by], **metrics}
    built = build_iu_xray(Path(args.source), Path(args.out), metrics, options, args.show_references)
    value = {"folder": str(built.folder), "revision": built.revision, "studies": len(built.studies)}
    value["metrics"] = dict(built.metrics)
    lines = [
        f"wrote {len(built.studies)} studies to {built.folder}, revision {built.revision}; only you can read it",
        f"ranked by {built.main_metric}; metrics: {', '.join(built.metrics)}",
        f"to use it, add --benchmark {args.out} to: radeval leaderboard studies, import, submit, score, show",
    ]
    print_value(args, value, "\n".join([*lines, *notes]))
    return 0
