"""`radeval read`: run a reader study: experts count errors, rate, prefer and correct, on a page of this machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import add_command
from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from radeval_core.reading.study import Study

_PORT = 7870
_EXAMPLES = """A row of PAIRS, with age, sex, indication and history if they are known:
  {"id": "1a", "study": "1", "candidate": "model-x", "prediction": "Clear lungs.", "reference": "Left effusion."}
Readers see no id, study or candidate. Two rows of one study are shown side by side if a preference is asked for.

examples:
  radeval read serve --pairs pairs.jsonl --store study --readers anna,bo
  radeval read serve --store study
  radeval read links --store study --readers cy
  radeval read status --store study
  radeval read export --store study --out readings
  radeval bench --data readings/rated.jsonl --metrics green,bleu
"""
_SERVE = """The first start makes the store and prints the owner's link; links of readers are printed when a reader is
added. A link is shown once: the store has only a slow hash of its secret. The server listens on this machine only,
unless you give another --host. Every change is on the disk before the page says that it is saved.

--prefill lets the embedded judges of green (errors) and fineradscore (corrections) fill in first answers. That pulls
readers towards the judges, so it is off by default, and recorded in every row of the export.

examples:
  radeval read serve --pairs pairs.jsonl --store study --readers anna,bo
  radeval read serve --pairs pairs.jsonl --store study --ask errors,comment --seed 1 --readers anna
  radeval read serve --store study --port 8000
"""


def add_read_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command group; `common` has the options that every command takes."""
    read = add_command(commands, "read", "run a reader study: experts count, rate, prefer and correct", _EXAMPLES)
    group = read.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, about: str, epilog: str | None = None) -> argparse.ArgumentParser:
        parser = add_command(group, name, about, epilog, common)
        parser.set_defaults(run=run)
        parser.add_argument("--store", required=True, metavar="DIR", help="folder of the study")
        return parser

    serve = command("serve", _serve, "serve the pages of a study, and begin it if it is new", _SERVE)
    serve.add_argument("--pairs", metavar="PAIRS.jsonl", help="the pairs to read; needed to begin a study")
    serve.add_argument("--ask", metavar="A,B", help="errors, rating, preference, corrections, comment (default: all)")
    serve.add_argument("--readers", metavar="A,B", help="add these readers and print their links")
    serve.add_argument("--seed", type=int, metavar="N", help="draw the orders of added readers from this seed")
    serve.add_argument("--prefill", action="store_true", help="let judges fill in first answers of a new study")
    _address_options(serve)

    links = command("links", _links, "add readers and print their links, or make new links")
    links.add_argument("--readers", metavar="A,B", help="names: lower-case letters, digits, - and _")
    links.add_argument("--again", action="store_true", help="new links for these readers; their old ones end")
    links.add_argument("--owner", action="store_true", help="a new link for the owner; the old one ends")
    links.add_argument("--seed", type=int, metavar="N", help="draw the orders of added readers from this seed")
    links.add_argument("--url", metavar="URL", help=f"address of the page (default: http://127.0.0.1:{_PORT})")

    command("status", _status, "print how far the readers are, and how well they agree so far")
    export = command("export", _export, "write the finished readings as rows for bench, fit and data")
    export.add_argument("--out", required=True, metavar="DIR", help="a new folder, or one with an earlier export")
    command("repair", _repair, "go on without the damaged lines of journals; they stay in the files")


def _address_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    command.add_argument("--port", type=int, default=_PORT, help="port to listen on (default: %(default)s)")
    command.add_argument("--url", metavar="URL", help="address that readers use, if it is another one")


