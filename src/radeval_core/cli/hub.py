"""`radeval hub publish`: publish metrics and pages on the Hugging Face Hub."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name


def add_hub_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command group."""
    hub = commands.add_parser("hub", help="publish metrics to the Hugging Face Hub")
    hub_commands = hub.add_subparsers(required=True, metavar="COMMAND")
    publish = hub_commands.add_parser(
        "publish",
        parents=[common],
        help="publish metrics, the workbench, the file page, the leaderboard and the reading room as Spaces",
        description="Assemble each Space (metric module, card, requirements, app) and upload it. "
        "Run it in a checkout, after `hf auth login`.",
    )
    publish.set_defaults(run=_publish)
    publish.add_argument(
        "names", nargs="+", metavar="NAME", help="metrics, workbench, file_page, leaderboard, reading_room, or `all`"
    )
    publish.add_argument("--org", help="your user name or an organisation on the Hub; cards and examples name it")
    publish.add_argument("--root", default=".", metavar="DIR", help="the checkout (default: this folder)")
    publish.add_argument(
        "--wheel",
        metavar="FILE.whl",
        help="ship this wheel of radeval_core with each Space, for a version that is not on the package index "
        "(to build it: python -m build --wheel)",
    )
    publish.add_argument("--dry-run", metavar="DIR", help="only write the Spaces to DIR, without uploading them")


def _publish(args: argparse.Namespace) -> int:
    from radeval_core.hub.publish import assemble, space_names, upload

    if not args.org:
        raise InputError("no organisation: add --org NAME, your user name or an organisation that you may write to")
    root = Path(args.root)
    wheel = Path(args.wheel) if args.wheel else None
    known = space_names(root)
    names = known if args.names == ["all"] else args.names
    for name in names:
        if name not in known:
            raise unknown_name("Space", name, [*known, "all"])
    with tempfile.TemporaryDirectory() as scratch:
        # assemble all before the first upload, so that a bad card does not leave half of them published
        folders = {name: assemble(name, root, Path(args.dry_run or scratch) / name, args.org, wheel) for name in names}
        done = []
        for name, folder in folders.items():
            where = str(folder) if args.dry_run else upload(folder, args.org)
            done.append({"space": name, "folder" if args.dry_run else "url": where, "files": _file_names(folder)})
            if not args.json:
                print(f"{name}: {where}", flush=True)
    if args.json:
        print(json.dumps(done))
    return 0


def _file_names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())
