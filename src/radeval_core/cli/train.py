"""`radeval train`: make training data, and train and evaluate the models behind the metrics."""

from __future__ import annotations

import argparse
from typing import Any

from radeval_core.cli.arguments import add_command
from radeval_core.cli.train_annotate import add_annotate_command
from radeval_core.cli.train_inject import add_inject_command

_EXAMPLES = """examples:
  radeval train annotate pairs.jsonl --judge green --config http:MODEL --out train.jsonl
  radeval train inject reports.jsonl --metric green --count 1000 --out train.jsonl
"""


def add_train_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command group; `common` has the options that every command takes."""
    train = add_command(commands, "train", "train the models behind the metrics", _EXAMPLES)
    group = train.add_subparsers(required=True, metavar="COMMAND")
    add_annotate_command(group, common)
    add_inject_command(group, common)
