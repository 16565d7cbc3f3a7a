"""`radeval score`: score pairs of reports."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import (
    TABLES,
    add_command,
    add_lexicon_option,
    add_metric_options,
    add_model_options,
    add_option_option,
    add_pair_column_options,
    add_preset_options,
    add_section_option,
    configs_of,
    input_files,
    metric_list,
    options_of,
    pair_columns_of,
    preset_notes,
    preset_of,
)
from radeval_core.cli.cluster import ScoredRun, add_cluster_options, refuse_cluster_options, score_on_cluster
from radeval_core.cli.judge_failures import check_judges, failure_notes
from radeval_core.cli.report import DetailSinks, add_report_options, check_report_options, write_report
from radeval_core.cli.score_table import coverage_note, print_scores, section_note
from radeval_core.cli.table_formats import add_format_options
from radeval_core.errors import InputError, OutputError

if TYPE_CHECKING:
    from radeval_core.presets import Preset
    from radeval_core.shown_values import ShownValue

_EXAMPLES = """examples:
  radeval score pairs.jsonl --metrics bleu,rouge
  radeval score pairs.csv --metrics all --out scores.jsonl
  radeval score study.csv --metrics green --prediction-column generated_report --reference-column ground_truth
  radeval score --predictions mine.txt --references theirs.txt --metrics bertscore --json
  radeval score pairs.jsonl --metrics bertscore --config bertscore=distilroberta-base --device cuda
  radeval score pairs.jsonl --metrics bertscore --config bertscore=./my-encoder --option bertscore.layer=9
  radeval score pairs.jsonl --metrics green,ffl_rq --lexicon my_findings.yaml
  radeval score pairs.jsonl --metrics green,radgraph_f1 --details details.jsonl
  radeval score pairs.jsonl --metrics all --report report.html
  radeval score pairs.jsonl --metrics green,rouge --section findings --format latex > table.tex
  radeval score pairs.jsonl --preset rexrank --published --device cuda
  radeval score pairs/ --metrics bleu,green --engine ray --workers 16 --out scores.parquet

presets (--preset NAME) give the numbers of a published table, under its names:
  rexrank        the seven columns of the ReXrank leaderboard
  green-paper    the metrics of table 5 of the GREEN paper
  radcliq-paper  the five metrics of table 4 of the RadCliQ paper
  chexbert-14    CheXbert's F1 over all 14 conditions
  chexbert-5     CheXbert's F1 over five conditions
  iu-xray        the usual columns of report generation papers on IU X-ray

