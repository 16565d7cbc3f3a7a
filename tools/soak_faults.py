"""Kill runs at random moments, write with two processes at once, and fail disks; then check that nothing is lost.

    python tools/soak_faults.py --kills 200

Each task below is started again and again in a folder that stays, and killed with SIGKILL after a random part of the
time it needs. After each kill the tool checks the promises of docs/reliability.md: under the final name is the file of
before or the whole new one, with one row per pair in their order; a built folder is complete; the cache returns what
was stored or nothing. At the end one undisturbed run must succeed and leave no hidden file. The tool prints the counts
and fails on the first broken promise.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

import file_faults
from radeval_core import cli
from radeval_core.data.dataset import MANIFEST, Dataset, DatasetPart, file_hash, read_manifest, write
from radeval_core.engine.cache import DiskCache
from radeval_core.errors import InputError
from radeval_core.metrics import bleu  # noqa: F401 - imported here, not in each forked process

PAIRS = 200
TOY = Dataset(
    name="toy",
    about="invented",
    source="",
    terms="none",
    configs={"pairs": DatasetPart(pa.schema([("id", pa.string()), ("text", pa.string())]), ("test",))},
    read=lambda _: {},
)
ENTRIES = 40
FINDINGS = ("pleural effusion", "pneumothorax", "consolidation", "nodule of 8 mm", "cardiomegaly", "rib fracture")


class BrokenPromise(SystemExit):
    """A promise of docs/reliability.md does not hold."""


@dataclass(frozen=True)
class Task:
    """Something that is killed while it writes.

    Attributes:
        run: does the work and returns an exit code; the number of the run makes its content differ from the one before.
        check: raises `BrokenPromise`, or returns a word for the state it found, for the counts.
    """

    run: Callable[[Path, int], int]
    check: Callable[[Path], str]


def write_pairs(path: Path) -> None:
    """Write invented pairs."""
    rng = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for i in range(PAIRS):
            one, other = rng.sample(FINDINGS, 2)
            file.write(
                json.dumps({"id": f"p{i}", "prediction": f"Small {one}.", "reference": f"Large {other}."}) + "\n"
            )


def score(folder: Path, run: int) -> int:
    """Score with two outputs; odd and even runs give different numbers."""
    option = ["--option", f"bleu.lowercase={'true' if run % 2 else 'false'}"]
    outputs = ["--out", str(folder / "scores.jsonl"), "--details", str(folder / "details.jsonl")]
    return cli.main(["score", str(folder / "pairs.jsonl"), "--metrics", "bleu", *option, *outputs, "--quiet"])


def check_rows(folder: Path) -> str:
    """Check that each output is absent or has one row per pair, in order."""
    states = []
    for name in ("scores.jsonl", "details.jsonl"):
        path = folder / name
        if not path.exists():
            states.append("absent")
            continue
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if [row["id"] for row in rows] != [f"p{i}" for i in range(PAIRS)]:
            raise BrokenPromise(f"{path}: {len(rows)} rows for {PAIRS} pairs")
        states.append("whole")
    return " and ".join(dict.fromkeys(states))


def build(folder: Path, run: int) -> int:
    """Build over the build before, with other rows."""
    write(
        TOY,
        {"pairs": {"test": [{"id": f"{run}.{i}", "text": "Small effusion." * 20} for i in range(1000)]}},
        "",
        folder / "built",
    )
    return 0


def check_build(folder: Path) -> str:
    """Check that the built folder is absent or complete: every file has the hash that the manifest says."""
    built = folder / "built"
    if not built.exists():
        return "absent"
    manifest = read_manifest(built)
    for name, expected in manifest["files"].items():
        if file_hash(built / name) != expected:
            raise BrokenPromise(f"{built / name}: not the file of {MANIFEST}")
    return "whole"


def fill_cache(folder: Path, _: int) -> int:
    """Fill a cache, entry by entry."""
    cache = DiskCache(folder / "cache")
    for i in range(ENTRIES):
        cache.put("soak", {f"report {i}": f"annotation {i} ".encode() * 400, f"other {i}": bytes(3000)})
    return 0


def check_cache(folder: Path) -> str:
    """Check that every entry is right or absent; then delete the cache, so that the next run starts with none."""
    found = DiskCache(folder / "cache").get("soak", [f"report {i}" for i in range(ENTRIES)])
    for text, data in found.items():
        if data != f"annotation {text.removeprefix('report ')} ".encode() * 400:
            raise BrokenPromise(f"{text}: wrong data in the cache")
    if list((folder / "cache").glob("*damaged*")):
        raise BrokenPromise("a kill damaged the cache")
    shutil.rmtree(folder / "cache")
    return "all entries" if len(found) == ENTRIES else "some entries" if found else "no entries"


TASKS = {
    "score": Task(score, check_rows),
    "data build": Task(build, check_build),
    "cache": Task(fill_cache, check_cache),
}


def soak(name: str, kills: int, seed: int = 0) -> Counter[str]:
    """Kill a task at random moments and return how often each state was found."""
    task, draw, counts = TASKS[name], random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_pairs(folder / "pairs.jsonl")
        started = time.monotonic()
        finish(start(task, folder, 0))
        needed = time.monotonic() - started
        run = 0
        while counts["killed"] < kills:
            run += 1
            child = start(task, folder, run)
            # most writes are at the end, so every other kill is aimed there
            time.sleep(needed * (draw.uniform(0.0, 1.05) if run % 2 else draw.uniform(0.7, 1.05)))
            os.kill(child, signal.SIGKILL)
            counts["killed" if os.WIFSIGNALED(os.waitpid(child, 0)[1]) else "ended before the kill"] += 1
            counts["hidden files left by kills"] += bool(hidden(folder))
            counts[f"found {task.check(folder)}"] += 1
        finish(start(task, folder, 0))
        task.check(folder)
        if left := hidden(folder):
            raise BrokenPromise(f"{name}: an undisturbed run leaves {left[0]}")
    return counts


def start(task: Task, folder: Path, run: int) -> int:
    """Run a task in a forked process, without output, and return the process id."""
    child = os.fork()
    if child:
        return child
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os._exit(task.run(folder, run))
    except InputError:  # of a function, not of the command line, which turns errors into exit codes
        os._exit(2)
    except OSError:
        os._exit(1)
    finally:
        os._exit(70)


def finish(child: int) -> None:
    """Wait for a process; it must end well."""
    if status := os.waitpid(child, 0)[1]:
        raise BrokenPromise(f"an undisturbed run failed with status {status}")


def hidden(folder: Path) -> list[Path]:
    """Return the hidden files and folders of a folder."""
    return sorted(folder.glob(".*"))


def two_writers(rounds: int) -> Counter[str]:
    """Let two processes write the same outputs at once; return how often each state was found."""
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_pairs(folder / "pairs.jsonl")
        for name, task in TASKS.items():
            for _ in range(rounds):
                for child in [start(task, folder, run) for run in (0, 1)]:
                    finish(child)
                counts[f"{name}: found {task.check(folder)}"] += 1
        if hidden(folder):
            raise BrokenPromise(f"two writers leave {hidden(folder)[0]}")
    return counts


def faults() -> Counter[str]:
    """Score on faulty disks. A fault ends in exit code 1 or 2 and the earlier outputs, or does no harm."""
    counts = Counter[str]()
    limits = [0, 1, 4095, 4097, 9000, 20_000, 50_000, 10**9]
    kinds = [f"{kind}:{limit}" for kind in ("full", "eio") for limit in limits] + [
        "sync",
        "rename",
        "slow:0.002",
        "clock",
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_pairs(folder / "pairs.jsonl")
        for number, fault in enumerate(kinds):
            for task in (TASKS["score"], TASKS["data build"]):
                with file_faults.injected(fault), open(os.devnull, "w") as nowhere:
                    printed, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), nowhere, nowhere
                    try:
                        status = task.run(folder, number)
                    except (OSError, InputError) as error:  # of a function, not of the command line
                        status = 2 if isinstance(error, InputError) else 1
                    finally:
                        sys.stdout, sys.stderr = printed
                counts[f"exit code {status}"] += 1
                counts[f"found {task.check(folder)}"] += 1
                if hidden(folder):
                    raise BrokenPromise(f"{fault} leaves {hidden(folder)[0]}")
    return counts


def main() -> None:
    """Run all soaks and print their counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="kills per task (default: 200)")
    parser.add_argument("--tasks", default=",".join(TASKS), help=f"comma-separated: {', '.join(TASKS)}")
    parser.add_argument("--rounds", type=int, default=10, metavar="N", help="rounds of two writers (default: 10)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    for name in args.tasks.split(","):
        print(f"{name}: {counted(soak(name, args.kills, args.seed))}", flush=True)
    if args.rounds:
        print(f"two writers: {counted(two_writers(args.rounds))}", flush=True)
    print(f"faulty disks: {counted(faults())}")
    print("no promise broken")


def counted(counts: Counter[str]) -> str:
    """Return the counts as text."""
    return ", ".join(f"{count} {name}" for name, count in counts.items())


if __name__ == "__main__":
    main()
