"""`radeval compare`: which of several systems is better on the same references?"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

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
from radeval_core.cli.judge_failures import check_judges, failure_notes
from radeval_core.cli.table_formats import add_format_options
from radeval_core.errors import InputError, OutputError

_EXAMPLES = """Every system is a file of pairs, FILE or NAME=FILE, with the same ids and references as the others, in
any order. Files without ids must have the same order.

The numbers are the headlines of `radeval score`, also where they are computed over the corpus (bleu, chexbert_f1), over
the pairs that could be scored for all systems. Two systems are shown with their difference. With more, or with another
--format than the terminal's, each system is a row: the best number of a column is bold, and each other system is tested
against it. † marks a system that is not significantly worse; *, **, *** a system that is, with p < 0.05, 0.01, 0.001.

p-values are (k + 1) / (n + 1), two-sided, from 1,000 resamples of the pairs (bootstrap) and from 10,000 random swaps of
the two systems in each pair (randomisation, used for the marks), with a fixed seed. `≤` before a value means that the
test cannot give a smaller one. Holm's method corrects each kind of test for all tests of the table: metrics times
systems that are compared with the best.

--json prints per metric: "systems" (per name "score", "ci95", "unscored", "best", "tied", "difference" to the best with
"difference_ci95", and the p-values), "n", "unscored", "tests", "signature"; with two systems also "a", "b",
"difference" (b - a), "ci95" and the p-values.

examples:
  radeval compare old.jsonl new.jsonl --metrics green,rouge
  radeval compare base=a.csv large=b.csv ours=c.csv --metrics green,chexbert_f1,bleu --format latex > table.tex
  radeval compare old.jsonl new.jsonl --metrics bleu --option bleu.lowercase=true --out scores.csv
  radeval compare old.csv new.csv --preset rexrank --section findings --json
"""


def add_compare_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    compare = add_command(
        commands,
        "compare",
        "compare systems on the same references",
        _EXAMPLES,
        common,
        "Compare two or more systems on the same references, with intervals and paired tests.",
    )
    compare.set_defaults(run=_compare)
    compare.add_argument(
        "systems", nargs="+", metavar="[NAME=]FILE", help=f"pairs of a system: {TABLES}; at least two systems"
    )
    add_pair_column_options(compare)
    add_metric_options(compare, parts=True, required=False)
    add_preset_options(compare)
    add_option_option(compare)
    add_section_option(compare)
    add_lexicon_option(compare)
    compare.add_argument(
        "--out",
        metavar="FILE",
        help="write per-pair scores of all systems, with a column system: .jsonl, .csv, .parquet",
    )
    add_format_options(compare)
    add_model_options(compare)


def _compare(args: argparse.Namespace) -> int:
    from radeval_core import api, io
    from radeval_core.bench.compare_systems import compare
    from radeval_core.bench.system_pairs import read_systems, systems_from
    from radeval_core.cli.compare_table import print_comparison
    from radeval_core.shown_values import metrics_of, shown_value

    if args.json and args.format != "table":
        raise InputError("give --json or --format, not both")
    if len(args.systems) < 2:
        raise InputError(f"give at least two systems to compare, got {args.systems[0]}")
    preset = preset_of(args)
    configs, options = configs_of(args), options_of(args)
    if preset:
        values, configs, options = preset.settings(configs, options, args.published)
    else:
        values = tuple(shown_value(name) for name in metric_list(args.metrics, parts=True))
    out = io.check_output(args.out, inputs=input_files(args)) if args.out else None
    result = compare(
        read_systems(
            systems_from(args.systems),
            pair_columns_of(args),
            api.columns_read(metrics_of(values), configs, options),
        ),
        values,
        configs,
        options,
        device=args.device,
        cache=args.cache,
        progress=not args.quiet,
        lexicon=args.lexicon,
        section=args.section,
    )
    judged = [found for scores in result.scores.values() for found in scores.results.values()]
    failures: list[OutputError] = []
    with io.kept_going(failures):
        if out:
            io.write_rows(out, result.rows())
    if args.json:
        print(json.dumps(result.plain()))
        io.raise_failures(failures)
        check_judges(judged)
        return 0
    notes = preset_notes(preset, values)
    for system, scores in result.scores.items():
        notes += [f"{system}: {note}" for note in failure_notes(scores.results.values())]
    print_comparison(result, args.format, args.intervals, args.signatures, notes)
    io.raise_failures(failures)
    if out and not args.quiet:
        total = sum(len(scores.ids) for scores in result.scores.values())
        print(f"{total} rows written to {out}", file=sys.stdout if args.format == "table" else sys.stderr)
    check_judges(judged)
    return 0
