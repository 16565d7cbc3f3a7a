"""`radeval train report`: one page about a training run."""

from __future__ import annotations

import argparse
from typing import Any

from radeval_core.cli.arguments import add_command


def add_report_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train report`."""
    command = add_command(group, "report", "write one page about a training run", None, common)
    command.set_defaults(run=_report)
    command.add_argument("folder", metavar="FOLDER", help="the --out folder of `radeval train`")


def _report(args: argparse.Namespace) -> int:
    return 0
