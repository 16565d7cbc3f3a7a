"""Fill a real small file system at every point of a write, and check that nothing is lost.

    python tools/soak_full_disk.py
    python tools/soak_full_disk.py --step 65536

The tool mounts a tmpfs of 2 MB in a mount namespace of its own (`unshare`, no root needed), so nothing else on the
machine sees it. A file takes all room but some; then a task of `tools/soak_faults.py` writes over its earlier output:
score with two outputs, data build, and a cache that fills. The room grows step by step until the task succeeds five
times in a row. After each run the tool checks the promises of docs/reliability.md: the earlier output or the whole new
one, nothing hidden left, exit code 0, 1 or 2; and with the room back, the same run succeeds. It prints the counts and
fails on the first broken promise.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from soak_faults import TASKS, BrokenPromise, Task, counted, finish, hidden, start, write_pairs

SIZE = 2 << 20
#: runs in a row that must succeed before the room counts as enough
_ENOUGH = 5
#: set in the process that has a mount namespace of its own
_INSIDE = "RADEVAL_SOAK_MOUNT"


def main() -> int:
    """Start again in a namespace, then run every task on the small file system."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=4096, metavar="BYTES", help="more room per run (default: 4096)")
    args = parser.parse_args()
    if _INSIDE not in os.environ:
        return _in_namespace(sys.argv[1:])
    folder = Path(os.environ[_INSIDE])
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
    for name, task in TASKS.items():
        print(f"{name}: {counted(fill(task, folder, args.step))}", flush=True)
    print("no promise broken")
    return 0


def _in_namespace(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = ["unshare", "--map-root-user", "--mount", sys.executable, __file__, *arguments]
        try:
            return subprocess.run(command, env={**os.environ, _INSIDE: folder}).returncode
        except FileNotFoundError:
            raise SystemExit("this tool needs `unshare` (util-linux) and user namespaces: run it on Linux") from None


def fill(task: Task, folder: Path, step: int) -> Counter[str]:
    """Run a task with more and more room, from none until it succeeds; return how often each state was found.

    Args:
        task: the task, which writes over its earlier output.
        folder: a file system of its own.
        step: bytes of room added per run.
    """
    counts = Counter[str]()
    write_pairs(folder / "pairs.jsonl")
    finish(start(task, folder, 0))
    room, ballast, succeeded = 0, folder / "ballast", 0
    while succeeded < _ENOUGH:
        _occupy(ballast, room)
        status = os.waitstatus_to_exitcode(os.waitpid(start(task, folder, room // step), 0)[1])
        ballast.unlink()
        if status not in (0, 1, 2):
            raise BrokenPromise(f"exit code {status} with {room} bytes of room")
        state = task.check(folder)
        counts[f"exit code {status}"] += 1
        counts[f"found {state}"] += 1
        if left := hidden(folder):
            raise BrokenPromise(f"{room} bytes of room leave {left[0]}")
        succeeded = succeeded + 1 if (status, state) in ((0, "whole"), (0, "all entries")) else 0
        room += step
        if room > SIZE:
            raise BrokenPromise("it does not succeed with all the room there is")
    finish(start(task, folder, 0))
    counts[f"with room again: found {task.check(folder)}"] += 1
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return counts


def _occupy(ballast: Path, room: int) -> None:
    """Take all the room of a file system but some."""
    free = os.statvfs(ballast.parent)
    with ballast.open("wb") as file:
        file.write(bytes(max(0, free.f_bavail * free.f_frsize - room)))


if __name__ == "__main__":
    sys.exit(main())
