"""Run the benchmarks of docs/benchmarks.md again and print their tables as Markdown.

Usage: python tools/rerun_benchmarks.py [--radpref RADPREF.json] [--openi NLMCXR_reports.tgz] [--unseen SEEN_IDS.txt]
           [--metrics all,green.weighted,green.error_count] [--only radcheck,synthetic] [--out FILE.md]

radcheck needs no file. The other tables are printed only if their data is given; what is left out is said. Each table
is below the command that makes it, as in docs/benchmarks.md. `--unseen` takes the ids of Open-i that the parser was
tuned on, one per line, and measures on the other studies.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from radeval_core.bench.cells import Table
from radeval_core.bench.run import run_bench
from radeval_core.bench.sources import BenchData, open_data
from radeval_core.bench.tables import main_table
from radeval_core.data.build import build
from radeval_core.data.openi_pairs import CODED, pair_rows
from radeval_core.registry import metric_names, metric_value

Job = tuple[str, str, Callable[[], BenchData]]


def main() -> int:
    """Run what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--radpref", metavar="JSON", help="RadPref's file")
    parser.add_argument("--openi", metavar="TGZ", help="Open-i's archive of reports")
    parser.add_argument("--unseen", metavar="IDS", help="ids of Open-i to leave out of the second table; needs --openi")
    parser.add_argument("--metrics", default="all,green.weighted,green.error_count", help="metrics and parts")
    parser.add_argument("--only", default="", help="names of tables to make; all by default")
    parser.add_argument("--out", metavar="FILE.md", help="write the tables here instead of printing them")
    args = parser.parse_args()
    names = [n for given in args.metrics.split(",") for n in (metric_names() if given == "all" else [given])]
    for name in names:
        metric_value(name)
    only = set(filter(None, args.only.split(",")))
    text = ""
    with tempfile.TemporaryDirectory() as folder:
        for name, command, read in _jobs(args, Path(folder)):
            if only and name not in only:
                continue
            print(f"{name} …", file=sys.stderr)
            found = run_bench(read(), list(dict.fromkeys(names)), progress=False).result
            data = found["data"]
            about = f"revision {data['revision']}" if "revision" in data else f"{data['rows']} rows"
            text += f"## {name}\n\n```console\n$ {command}     # {about}\n```\n\n{markdown(main_table(found))}\n\n"
    if args.out:
        Path(args.out).write_text(text, "utf-8")
    else:
        print(text)
    return 0


def _jobs(args: argparse.Namespace, folder: Path) -> Iterator[Job]:
    """Yield name, command and data of each table whose data is there."""
    if args.radpref:
        build("radpref", args.radpref, folder / "radpref")
        yield "radpref", "radeval bench --data radpref", lambda: open_data(folder / "radpref")
    if args.openi:
        build("openi", args.openi, folder / "openi")
        yield "openi", "radeval bench --data openi", lambda: open_data(folder / "openi")
        if args.unseen:
            file = _unseen(folder, Path(args.unseen))
            yield "unseen", "radeval bench --data unseen.jsonl", lambda: open_data(file)
    yield "radcheck", "radeval bench --data radcheck", lambda: open_data("radcheck")
    synthetic = "radeval bench --data radcheck --data-config synthetic"
    yield "synthetic", synthetic, lambda: open_data("radcheck", "synthetic")
    for option, given in (("--radpref", args.radpref), ("--openi", args.openi), ("--unseen", args.unseen)):
        if not given:
            print(f"left out: the table of {option}, because its data is not given", file=sys.stderr)


def _unseen(folder: Path, seen_ids: Path) -> Path:
    """Write the pairs of the studies that are not in the list."""
    import pyarrow.parquet as pq

    seen = set(seen_ids.read_text("utf-8").split())
    files = [folder / "openi" / "reports" / f"{split}.parquet" for split in ("train", "validation", "test")]
    reports = [row for file in files for row in pq.read_table(file).to_pylist() if row["id"] not in seen]
    path = folder / "unseen.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for row in pair_rows(reports, ["normal", "no indexing"]):
            pair = {key: row[key] for key in ("id", "study", "prediction", "reference")}
            file.write(json.dumps(pair | {"expert": {"errors": sum(row[c] for c in CODED)}}) + "\n")
    return path


def markdown(table: Table) -> str:
    """Return a table as Markdown."""
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
