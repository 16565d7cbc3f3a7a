"""`radeval hub`: publish metrics, pages and trained models on the Hugging Face Hub."""

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
        help="publish metrics, the workbench, the leaderboard and the reading room as Spaces",
        description="Assemble each Space (metric module, card, requirements, app) and upload it. "
        "Run it in a checkout, after `hf auth login`.",
    )
    publish.set_defaults(run=_publish)
    publish.add_argument(
        "names", nargs="+", metavar="NAME", help="metrics, workbench, leaderboard, reading_room, or `all`"
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
    model = hub_commands.add_parser(
        "publish-model",
        parents=[common],
        help="publish a model trained with `radeval train`",
        description="Upload the model, its card and its curves. Training data, held-out answers and checkpoints stay "
        "here. Read the card (README.md) first. Run it after `hf auth login`.",
    )
    model.set_defaults(run=_publish_model)
    model.add_argument("folder", metavar="FOLDER", help="the --out folder of a complete run")
    model.add_argument("--org", help="your user name or an organisation on the Hub")
    model.add_argument("--name", help="name of the repository (default: the folder's)")
    model.add_argument("--dry-run", action="store_true", help="only list the files, without uploading them")


def _publish(args: argparse.Namespace) -> int:
    from radeval_core.hub.publish import assemble, space_names, upload

    _check_org(args.org)
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


def _publish_model(args: argparse.Namespace) -> int:
    from radeval_core.train.publish_model import model_files, publish_model

    folder = Path(args.folder)
    files = model_files(folder)
    if args.dry_run:
        print(json.dumps({"files": files}) if args.json else "\n".join(files))
        return 0
    _check_org(args.org)
    url = publish_model(folder, args.org, args.name)
    print(json.dumps({"url": url, "files": files}) if args.json else url)
    return 0


def _check_org(org: str | None) -> None:
    if not org:
        raise InputError("no organisation: add --org NAME, your user name or an organisation that you may write to")


def _file_names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())
