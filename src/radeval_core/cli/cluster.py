"""The options of `radeval score` that choose where pairs are scored: in this process, or on a Ray cluster."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from radeval_core.cli.arguments import configs_of, options_of, pair_columns_of
from radeval_core.errors import InputError

if TYPE_CHECKING:
    from radeval_core.api import Scores
    from radeval_core.presets import Preset
    from radeval_core.shown_values import ShownValue

ENGINES = ("local", "ray")


def _no_page(page: Path) -> None:
    raise AssertionError(f"{page}: the page is refused before the run")


@dataclass(frozen=True)
class ScoredRun:
    """A run whose pairs are scored.

    Attributes:
        scores: the result.
        empty_predictions: number of pairs whose prediction is empty.
        empty_references: number of pairs whose references are all empty.
        write_page: writes the page for `--report`.
        finish: called once the output is written.
    """

    scores: Scores
    empty_predictions: int
    empty_references: int
    write_page: Callable[[Path], None] = _no_page
    finish: Callable[[], None] = lambda: None


def add_cluster_options(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="local (default): this process; ray: PAIRS is a file, a folder or a pattern, scored in parts on a Ray "
        "cluster and resumed if it is cut short; needs --out",
    )
    command.add_argument(
        "--ray-address", metavar="ADDRESS", help="the Ray cluster, such as auto or HOST:6379; a local one by default"
    )
    command.add_argument("--workers", type=int, metavar="N", help="processes that score, with --engine ray")
    command.add_argument(
        "--keep-parts", action="store_true", help="with --engine ray: keep the folder OUT.parts when OUT is written"
    )


def refuse_cluster_options(args: argparse.Namespace) -> None:
    """Refuse options of a cluster without one."""
    given = {"--ray-address": args.ray_address, "--workers": args.workers, "--keep-parts": args.keep_parts}
    for option, value in given.items():
        if value not in (None, False):
            raise InputError(f"{option} is for a Ray cluster: add --engine ray")


def score_on_cluster(
    args: argparse.Namespace, preset: Preset | None, shown: Sequence[ShownValue], out: Path | None
) -> ScoredRun:
    """Score the pairs on a Ray cluster."""
    from radeval_core import api
    from radeval_core.cluster.inputs import input_paths
    from radeval_core.cluster.job import ScoringJob
    from radeval_core.cluster.plan import delete_folder
    from radeval_core.cluster.ray_engine import score_on_ray
    from radeval_core.engine.processes import launched_count
    from radeval_core.shown_values import metrics_of

    _check(args, out)
    if launched_count() > 1:
        raise InputError("--engine ray starts its own processes: leave out torchrun or accelerate launch")
    values, configs, options = api.chosen_values(
        None if preset else [value.name for value in shown], preset, args.published, configs_of(args), options_of(args)
    )
    columns = pair_columns_of(args)
    job = ScoringJob(
        tuple(metrics_of(values)),
        dict(configs),
        {name: dict(found) for name, found in options.items()},
        args.device,
        args.batch_tokens,
        str(Path(args.cache).resolve()) if args.cache else os.environ.get("RADEVAL_CACHE"),
        tuple(str(Path(path).resolve()) for path in args.lexicon),
        args.section or "",
        (columns.prediction, columns.reference, columns.id),
    )
    assert out is not None
    folder = out.resolve().with_name(f"{out.name}.parts")
    workers = (os.cpu_count() or 1) if args.workers is None else args.workers
    found = score_on_ray(
        input_paths(args.pairs), job, values, folder, workers, args.ray_address, progress=not args.quiet
    )
    return ScoredRun(
        found.scores,
        found.empty_predictions,
        found.empty_references,
        finish=lambda: None if args.keep_parts else delete_folder(folder),
    )


def _check(args: argparse.Namespace, out: Path | None) -> None:
    """Refuse what a cluster cannot do, before anything is started."""
    if args.predictions or args.references or not args.pairs:
        raise InputError(
            "--engine ray reads a table: give PAIRS, a file, a folder or a pattern such as 'pairs/*.jsonl'"
        )
    for option, value in (("--details", args.details), ("--report", args.report)):
        if value:
            raise InputError(f"{option} quotes the reports and is written by one process: leave out --engine ray")
    if args.limit is not None:
        raise InputError("--limit is for one process: give --engine ray a smaller file")
    if out is None:
        raise InputError("--engine ray needs --out FILE: the parts of the result are written next to it")
