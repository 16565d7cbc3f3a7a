"""The answers of a teacher so far, in a file: each is written as soon as it arrives, so that no run asks twice.

A line is `{"key", "answer", "failure"}`. The key is a hash of teacher, question and pair. A torn last line, as a power
cut leaves it, is cut off. The file is private, because answers quote reports.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.io.atomic import PRIVATE, lock_file, writing

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeptAnswer:
    """An answer.

    Attributes:
        answer: what the teacher wrote.
        failure: why it cannot be used, without anything that the teacher wrote; empty if it can.
    """

    answer: str
    failure: str = ""


@dataclass
class AnswerJournal:
    """A file of answers that this process alone writes.

    Attributes:
        path: the file.
        kept: its answers by key.
    """

    path: Path
    kept: dict[str, KeptAnswer] = field(default_factory=dict)
    _handle: int = -1

    def keep(self, key: str, kept: KeptAnswer) -> None:
        """Write an answer, durably.

        Raises:
            OutputError: it cannot be written, as on a full disk; earlier answers stay.
        """
        line = json.dumps({"key": key, "answer": kept.answer, "failure": kept.failure}).encode() + b"\n"
        size = os.fstat(self._handle).st_size
        with writing(self.path):
            try:
                while line:
                    line = line[os.write(self._handle, line) :]
                os.fsync(self._handle)
            except OSError:
                os.ftruncate(self._handle, size)
                raise
        self.kept[key] = kept


def journal_path(out: Path) -> Path:
    """Return the journal of a training file."""
    return out.with_name(f"{out.name}.journal")


def answer_key(teacher: str, *asked: Any) -> str:
    """Return the name of an answer: a hash of the teacher and of what it was asked about."""
    return hashlib.sha256(json.dumps([teacher, *asked]).encode()).hexdigest()


def kept_answers(path: Path) -> dict[str, KeptAnswer]:
    """Return the answers in a journal, without changing it; none if there is no such file."""
    try:
        return _parse(path, path.read_bytes())[0]
    except FileNotFoundError:
        return {}


@contextmanager
def open_journal(path: Path) -> Iterator[AnswerJournal]:
    """Yield the journal at a path, which is created if needed, while the block runs.

    Raises:
        InputError: another process writes it, or it is a file of another program.
        OutputError: it cannot be created.
    """
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE)
    try:
        if lock_file(handle) is False:
            raise InputError(f"{path}: another run is writing these answers: wait for it, or give another --out")
        kept, whole = _parse(path, path.read_bytes())
        with writing(path):
            os.ftruncate(handle, whole)
        yield AnswerJournal(path, kept, handle)
    finally:
        os.close(handle)


def _parse(path: Path, data: bytes) -> tuple[dict[str, KeptAnswer], int]:
    """Return the answers of a journal by key, and the number of bytes up to the end of its last whole line."""
    whole = data.rfind(b"\n") + 1
    kept: dict[str, KeptAnswer] = {}
    lines = data[:whole].splitlines()
    for line in lines:
        try:
            entry = json.loads(line)
            kept[entry["key"]] = KeptAnswer(str(entry["answer"]), str(entry["failure"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    if lines and not kept:
        raise InputError(f"{path}: is no journal of answers: give another --out")
    if len(kept) < len(lines):
        log.warning("%s: %d lines are damaged or repeated; what they held is asked again", path, len(lines) - len(kept))
    return kept, whole
