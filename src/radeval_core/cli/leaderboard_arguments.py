"""What the `radeval leaderboard` commands share: their options, the benchmark, the store, and how they print."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.errors import InputError

if TYPE_CHECKING:
    from radeval_core.leaderboard.benchmark import Benchmark
    from radeval_core.leaderboard.store import Store


@dataclass(frozen=True)
class Commands:
    """A group of commands.

    Attributes:
        group: the group of argparse.
        common: parser with the options of every command.
        path: how a user types the group: `radeval leaderboard`.
    """

    group: Any
    common: argparse.ArgumentParser
    path: str = "radeval leaderboard"

    def add(
        self, name: str, run: Callable[[argparse.Namespace], int], help_text: str, example: str, about: str = ""
    ) -> argparse.ArgumentParser:
        """Add a command without further options.

        Args:
            name: its name.
            run: what it does.
            help_text: one line, which also starts its description.
            example: what to type after the path.
            about: further text for its help.
        """
        parser: argparse.ArgumentParser = self.group.add_parser(
            name,
            parents=[self.common],
            help=help_text,
            description=f"{help_text[:1].upper()}{help_text[1:]}.",
            epilog=(f"{textwrap.fill(about, 118)}\n\n" if about else "") + f"example:\n  {self.path} {example}\n",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(run=run)
        return parser


def add_benchmark_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses the benchmark."""
    parser.add_argument(
        "--benchmark",
        default="radcheck-open",
        metavar="NAME|DIR",
        help="an included benchmark or your own folder (default: %(default)s)",
    )


def add_board_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a board: the benchmark and the store."""
    add_benchmark_option(parser)
    parser.add_argument("--store", metavar="DIR", help="folder of submissions and results")
    parser.add_argument("--hub", metavar="ORG", help="use dataset repos of this organisation instead")


def benchmark_of(args: argparse.Namespace) -> Benchmark:
    """Return the benchmark the user chose."""
    from radeval_core.leaderboard.benchmark import load_benchmark

    return load_benchmark(args.benchmark)


def store_of(args: argparse.Namespace, must_exist: bool = False) -> Store:
    """Return the store the user chose."""
    from radeval_core.leaderboard.store import open_store

    if args.store and Path(args.store).is_file():
        raise InputError(f"--store {args.store} is a file; give a folder")
    store = open_store(args.store, args.hub)
    if must_exist and args.store and not Path(args.store).exists():
        raise InputError(f"--store {args.store} does not exist; to make it, type: radeval leaderboard seed or submit")
    return store


def print_value(args: argparse.Namespace, value: dict[str, Any], text: str) -> None:
    """Print a result as JSON or as text, as the user chose."""
    if args.json:
        print(json.dumps(value, ensure_ascii=False))
    elif not args.quiet:
        print(text)


@contextmanager
def progress_bar(args: argparse.Namespace) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows on a terminal how many pairs are scored, of how many."""
    from tqdm import tqdm

    with tqdm(unit="pair", leave=False, disable=True if args.quiet else None) as bar:

        def report(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield report