The embedded configs run by default. Their numbers are not comparable with the published table, and the output says so;
--published runs the checkpoints that the source used.
"""


def add_score_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    score = add_command(
        commands,
        "score",
        "score pairs of reports",
        _EXAMPLES,
        common,
        "Score generated reports against reference reports, and print a table with 95 % intervals.",
    )
    score.set_defaults(run=_score)
    score.add_argument(
        "pairs",
        nargs="?",
        metavar="PAIRS",
        help=f"{TABLES} with columns prediction, reference, optional id; boxes, image, age, sex, indication or history "
        "where a metric uses them",
    )
    add_pair_column_options(score)
    score.add_argument("--predictions", metavar="FILE", help="text file, one generated report per line")
    score.add_argument("--references", metavar="FILE", help="text file, one reference report per line")
    add_metric_options(score, parts=True, required=False)
    add_preset_options(score)
    add_option_option(score)
    add_section_option(score)
    add_lexicon_option(score)
    score.add_argument("--out", metavar="FILE", help="write per-pair scores: .jsonl, .csv or .parquet")
    score.add_argument(
        "--details",
        metavar="FILE.jsonl",
        help="write what is behind each score: errors, matches, corrections, entities; quotes the reports",
    )
    add_report_options(score)
    add_format_options(score)
    add_model_options(score)
    score.add_argument("--batch-tokens", type=int, metavar="N", help="tokens per batch, including padding")
    score.add_argument("--limit", type=int, metavar="N", help="score only the first N pairs")
    add_cluster_options(score)


def _score(args: argparse.Namespace) -> int:
    from radeval_core import api, io
    from radeval_core.engine.processes import is_first_process
    from radeval_core.shown_values import shown_value

    if args.json and args.format != "table":
        raise InputError("give --json or --format, not both")
    preset = preset_of(args)
    shown = preset.values if preset else [shown_value(name) for name in metric_list(args.metrics, parts=True)]
    inputs = input_files(args)
    out = io.check_output(args.out, inputs=inputs) if args.out else None
    details = io.check_output(args.details, (".jsonl",), "--details", inputs) if args.details else None
    page = io.check_output(args.report, (".html",), "--report", inputs) if args.report else None
    io.check_distinct({"--out": out, "--details": details, "--report": page})
    if not is_first_process():  # the others only compute
        out = details = page = None
    check_report_options(args)
    failures: list[OutputError] = []  # a full disk at the end must not cost the table
    if args.engine == "ray":
        run = score_on_cluster(args, preset, shown, out)
    else:
        refuse_cluster_options(args)
        run = _score_here(args, preset, shown, details, bool(page), failures)
    scores, total = run.scores, len(run.scores.ids)
    with io.kept_going(failures):
        if out:
            io.write_rows(out, scores.rows())
        run.finish()
    with io.kept_going(failures):
        if page:
            run.write_page(page)
    empty = {"empty_predictions": run.empty_predictions, "empty_references": run.empty_references}
    whole = not preset and all(value.key == value.metric for value in shown)
    summary = {name: row | empty for name, row in (scores.summary() if whole else scores.table()).items()}
    if args.json:
        print(json.dumps(summary))
        io.raise_failures(failures)
        check_judges(scores.results.values())
        return 0
    notes = preset_notes(preset, scores.shown)
    if any(empty.values()):
        counts = [f"{number} of {total} {name.removeprefix('empty_')}" for name, number in empty.items() if number]
        notes.append(f"empty reports, scored as such: {', '.join(counts)}")
    notes += filter(None, [section_note(scores.section)])
    # a number that is not comparable or not understood must not be printed without saying so
    kept = [] if args.quiet else notes
    if preset and args.quiet:
        kept.append(preset.warning(scores.shown))
    covered = [name for name, result in scores.results.items() if result.coverage is not None]
    coverage = api.coverage_summary(scores.coverage) if scores.coverage is not None else None
    kept.append(coverage_note(covered, coverage, total))
    kept += failure_notes(scores.results.values())
    print_scores(summary, args.signatures, args.format, args.intervals, [note for note in kept if note])
    io.raise_failures(failures)
    if not args.quiet:
        _tell_files(args, out, details, page, total)
    check_judges(scores.results.values())
    return 0


def _score_here(
    args: argparse.Namespace,
    preset: Preset | None,
    shown: Sequence[ShownValue],
    details: Path | None,
    with_page: bool,
    failures: list[OutputError],
) -> ScoredRun:
    """Score the pairs in this process, and with the others if several were launched."""
    from radeval_core import api, io
    from radeval_core.shown_values import metrics_of
    from radeval_core.spool import PairSpool

    configs, options = configs_of(args), options_of(args)
    cutter = api.make_resources(lexicon=args.lexicon, section=args.section).cutter
    # reads and checks the whole file once, before the first pair is scored
    pairs = PairSpool(_open_pairs(args, api.columns_read(metrics_of(shown), configs, options)), cutter)
    if not len(pairs):
        raise InputError(f"{args.pairs or args.predictions}: no pairs to score")
    with io.kept_going(failures), io.jsonl_writer(details) if details else nullcontext() as write_details:
        sinks = DetailSinks(write_details, with_page)
        scores = api.score(
            pairs,
            None if preset else [value.name for value in shown],
            configs,
            options,
            device=args.device,
            batch_tokens=args.batch_tokens,
            cache=args.cache,
            progress=not args.quiet,
            total=len(pairs),
            lexicon=args.lexicon,
            preset=preset,
            published=args.published,
            on_details=sinks.on_details,
        )
    return ScoredRun(
        scores,
        pairs.empty_predictions,
        pairs.empty_references,
        write_page=lambda page: write_report(page, args, scores, pairs, sinks),
    )


def _tell_files(
    args: argparse.Namespace, out: Path | None, details: Path | None, page: Path | None, total: int
) -> None:
    """Print which files were written."""
    # a table in another format goes to a file or a program: keep it free of messages
    stream = sys.stdout if args.format == "table" else sys.stderr
    if out:
        print(f"{total} rows written to {out}", file=stream)
    if details:
        print(f"details of {total} pairs written to {details}", file=stream)
    if page:
        print(f"report on {total} pairs written to {page}", file=stream)


def _open_pairs(args: argparse.Namespace, further: tuple[str, ...]) -> Any:
    """Return a reader of the pairs in PAIRS, or in the two text files; `further` are columns that a metric reads."""
    from radeval_core import io

    if bool(args.pairs) == bool(args.predictions or args.references):
        raise InputError("give a file of PAIRS, or --predictions FILE and --references FILE")
    if not args.pairs and not (args.predictions and args.references):
        raise InputError("--predictions and --references must be given together")
    if args.limit is not None and args.limit < 1:
        raise InputError(f"--limit must be at least 1, got {args.limit}")
    columns = pair_columns_of(args)
    if args.pairs:
        return io.open_pairs(args.pairs, args.limit, columns, further)
    if columns != io.PairColumns():
        raise InputError("text files have no columns: --prediction-column and the like are for a file of PAIRS")
    return io.open_text_files(args.predictions, args.references, args.limit)
