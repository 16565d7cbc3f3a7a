"""`radeval train`: train the models behind the metrics. Each command has a file of its own."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from radeval_core.cli.arguments import add_command
from radeval_core.cli.train_ner import add_ner_command, add_ner_tables_command
from radeval_core.cli.train_propose import add_propose_command

#: functions that add one command each to the group
COMMANDS: tuple[Callable[[Any, argparse.ArgumentParser], None], ...] = (
    add_ner_command,
    add_ner_tables_command,
    add_propose_command,
)


def add_train_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command group; `common` has the options that every command takes."""
    train = add_command(commands, "train", "train the models behind the metrics")
    group = train.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(group, common)
