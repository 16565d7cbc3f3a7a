"""`radeval fit`: fit the weights of a metric to experts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from radeval_core.cli.arguments import add_command, add_data_options, add_model_options, input_files
from radeval_core.cli.tables import print_table
from radeval_core.errors import OutputError

_ROWS = """A row of --data, in the layout of `radeval bench` (each measure is a number or a list with one per rater):
  {"id": "1a", "study": "1", "prediction": "Clear lungs.", "reference": "Left effusion.",
   "expert": {"errors": [1, 2], "significant_errors": [1, 1], "rating": [2, 1]}}
"""

_RADCLIQ = f"""{_ROWS}
Or, with --parts, rows that already have the four numbers, in `scores` or at the top level:
  {{"id": "1a", "scores": {{"radgraph": 0.3, "bertscore": 0.5, "semb": 0.9, "bleu2": 0.1}}, "errors": 2}}

The line is intercept + sum of coefficient * (part - mean) / scale, fitted by least squares. The coefficients are at
most 0 and add up to -1. --unit fitted (default) also fits one common factor, so that the score has the unit of the
target (a number of errors); the factor is stored in `scale`. --unit standard solves the paper's problem: the target is
standardised too, no factor is fitted, and the score is in standard deviations. Studies are never split between folds.

examples:
  radeval fit radcliq --data rated.jsonl --out ours.yaml
  radeval fit radcliq --data rated.jsonl --target significant_errors --config paper --out ours.json
  radeval fit radcliq --data scores.jsonl --parts radgraph,bertscore,semb,bleu2 --target errors --out ours.yaml
  radeval score pairs.jsonl --metrics radcliq --option radcliq.weights=ours.yaml
"""

_RATESCORE = f"""{_ROWS}
Reports are read and entities matched once; a trial only changes the weights of the matches. The first trial is the
published set `long`. Weights of types that never match in the data keep its values. The same seed gives the same file.

examples:
  radeval fit ratescore --data rated.jsonl --out ours.yaml
  radeval fit ratescore --data rated.jsonl --target rating --config rate-ner-deberta --trials 1000 --out ours.json
  radeval score pairs.jsonl --metrics ratescore --option ratescore.weights=ours.yaml
"""


def add_fit_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add `fit radcliq` and `fit ratescore`; `common` has the options that every command takes."""
    fit = commands.add_parser("fit", help="fit the weights of a metric to your own experts")
    metrics = fit.add_subparsers(required=True, metavar="METRIC")
    radcliq = add_command(
        metrics,
        "radcliq",
        "fit the weights of RadCliQ's four parts",
        _RADCLIQ,
        common,
        "Fit RadCliQ to experts: constrained least squares, cross-validation, and Kendall's tau-b on held-out studies.",
    )
    radcliq.set_defaults(run=_radcliq)
    radcliq.add_argument(
        "--parts",
        metavar="A,B,C,D",
        help="columns with RadGraph, BERTScore, CheXbert similarity and BLEU-2, in this order; computed by default",
    )
    radcliq.add_argument("--higher-is-better", action="store_true", help="with --parts: a high target is good")
    radcliq.add_argument("--unit", default="fitted", help="fitted (default) or standard, see below")
    radcliq.add_argument(
        "--standard",
        default="own",
        help="standardise the parts with the data's mean and deviation (own, default) or the published ones (v1, v0)",
    )
    ratescore = add_command(
        metrics,
        "ratescore",
        "fit RaTEScore's weights of type pairs, and its penalty",
        _RATESCORE,
        common,
        "Fit RaTEScore to experts: a Tree-structured Parzen Estimator searches for the highest Kendall's tau-b; "
        "cross-validation and held-out studies measure the result. Needs radeval_core[fit].",
    )
    ratescore.set_defaults(run=_ratescore)
    ratescore.add_argument("--trials", type=int, default=300, metavar="N", help="sets of weights to try (default: 300)")
    for command, folds in ((radcliq, 10), (ratescore, 5)):
        add_data_options(command)
        command.add_argument("--target", default="errors", help="expert measure or column to fit to (default: errors)")
        command.add_argument("--out", required=True, metavar="FILE", help="weights file: .yaml, .yml or .json")
        command.add_argument("--config", metavar="CONFIG", help="config of the metric that reads the reports")
        command.add_argument(
            "--folds", type=int, default=folds, metavar="N", help=f"cross-validation folds (default: {folds})"
        )
        command.add_argument(
            "--test-share", type=float, default=0.2, metavar="SHARE", help="share of test studies (default: 0.2)"
        )
        command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of splits and trials (default: 0)")
        add_model_options(command)


