"""Options and messages that the commands share which write a training file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from radeval_core.cli.tables import print_table

_TERMS = "not stated: a training file has the terms of the reports in it"


def add_training_file_options(command: argparse.ArgumentParser) -> None:
    """Add the options of a training file and its datasheet."""
    command.add_argument(
        "--out",
        required=True,
        metavar="FILE.jsonl",
        help="training file; its datasheet FILE.md and FILE.json beside it",
    )
    command.add_argument(
        "--splits",
        default="0.8,0.1,0.1",
        metavar="A,B,C",
        help="shares of train, validation and test, split by study (default: 0.8,0.1,0.1)",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    command.add_argument("--terms", default=_TERMS, metavar="TEXT", help="licence or terms of use, for the datasheet")
    command.add_argument(
        "--tokenizer", metavar="DIR", help="model folder whose tokenizer measures lengths, for the datasheet"
    )
    command.add_argument("--dry-run", action="store_true", help="print the plan and write nothing")


def token_counter(folder: str | None) -> Callable[[str], int] | None:
    """Return a function that counts the tokens of a text with the tokenizer of a model folder."""
    if folder is None:
        return None
    from radeval_core.train.token_counts import token_counter

    return token_counter(folder)


def print_training_file(args: argparse.Namespace, out: Path, sheet: dict[str, Any]) -> None:
    """Print what was written."""
    if args.json:
        print(json.dumps({"out": str(out), **sheet}))
        return
    rows = [
        [name, str(found["significant"]), str(found["insignificant"]), str(found["rows"])]
        for name, found in sheet["categories"].items()
    ]
    print_table(["category", "significant", "insignificant", "pairs with one"], rows)
    if not args.quiet:
        splits = ", ".join(f"{found['rows']} {name}" for name, found in sheet["splits"].items())
        print(f"wrote {sheet['rows']} pairs ({splits}) to {out}; datasheet: {out.with_suffix('.md')}")
