"""`radeval parse`: read the findings of reports."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import (
    TABLES,
    add_lexicon_option,
    add_report_column_options,
    input_files,
    report_columns_of,
)
from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError
from radeval_core.pairs import is_blank

if TYPE_CHECKING:
    from radeval_core.findings import FindingsParser

_EXAMPLES = """examples:
  radeval parse --text "Small left pleural effusion. No pneumothorax."
  radeval parse reports.jsonl --out findings.jsonl
  radeval parse ct_reports.jsonl --labels ctrate --out findings.jsonl
  radeval parse reports.csv --text-column findings --id-column study_id --out findings.jsonl
  radeval parse reports.txt --out findings.jsonl --lexicon my_findings.yaml
"""


def add_parse_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    parse = commands.add_parser(
        "parse",
        parents=[common],
        help="read the findings of reports",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Read the findings of reports without a model: polarity, location, severity, size and change.",
    )
    parse.set_defaults(run=_parse)
    parse.add_argument(
        "reports",
        nargs="?",
        metavar="REPORTS",
        help=f"{TABLES} with columns text or report, optional id; or .txt with one report per line",
    )
    add_report_column_options(parse)
    parse.add_argument("--text", help="a report to read instead of a file")
    parse.add_argument("--out", metavar="FILE.jsonl", help="write one row per report: id, findings, labels")
    parse.add_argument(
        "--labels",
        metavar="SET",
        help="chexpert: 14 observations of a chest film, 1, 0, -1 (uncertain) or null (default); "
        "ctrate: 18 abnormalities of a chest CT, 1 or 0",
    )
    add_lexicon_option(parse)


def _parse(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.findings import FindingsParser
    from radeval_core.findings.rows import finding_cells, report_row
    from radeval_core.findings.views.label_sets import DEFAULT_LABELS, label_set

    labels = args.labels or DEFAULT_LABELS
    label = label_set(labels)
    if (args.reports is None) == (args.text is None):
        raise InputError("give either a file of REPORTS or --text REPORT")
    parser = FindingsParser(args.lexicon, remember=20_000)
    if args.text is not None:
        report = parser.parse(args.text)
        if args.json:
            print(json.dumps(report_row("text", report, labels), ensure_ascii=False))
        else:
            header = ["finding", "polarity", "anatomy", "side", "severity", "size (mm)", "number", "change", "text"]
            print_table(header, [finding_cells(f) for f in report.every])
            if args.labels:
                print(f"{labels} labels: " + (", ".join(_stated(label(report))) or "none"))
        return 0
    if not args.out and not args.json:
        raise InputError("give --out FILE.jsonl, or --json to print the rows")
    out = io.check_output(args.out, (".jsonl",), inputs=input_files(args)) if args.out else None
    reports = io.ReportFile.open(args.reports, report_columns_of(args))
    counts = Counter[str]()
    rows = _rows(parser, io.with_progress(reports, None, not args.quiet), counts, labels)
    if out:
        io.write_jsonl(out, rows)
        if not args.quiet:
            print(f"wrote {counts['rows']} rows to {out}")
    else:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
    if counts["empty"] and not args.quiet:
        message = f"empty reports, without findings: {counts['empty']} of {counts['rows']}"
        print(message, file=sys.stdout if args.out else sys.stderr)
    return 0


def _stated(labels: Mapping[str, int | None]) -> Iterator[str]:
    """Yield the labels that a report states, and those it states as uncertain."""
    for name, value in labels.items():
        if value:
            yield name if value > 0 else f"{name} (uncertain)"


def _rows(
    parser: FindingsParser, reports: Iterable[tuple[str | int, str]], counts: Counter[str], labels: str
) -> Iterator[dict[str, Any]]:
    """Yield the row of each report, and count rows and empty reports. The file is read once."""
    from radeval_core.findings.rows import report_row

    for row_id, text in reports:
        counts["rows"] += 1
        counts["empty"] += is_blank(text)
        yield report_row(row_id, parser.parse(text), labels)
