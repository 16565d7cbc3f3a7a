"""The `radeval` command: subcommands, messages on stderr and exit codes."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout

from radeval_core import __version__
from radeval_core.cli.bench import add_bench_command
from radeval_core.cli.compare import add_compare_command
from radeval_core.cli.data import add_data_commands
from radeval_core.cli.fit import add_fit_commands
from radeval_core.cli.hub import add_hub_commands
from radeval_core.cli.leaderboard import add_leaderboard_commands
from radeval_core.cli.metrics import add_metrics_command
from radeval_core.cli.oracle import add_oracle_commands
from radeval_core.cli.parse import add_parse_command
from radeval_core.cli.read import add_read_commands
from radeval_core.cli.score import add_score_command
from radeval_core.cli.serve import add_serve_command
from radeval_core.cli.train import add_train_commands
from radeval_core.errors import (
    CheckpointError,
    InputError,
    MissingDependencyError,
    RadevalError,
    is_out_of_memory,
    process_name,
)

#: what shells return for a program that SIGINT ended: 128 + 2
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Return 0 on success, 2 for wrong input or options, 130 if interrupted, 1 for any other error."""
    args = _parser().parse_args(argv)
    _print_every_character()
    from radeval_core.engine.processes import is_first_process, sharing_work
    from radeval_core.io import parts_removed_on_signals

    first = is_first_process()
    args.quiet |= not first  # of several processes, one shows notes and progress
    level = logging.ERROR if args.quiet else logging.WARNING
    try:
        with parts_removed_on_signals(), _notes_on_stderr(level), sharing_work(), _printing(first):
            status: int = args.run(args)
        sys.stdout.flush()
    except (InputError, CheckpointError, MissingDependencyError) as error:
        print(f"radeval: {_one_line(error)}", file=sys.stderr)
        return 2
    except RadevalError as error:
        print(f"radeval: {_one_line(error)}", file=sys.stderr)
        return 1
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        print(f"radeval: {_out_of_memory()}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("radeval: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:  # the reader of our output closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _out_of_memory() -> str:
    return (
        f"out of memory in {process_name()}: no output was changed. Split the input into smaller files, lower "
        "--batch-tokens, or use fewer processes or a machine with more memory; with --cache, the next run starts with "
        "what this one has read"
    )


def _print_every_character() -> None:
    """Let the terminal show an escape for what its encoding does not have, instead of ending the run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _printing(wanted: bool) -> Iterator[None]:
    """Drop what is printed on stdout while the block runs, unless it is wanted: of several processes, one prints."""
    if wanted:
        yield
        return
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        yield


@contextmanager
def _notes_on_stderr(level: int) -> Iterator[None]:
    """Show radeval's log messages on stderr while a command runs; leave other libraries' logging alone."""
    logger = logging.getLogger("radeval_core")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("radeval: %(message)s"))
    handler.setLevel(level)
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False  # some libraries print what reaches the root logger
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="radeval", description="Radiology report metrics: score, compare, list, publish."
    )
    parser.add_argument("--version", action="version", version=f"radeval {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--quiet", "-q", action="store_true", help="print no messages and no progress bars")
    common.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    for add in (
        add_score_command,
        add_parse_command,
        add_metrics_command,
        add_bench_command,
        add_compare_command,
        add_leaderboard_commands,
        add_read_commands,
        add_data_commands,
        add_fit_commands,
        add_train_commands,
        add_oracle_commands,
        add_hub_commands,
        add_serve_command,
    ):
        add(commands, common)
    return parser


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