def _radcliq(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.fit.radcliq import fit_file
    from radeval_core.functional.radcliq import PARTS

    out = io.check_output(args.out, _SUFFIXES, inputs=input_files(args))
    parts = [name.strip() for name in args.parts.split(",")] if args.parts else None
    weights, report = fit_file(
        args.data,
        args.target,
        parts,
        args.higher_is_better,
        args.config,
        {"device": args.device, "cache": args.cache, "progress": not args.quiet},
        args.data_config,
        args.split,
        unit=args.unit,
        standard=args.standard,
        folds=args.folds,
        test_share=args.test_share,
        seed=args.seed,
    )
    _write(out, weights)
    if args.json:
        print(json.dumps(weights))
        return 0
    columns = [weights["coefficients"], weights["mean"], weights["scale"]]
    rows = [[part, *(f"{column[i]:.6g}" for column in columns)] for i, part in enumerate(PARTS)]
    print_table(["part", "coefficient", "mean", "scale"], rows)
    print(f"intercept {weights['intercept']:.6g}, version {report['name']}")
    if report["largest_difference"] is not None:
        print(f"largest difference between score and target: {report['largest_difference']:.3g}")
    _print_agreement(report, out, "radcliq")
    return 0


def _ratescore(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.fit.ratescore import fit_file

    out = io.check_output(args.out, _SUFFIXES, inputs=input_files(args))
    weights, report = fit_file(
        args.data,
        args.target,
        args.config,
        {"device": args.device, "cache": args.cache},
        args.data_config,
        args.split,
        progress=not args.quiet,
        trials=args.trials,
        folds=args.folds,
        test_share=args.test_share,
        seed=args.seed,
    )
    _write(out, weights)
    if args.json:
        print(json.dumps(weights))
        return 0
    searched = f"{report['weights_searched']} of 25 weights" + (" and the penalty" * report["penalty_searched"])
    print(f"fitted {searched}; tau on the data used for fitting: {report['development']['fit']:.3f}")
    _print_agreement(report, out, "ratescore")
    return 0


_SUFFIXES = (".yaml", ".yml", ".json")


def _write(out: Path, weights: dict[str, Any]) -> None:
    import yaml

    from radeval_core import io

    text = json.dumps(weights, indent=2, allow_nan=False) + "\n"
    try:
        io.write_text(out, text if out.suffix.lower() == ".json" else yaml.safe_dump(weights, sort_keys=False))
    except OutputError:
        print(text)  # the weights of a long fit are not lost for a full disk
        raise


def _print_agreement(report: dict[str, Any], out: Path, metric: str) -> None:
    rows = []
    for name, folds in report["cross_validation"].items():
        rows.append([name, _number(folds["mean"]), _with_interval(report["test"][name])])
    print_table(["tau with the target", "mean of held-out folds", f"test (n = {report['n_test']})"], rows)
    print(f"fitted on {report['n_development']} rows with seed {report['seed']}; wrote {out}. To use it, type:")
    print(f"  radeval score PAIRS --metrics {metric} --option {metric}.weights={out}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _with_interval(row: dict[str, Any] | None) -> str:
    if row is None or row["value"] is None:
        return "-"
    interval = f" ({row['ci95'][0]:.3f} to {row['ci95'][1]:.3f})" if row["ci95"] else ""
    return f"{row['value']:.3f}{interval}"
