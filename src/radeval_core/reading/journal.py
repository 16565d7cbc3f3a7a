"""The journal of one reader: a file to which one line is added per saved change, and from which nothing is removed.

Why a journal and not a database: a line that was written and synced stays, whatever happens to the process or to other
lines; the file can be copied while it grows, read in an editor and merged into a backup; and every earlier state of a
reading is kept, so an edit can be traced. Only the newest line of a case counts.

A line is one JSON object with `n` (1, 2, 3, … without gaps), `at`, `case`, `save` (an id made by the page, so that a
change that is sent twice is stored once), `reading`, and `check`, a checksum of the rest. Processes take turns with a
lock. A write that a crash cut off was never confirmed to the reader: the next write ends it with a line break, takes
the same `n`, and the cut line is skipped. Any other line that cannot be read is damage, and is an error until the owner
accepts it (`radeval read repair`).
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, OutputError
from radeval_core.io.atomic import PRIVATE, sync_folder
from radeval_core.io.file_lock import file_lock

Entry = dict[str, Any]


@dataclass
class JournalState:
    """What the lines of a journal say together.

    Attributes:
        latest: the newest entry of each case.
        last: the number of the newest entry.
        saves: the number of the entry of each `save`.
        cut: lines that a crash cut off; they were never confirmed.
        damaged: what is wrong, by number of the line.
    """

    latest: dict[str, Entry] = field(default_factory=dict)
    last: int = 0
    saves: dict[str, int] = field(default_factory=dict)
    cut: list[int] = field(default_factory=list)
    damaged: dict[int, str] = field(default_factory=dict)
    _lines: int = 0
    _unread: list[int] = field(default_factory=list)

    def add(self, line: bytes) -> None:
        """Take in the next whole line."""
        self._lines += 1
        entry = _parse(line)
        if entry is None:
            self._unread.append(self._lines)
            return
        gap = entry["n"] != self.last + 1
        if not gap:
            self.cut.extend(self._unread)
        elif self._unread:
            self.damaged.update(dict.fromkeys(self._unread, "cannot be read"))
        else:
            self.damaged[self._lines] = f"follows entry {self.last}, but has number {entry['n']}"
        self._unread = []
        self.last = max(self.last, entry["n"])
        for accepted in entry.get("accept", ()):
            self.damaged.pop(accepted, None)
        if "case" in entry and entry["n"] > self.latest.get(entry["case"], {"n": 0})["n"]:
            self.latest[entry["case"]] = entry
            self.saves[entry["save"]] = entry["n"]

    def problems(self) -> dict[int, str]:
        """Return what is wrong, by number of the line. Unread lines at the end may have been confirmed."""
        return self.damaged | dict.fromkeys(self._unread, "cannot be read")


@dataclass
class Journal:
    """The journal of one reader.

    Attributes:
        path: its file; other processes may add to it.
    """

    path: Path
    _state: JournalState = field(default_factory=JournalState, repr=False)
    _read: int = 0
    _file: int | None = None
    _turn: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def state(self) -> JournalState:
        """Return the state, with the lines that other processes have added. Do not change it."""
        with self._turn:
            self._catch_up()
            return self._state

    def readable(self) -> JournalState:
        """Return the state, or raise an error that names the first damaged line."""
        state = self.state()
        if problems := state.problems():
            line, problem = min(problems.items())
            raise InputError(
                f"{self.path}: line {line} is damaged ({problem}): put a backup of the file in its place, "
                f"or go on without the line: radeval read repair --store {self.path.parent.parent}"
            )
        return state

    def append(self, plan: Callable[[JournalState], Entry | None]) -> JournalState:
        """Add one entry and return the new state; the entry is on the disk when this returns.

        Args:
            plan: gets the state while no other process can change it; returns the entry without `n` and `check`, or
                None to add nothing.
        """
        with self._turn, file_lock(self.path.with_suffix(".lock"), PRIVATE):
            state = self.readable()
            return self._add(plan(state))

    def accept_damage(self, at: str) -> list[int]:
        """Add an entry that accepts the damaged lines as lost; return their numbers. The lines stay in the file."""
        with self._turn, file_lock(self.path.with_suffix(".lock"), PRIVATE):
            lines = sorted(self.state().problems())
            if lines:
                self._add({"at": at, "accept": lines})
            return lines

    def _add(self, entry: Entry | None) -> JournalState:
        if entry is None:
            return self._state
        data = _line({"n": self._state.last + 1, **entry})
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), PRIVATE)
        try:
            size = os.fstat(handle).st_size
            if size > self._read:  # a crash cut the last line off
                data = b"\n" + data
            _write(self.path, handle, data, size)
        finally:
            os.close(handle)
        if size == 0:
            sync_folder(self.path.parent)
        self._catch_up()
        return self._state

    def _catch_up(self) -> None:
        """Read the whole lines that are new in the file; read it all if it was replaced."""
        try:
            with open(self.path, "rb") as file:
                found = os.fstat(file.fileno())
                if found.st_ino != self._file or found.st_size < self._read:
                    self._state, self._read, self._file = JournalState(), 0, found.st_ino
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            self._state, self._read, self._file = JournalState(), 0, None
            return
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        end = data.rfind(b"\n") + 1
        for line in data[:end].split(b"\n")[:-1]:
            self._state.add(line)
        self._read += end


def _write(path: Path, handle: int, data: bytes, size: int) -> None:
    """Write and sync; if that fails, take back what was written, so that the file ends as before."""
    try:
        if os.write(handle, data) != len(data):
            raise OSError("the disk is full")
        os.fsync(handle)
    except OSError as error:
        try:
            os.ftruncate(handle, size)
        finally:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps({**entry, "check": _check(entry)}, ensure_ascii=True).encode() + b"\n"


def _check(entry: Mapping[str, Any]) -> str:
    text = json.dumps({key: value for key, value in entry.items() if key != "check"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _parse(line: bytes) -> Entry | None:
    """Return the entry of a line, or None if it is damaged."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("n"), int) or entry.get("check") != _check(entry):
        return None
    return entry