def _serve(args: argparse.Namespace) -> int:
    try:
        from radeval_core.ui.reading_room.app import build_app
        from radeval_core.ui.reading_room.server import bind, serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("radeval_core"):
            raise
        raise MissingDependencyError(
            "`radeval read serve` needs the pages: pip install 'radeval_core[spaces]'"
        ) from None

    begin = _beginning(args)
    # nothing is made before the port is ours: links are shown once
    listener = bind(args.host, args.port)
    with closing(listener):
        host = f"[{args.host}]" if ":" in args.host else args.host
        address = args.url or f"http://{host}:{listener.getsockname()[1]}"
        study, token = begin()
        app = build_app(study)
        made = _new_links(study, address, _names(args.readers), args.seed) if args.readers else {}
        owner = {"owner": _link(address, "owner", token)} if token else {}
        _announce(args, study, address, owner | made)
        serve(app, listener)
    return 0


def _announce(args: argparse.Namespace, study: Study, address: str, made: dict[str, str]) -> None:
    if args.json:
        print(json.dumps({"url": address, "links": made}), flush=True)
        return
    _print_links(made)
    if not args.quiet:
        print(f"{len(study.cases)} cases at {address}  (stop with Ctrl-C)", flush=True)


def _beginning(args: argparse.Namespace) -> Callable[[], tuple[Study, str | None]]:
    """Check the arguments; return a function that opens the study, or begins it and returns the owner's token too."""
    from radeval_core.reading.cases import QUESTIONS, check_questions, group_cases, read_rows
    from radeval_core.reading.study import (
        check_name,
        check_new_folder,
        check_same_pairs,
        create_study,
        is_study,
        open_study,
    )

    folder = Path(args.store)
    rows = read_rows(Path(args.pairs)) if args.pairs else None
    asked = check_questions(_names(args.ask)) if args.ask else None
    for name in _names(args.readers) if args.readers else ():
        check_name(name)
    if is_study(folder):
        study = open_study(folder)
        if rows is not None:
            check_same_pairs(study, rows, Path(args.pairs))
        if asked is not None and asked != study.asked:
            raise InputError(f"--ask: this study asks for {','.join(study.asked)}, which cannot be changed")
        if args.prefill and not study.prefilled_by:
            raise InputError("--prefill: this study began without; begin a new one in another folder")
        return lambda: (study, None)
    if rows is None:
        raise InputError(f"--store {folder}: no study here yet; to begin one, add --pairs PAIRS.jsonl")
    check_new_folder(folder)
    questions = asked or QUESTIONS
    prefill = None
    if args.prefill:
        from radeval_core.reading.prefill import propose

        prefill = propose(group_cases(rows, questions), questions, progress=not args.quiet)
    return lambda: create_study(folder, rows, questions, prefill=prefill)


def _links(args: argparse.Namespace) -> int:
    study = _open(args)
    if not args.readers and not args.owner:
        raise InputError("give --readers NAMES, or --owner")
    address = args.url or f"http://127.0.0.1:{_PORT}"
    made = _new_links(study, address, _names(args.readers), args.seed, args.again) if args.readers else {}
    if args.owner:
        made["owner"] = _link(address, "owner", study.renew_owner())
    if args.json:
        print(json.dumps({"links": made}))
    else:
        _print_links(made)
    return 0


def _status(args: argparse.Namespace) -> int:
    from radeval_core.reading.agreement import agreement_so_far, progress

    study = _open(args)
    rows, agreement = progress(study), agreement_so_far(study)
    if args.json:
        print(json.dumps({"readers": rows, "agreement": agreement, "prefilled_by": study.prefilled_by}))
        return 0
    if not rows:
        print(
            f"{len(study.cases)} cases, no readers yet; to add one: radeval read links --store {args.store} --readers A"
        )
        return 0
    cells = [[r["reader"], f"{r['done']} of {r['cases']}", str(r["begun"]), (r["last"] or "-")[:16]] for r in rows]
    print_table(["reader", "finished", "begun", "last change (UTC)"], cells)
    for measure, found in agreement["measures"].items():
        _print_agreement(measure, found, agreement["readers"], agreement["enough"])
    for one in agreement["preference"]:
        print(f"same preference, {' and '.join(one['readers'])}: {one['alike']} of {one['cases']} cases")
    if len(agreement["readers"]) < 2 and not args.quiet:
        print("agreement is shown when two readers have finished cases")
    return 0


