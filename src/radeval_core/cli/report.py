"""The options `--report` and `--report-pairs` of `radeval score`: write the page of a run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import options_of
from radeval_core.errors import InputError
from radeval_core.ui.report import MOST_PAIRS

if TYPE_CHECKING:
    from radeval_core.api import Scores
    from radeval_core.spool import DetailSpool, PairSpool


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--report",
        metavar="FILE.html",
        help="write a page for reading: summary, distributions, and every pair with what each metric saw, the worst "
        "first; quotes the reports",
    )
    parser.add_argument(
        "--report-pairs",
        type=int,
        metavar="N",
        help=f"show at most the N worst pairs on the page (default: {MOST_PAIRS}); the summary covers all",
    )


def check_report_options(args: argparse.Namespace) -> None:
    """Refuse options of the page without a page, and a page without pairs."""
    if args.report_pairs is not None and not args.report:
        raise InputError("--report-pairs is for the page: add --report FILE.html")
    if args.report_pairs is not None and args.report_pairs < 1:
        raise InputError(f"--report-pairs must be at least 1, got {args.report_pairs}")


class DetailSinks:
    """Passes the details of each pair on: to a file, to the page, to both, or to nobody.

    Args:
        write: writes a row to a file; None if there is none.
        wanted: True if the page will need the details.
    """

    def __init__(self, write: Callable[[Mapping[str, Any]], None] | None, wanted: bool) -> None:
        from radeval_core.spool import DetailSpool

        self._write = write
        self.kept: DetailSpool | None = DetailSpool() if wanted else None

    @property
    def on_details(self) -> Callable[[dict[str, Any]], None] | None:
        """Return what a run calls per pair, or None if nobody wants details."""
        return self._pass_on if self._write or self.kept is not None else None

    def _pass_on(self, row: dict[str, Any]) -> None:
        if self._write:
            self._write(row)
        if self.kept is not None:
            self.kept.add(row)


def write_report(page: Path, args: argparse.Namespace, scores: Scores, pairs: PairSpool, sinks: DetailSinks) -> None:
    """Write the page of a run."""
    from radeval_core import io
    from radeval_core.api import make_resources
    from radeval_core.ui.report.page import report_page

    if sinks.kept is None:
        raise AssertionError("the page needs the details of each pair")
    source = Path(args.pairs or args.predictions).name
    most = args.report_pairs or MOST_PAIRS
    read = make_resources(lexicon=args.lexicon).reader.parser.parse
    pieces = report_page(scores, pairs, sinks.kept, source, options_of(args), most, read)
    io.write_text(page, pieces, private=True)
