"""`radeval train report`: one page about a training run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from radeval_core.cli.arguments import add_command
from radeval_core.errors import InputError

_EXAMPLES = """The page shows the curves, the figures on held-out data and, for a judge, its counts against the teacher's,
its cost per 1,000 pairs, and pairs where both differ. It contains report text and is readable only for you.

examples:
  radeval train report my-judge
  radeval train report my-judge --data rated.jsonl --html report.html
"""


def add_report_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train report`."""
    command = add_command(group, "report", "write one page about a training run", _EXAMPLES, common)
    command.set_defaults(run=_report)
    command.add_argument("folder", metavar="FOLDER", help="the --out folder of `radeval train`")
    command.add_argument("--html", metavar="FILE.html", help="the page (default: report.html in the folder)")
    command.add_argument(
        "--data", metavar="DATA", help="for a judge: also measure agreement with experts, as `radeval bench` does"
    )
    command.add_argument("--device", help="where the judge runs for --data: cuda, mps or cpu")


def _report(args: argparse.Namespace) -> int:
    from radeval_core.io import check_output, write_text
    from radeval_core.train.report import report_page
    from radeval_core.train.run_folder import read_run

    folder = Path(args.folder)
    settings = read_run(folder)["settings"]
    page = check_output(args.html or str(folder / "report.html"), (".html",), "--html", [args.data or ""])
    experts = None
    if args.data:
        if settings.get("kind") != "judge":
            raise InputError(f"--data is for judges: {folder} has a {settings.get('kind')}")
        from radeval_core.train.judge.expert_agreement import expert_agreement

        experts = expert_agreement(settings["metric"], folder, args.data, args.device, progress=not args.quiet)
    write_text(page, report_page(folder, experts), private=True)
    if args.json:
        print(json.dumps({"page": str(page), "experts": experts}))
    elif not args.quiet:
        print(f"wrote page to {page}")
    return 0
