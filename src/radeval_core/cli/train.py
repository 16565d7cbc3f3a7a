"""`radeval train`: make training data, and train and evaluate the models behind the metrics. A file per command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from radeval_core.cli.arguments import add_command
from radeval_core.cli.train_annotate import add_annotate_command
from radeval_core.cli.train_detector import add_detector_command
from radeval_core.cli.train_inject import add_inject_command
from radeval_core.cli.train_judge import add_judge_command
from radeval_core.cli.train_ner import add_ner_command, add_ner_tables_command
from radeval_core.cli.train_propose import add_propose_command
from radeval_core.cli.train_report import add_report_command

_EXAMPLES = """examples:
  radeval train annotate pairs.jsonl --judge green --config http:MODEL --out train.jsonl
  radeval train inject reports.jsonl --metric green --count 1000 --out train.jsonl
  radeval train judge --base HuggingFaceTB/SmolLM2-135M-Instruct --data train.jsonl --recipe small --out my-judge
  radeval train report my-judge --html report.html
  radeval train detector --base facebook/detr-resnet-50 --data films.jsonl --out my-detector
  radeval train propose reports.jsonl --out sentences.jsonl
  radeval train ner --base deberta-v3 --data rate_ner --out my-reader
"""
#: functions that add one command each to the group
COMMANDS: tuple[Callable[[Any, argparse.ArgumentParser], None], ...] = (
    add_annotate_command,
    add_inject_command,
    add_judge_command,
    add_report_command,
    add_detector_command,
    add_ner_command,
    add_ner_tables_command,
    add_propose_command,
)


def add_train_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command group; `common` has the options that every command takes."""
    train = add_command(commands, "train", "train the models behind the metrics", _EXAMPLES)
    group = train.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(group, common)
