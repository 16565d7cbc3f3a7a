"""Faults of disks for tests and soaks: a wrapper at the file layer of this package, without root rights or mounts.

    python tools/file_faults.py full:20000 score pairs.jsonl --metrics rouge --out scores.jsonl

runs `radeval` with a disk that is full after 20,000 bytes. Faults: `full:BYTES`, `eio:BYTES` (each write fails after
so many bytes), `sync` (fsync fails), `rename` (no file can be put in place), `slow:SECONDS` (each write waits), and
`clock` (the time jumps back and forth by years). Only files that are written are hit; reading works.
"""

from __future__ import annotations

import builtins
import errno
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

FAULTS = ("full", "eio", "sync", "rename", "slow", "clock")


class _Disk:
    """Counts what is written, and fails or waits as the fault says."""

    def __init__(self, fault: str) -> None:
        kind, _, value = fault.partition(":")
        if kind not in FAULTS:
            raise SystemExit(f"unknown fault {kind!r}: one of {', '.join(FAULTS)}")
        self.kind, self.value = kind, float(value or 0)
        self.written = 0

    def write(self, size: int) -> None:
        self.written += size
        if self.kind == "slow":
            time.sleep(self.value)
        if self.kind in ("full", "eio") and self.written > self.value:
            self.fail(errno.ENOSPC if self.kind == "full" else errno.EIO)

    @staticmethod
    def fail(number: int) -> None:
        raise OSError(number, os.strerror(number))


class _File:
    """A text file whose writes go through the disk."""

    def __init__(self, file: Any, disk: _Disk) -> None:
        self._file, self._disk = file, disk

    def write(self, text: str) -> int:
        self._disk.write(len(text))
        return int(self._file.write(text))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def injected(fault: str) -> Iterator[_Disk]:
    """Let the package write to a faulty disk while the block runs."""
    disk = _Disk(fault)
    before: list[tuple[Any, str, Any]] = []

    def patch(owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        before.append((owner, name, getattr(owner, name)))
        setattr(owner, name, wrap(getattr(owner, name)))

    def fails(_: Any) -> Any:
        return lambda *args, **options: disk.fail(errno.EIO)

    patch(builtins, "open", lambda real: lambda *a, **k: _opened(real, disk, *a, **k))
    patch(os, "write", lambda real: lambda handle, data: (disk.write(len(data)), real(handle, data))[1])
    if disk.kind == "sync":
        patch(os, "fsync", fails)
    if disk.kind == "rename":
        patch(os, "replace", fails)
        patch(os, "rename", fails)
    if disk.kind == "clock":
        jumps = random.Random(0)
        patch(time, "time_ns", lambda real: lambda: max(1, real() + jumps.randint(-(10**18), 10**18)))
        patch(time, "time", lambda real: lambda: max(1.0, real() + jumps.uniform(-1e9, 1e9)))
    try:
        yield disk
    finally:
        for owner, name, real in reversed(before):
            setattr(owner, name, real)


def _opened(real: Callable[..., Any], disk: _Disk, file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
    opened = real(file, mode, *args, **options)
    is_part = isinstance(file, (str, os.PathLike)) and ".radeval.part" in str(file)
    return _File(opened, disk) if is_part and mode == "w" else opened


def main(arguments: Sequence[str]) -> int:
    """Run a command of `radeval` on a faulty disk."""
    from radeval_core import cli

    if len(arguments) < 2:
        raise SystemExit(__doc__)
    with injected(arguments[0]):
        return cli.main(list(arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
