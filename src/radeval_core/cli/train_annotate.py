"""`radeval train annotate`: a training file from the answers of a teacher."""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import add_command, add_option_option, input_files, options_of
from radeval_core.cli.tables import print_table
from radeval_core.cli.train_files import add_training_file_options, print_training_file, token_counter
from radeval_core.errors import InputError

if TYPE_CHECKING:
    from radeval_core.train.annotate.plan import TeacherPlan
    from radeval_core.train.annotate.source import Selection
    from radeval_core.train.annotate.teacher import Teacher

log = logging.getLogger(__name__)

_EXAMPLES = """PAIRS is JSONL with one pair per line, as `radeval data pairs` writes it:
  {"id": "1", "study": "12", "reference": "Small right effusion.", "prediction": "Left effusion.",
   "heuristic": "permutation", "age": "75"}
Only reference and prediction are required. Without a study, pairs with the same reference are one study.

The teacher gets the metric's own question about each pair. Its answer is read with the metric's own reader; pairs whose
answer cannot be read are left out, counted in the datasheet, and listed with the reason in FILE.dropped.jsonl.

Every answer is kept in FILE.jsonl.journal as soon as it arrives. A run that was stopped continues where it was: the
same command asks only what is missing. Delete the journal when you are done: answers quote reports.

http: and anthropic: send the reports to a server. Check first that you may do that.

A second --config is a second teacher. It is asked about the same pairs, and the datasheet says how often and in which
categories the two differ. The answers in the file are those of the first.

--balance keeps as many pairs of each heuristic as the rarest one has. The GREEN paper has 20,000 distinct pairs of each
of its five heuristics (section 3.1.1): make such a file with `radeval data pairs --heuristic mixed`.

examples:
  radeval train annotate pairs.jsonl --judge green --config http:MODEL --out train.jsonl --dry-run
  radeval train annotate pairs.jsonl --judge green --config http:MODEL --option green.concurrency=16 --out train.jsonl
  radeval train annotate pairs.jsonl --judge crimson --config anthropic:MODEL --config embedded --out train.jsonl
  radeval train annotate pairs.jsonl --judge fineradscore --config embedded --balance --out train.jsonl
"""


def add_annotate_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train annotate`."""
    command = add_command(
        group, "annotate", "make a training file from pairs by asking a teacher about them", _EXAMPLES, common
    )
    command.set_defaults(run=_annotate)
    command.add_argument("pairs", metavar="PAIRS.jsonl", help="the pairs, see below")
    command.add_argument("--judge", required=True, help="metric whose judge is taught: green, crimson or fineradscore")
    command.add_argument(
        "--config",
        action="append",
        required=True,
        metavar="TEACHER",
        help="http:MODEL, anthropic:MODEL, vllm:MODEL, a Hub id or folder, or embedded; twice for two teachers",
    )
    add_option_option(command)
    command.add_argument(
        "--device", help="cuda, cuda:N, mps or cpu for a model on this machine; the best one by default"
    )
    command.add_argument("--balance", action="store_true", help="as many pairs of each heuristic as the rarest one has")
    command.add_argument(
        "--rewrite",
        action="store_true",
        help="write each answer anew in the metric's form, without fences, thoughts and remarks around it",
    )
    add_training_file_options(command)


def _annotate(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.train.annotate.journal import journal_path
    from radeval_core.train.annotate.plan import plan_teachers
    from radeval_core.train.annotate.run import LIMITS, annotate, write_dropped
    from radeval_core.train.annotate.source import read_asked, select_pairs
    from radeval_core.train.annotate.teacher import make_teachers
    from radeval_core.train.datasheet import Making, sheet_paths, write_datasheet
    from radeval_core.train.rows import write_training_rows
    from radeval_core.train.splits import check_splits, read_proportions

    proportions = read_proportions(args.splits)
    out = io.check_output(args.out, (".jsonl",), inputs=input_files(args))
    sheet_paths(out, input_files(args))
    tokens = token_counter(args.tokenizer)
    teachers = make_teachers(args.judge, args.config, args.device, _options(args))
    selection = select_pairs(read_asked(args.pairs), args.balance, args.seed)
    check_splits((asked.study for asked in selection.pairs), args.seed, proportions)
    if args.dry_run:
        return _plan(args, selection, teachers, out, tokens)
    _announce(plan_teachers(selection, teachers, args.config, out))
    result = annotate(selection, teachers, out, args.seed, proportions, args.rewrite, not args.quiet)
    check_splits((row.study for row in result.rows), args.seed, proportions)
    write_training_rows(out, result.rows)
    aside = write_dropped(out, result.dropped)
    options = {name: getattr(args, name) for name in ("balance", "rewrite", "seed", "splits")}
    making = Making(
        "annotate",
        [Path(args.pairs)],
        {"option": args.option, **options},
        result.teachers,
        args.terms,
        LIMITS,
        result.reasons,
        result.disagreements,
    )
    print_training_file(args, out, write_datasheet(out, result.rows, making, tokens))
    if not args.quiet and not args.json:
        if aside:
            print(f"{len(result.dropped)} pairs have no row: the reasons are in {aside}")
        if journal_path(out).exists():
            print(f"the answers are kept in {journal_path(out)}: delete it when you are done")
    return 0


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the judge's metric; refuse those of another one."""
    options = options_of(args)
    for metric in options:
        if metric != args.judge:
            raise InputError(
                f"--option {metric}.…: the judge is {args.judge}, so write --option {args.judge}.NAME=VALUE"
            )
    return options.get(args.judge, {})


def _announce(plans: list[TeacherPlan]) -> None:
    """Say how much is asked, and where the reports go, before anything is sent."""
    for plan in plans:
        if plan.questions:
            hours = f"about {plan.hours:g} h if an answer takes 5 s"
            log.warning("%s: %d questions, %d answers already kept, %s", plan.config, plan.questions, plan.kept, hours)
        if plan.questions and plan.sends_reports_to:
            log.warning("the reports of %d pairs are sent to %s", plan.questions, plan.sends_reports_to)


def _plan(args: argparse.Namespace, selection: Selection, teachers: list[Teacher], out: Path, tokens: Any) -> int:
    """Print what would be asked, and whether reports would leave this machine."""
    from radeval_core.train.annotate.plan import plan_teachers

    plans = plan_teachers(selection, teachers, args.config, out, tokens)
    if args.json:
        plan = {"pairs": len(selection.pairs), "left_out": len(selection.dropped), "heuristics": selection.heuristics}
        print(json.dumps({**plan, "teachers": [each.as_dict() for each in plans]}))
        return 0
    heuristics = ", ".join(f"{count} {name}" for name, count in selection.heuristics.items())
    print(f"{len(selection.pairs)} distinct pairs ({heuristics}); {len(selection.dropped)} left out")
    rows = [
        [
            each.config,
            str(each.questions),
            str(each.kept),
            f"{each.prompt_tokens:,}",
            f"{each.answer_tokens:,}",
            f"{each.hours:g}",
            each.sends_reports_to or "nobody: they stay on this machine",
        ]
        for each in plans
    ]
    print_table(
        ["teacher", "questions", "already kept", "tokens asked", "tokens answered, at most", "hours", "reports go to"],
        rows,
    )
    if not args.quiet:
        counted = "counted" if tokens else "estimated, 4 characters each"
        print(f"tokens are {counted}; the hours assume 5 s per answer. The progress bar shows the real time.")
    return 0
