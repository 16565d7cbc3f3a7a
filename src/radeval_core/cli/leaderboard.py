"""`radeval leaderboard …`: check, submit, score, show and export systems."""

from __future__ import annotations

import argparse
from typing import Any

from radeval_core.cli.leaderboard_arguments import Commands
from radeval_core.cli.leaderboard_benchmark import add_benchmark_commands
from radeval_core.cli.leaderboard_board import add_board_commands
from radeval_core.cli.leaderboard_entries import add_entry_commands
from radeval_core.cli.leaderboard_results import add_result_commands

_OVERVIEW = """A submission is one JSONL file (JSON works too: {"system": …, "predictions": [rows]}):
  {"system": {"name": "My system", "link": "https://example.org/model", "training_data": "what it was trained on"}}
  {"id": "study-001", "prediction": "The heart is normal in size. …"}
  …one line per study

Add "kind": "baseline" or "oracle" to the system to show it apart, without a rank. The owner of a benchmark can do the
same with `kinds` in its benchmark.yaml.

To enter the leaderboard, type:
  radeval leaderboard studies --out studies.jsonl      write the input of each study
  radeval leaderboard import table FILE …              turn a table of predictions, or ReXrank's file, into a submission
  radeval leaderboard check mine.jsonl                 list every problem of your file, by row
  radeval leaderboard submit mine.jsonl                put it in the queue
  radeval leaderboard score                            score the queue; safe to run repeatedly and in parallel
  radeval leaderboard show                             print the ranked systems
  radeval leaderboard result SUBMISSION                print a system's result, and how it differs from its neighbours
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
    group = Commands(top.add_subparsers(required=True, metavar="COMMAND"), common)
    add_entry_commands(group)
    add_board_commands(group)
    add_result_commands(group)
    add_benchmark_commands(group)