def _print_agreement(measure: str, found: dict[str, Any], readers: list[str], enough: int) -> None:
    single = found.get("icc_single") or {"n": 0}
    if single["n"] < enough:
        print(f"{measure}: ICC after {enough} candidates that all of them read; so far {single['n']}")
    else:
        both = (("one reader", single), ("mean of readers", found["icc_average"]))
        parts = [f"{_number(e['value'])}{_interval(e['ci95'])} ({who})" for who, e in both]
        print(f"{measure}: ICC {', '.join(parts)}, over {single['n']} candidates that all of them read")
    matrix = found["matrix"]
    rows = [[name, *(_number(v) if i != j else "" for j, v in enumerate(row[: len(readers)]))]
            for i, (name, row) in enumerate(zip(readers, matrix, strict=False))]  # fmt: skip
    print_table([f"tau, {measure}", *readers], rows)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _interval(ci95: list[float | None] | None) -> str:
    return f" [{_number(ci95[0])}, {_number(ci95[1])}]" if ci95 else ""


def _export(args: argparse.Namespace) -> int:
    from radeval_core.reading.export import check_export_folder, export_rows, finished_readings, write_export

    study = _open(args)
    out = Path(args.out)
    target = check_export_folder(out)
    export = export_rows(finished_readings(study))
    write_export(export, target)
    counts = {"rated": len(export.rated), "corrections": len(export.corrections), "comments": len(export.comments)}
    if args.json:
        print(json.dumps({**export.about, **counts, "folder": str(out)}))
    elif not args.quiet:
        print(f"wrote {out}: {', '.join(f'{n} rows of {name}' for name, n in counts.items() if n)}")
        print(f"readers, in the order of the lists: {', '.join(export.about['readers'])}")
        if left := export.about["cases_nobody_finished"]:
            print(f"left out: {left} of {export.about['cases']} cases, which nobody has finished")
        if export.rated:
            print(f"next: radeval bench --data {out / 'rated.jsonl'} --metrics all")
    return 0


def _repair(args: argparse.Namespace) -> int:
    from radeval_core.reading.store_files import utc_now

    study = _open(args)
    accepted = {reader.name: study.journal(reader.name).accept_damage(utc_now()) for reader in study.readers()}
    accepted = {name: lines for name, lines in accepted.items() if lines}
    if args.json:
        print(json.dumps({"accepted": accepted}))
    else:
        for name, lines in accepted.items():
            print(f"{name}: goes on without line {', '.join(map(str, lines))}; ask {name} to look at the cases again")
        if not accepted and not args.quiet:
            print("no journal is damaged")
    return 0


def _open(args: argparse.Namespace) -> Study:
    from radeval_core.reading.study import open_study

    return open_study(Path(args.store))


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("expected names separated by commas")
    return list(dict.fromkeys(names))


def _new_links(study: Study, address: str, names: list[str], seed: int | None, again: bool = False) -> dict[str, str]:
    """Return the links of new readers, or new links of readers. All names are checked before a link is made."""
    from radeval_core.reading.study import check_name

    known = {reader.name for reader in study.readers()}
    for name in names:
        if again:
            study.reader(name)
        elif name in known:
            more = f"radeval read links --store {study.folder} --readers {name} --again"
            raise InputError(f"there is already a reader {name!r}; for a new link, type: {more}")
        else:
            check_name(name)
    secrets = {name: study.renew_link(name) if again else study.add_reader(name, seed) for name in names}
    return {name: _link(address, name, secret) for name, secret in secrets.items()}


def _link(address: str, name: str, secret: str) -> str:
    from radeval_core.reading.access import link

    return link(address, name, secret)


def _print_links(made: dict[str, str]) -> None:
    """Print one link per line, whole: a table would fold it."""
    if made:
        print("links, shown only now:")
    for name, address in made.items():
        print(f"  {name}: {address}", flush=True)
