"""Store leaderboard files in a local folder.

A claim is an operating-system lock on a file. Only one process can hold it, and it is released when that process ends,
even by a crash. So another scorer can resume a crashed scorer's work at once, without timeouts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from radeval_core.errors import InputError, RadevalError
from radeval_core.io import write_atomically
from radeval_core.io.file_lock import file_lock, lock_now
from radeval_core.leaderboard.store import Change, Lease

log = logging.getLogger(__name__)


@dataclass
class HeldLock:
    """A local claim, held as long as its lock."""

    attempt: int

    def renew(self) -> None:
        """Do nothing: the lock lasts as long as this process."""

    def still_held(self) -> bool:
        return True


@dataclass(frozen=True)
class LocalFiles:
    """Files in a folder, which is created on the first write."""

    folder: Path

    def names(self, folder: str) -> list[str]:
        found = (self.folder / folder).rglob("*.json")
        return sorted(
            f.relative_to(self.folder).as_posix() for f in found if not f.name.startswith(".") and f.is_file()
        )

    def read(self, path: str) -> bytes | None:
        try:
            return (self.folder / path).read_bytes()
        except FileNotFoundError:
            return None

    def read_all(self, folder: str) -> dict[str, bytes]:
        found = {}
        for name in self.names(folder):
            try:
                found[name] = (self.folder / name).read_bytes()
            except OSError:  # the reader of the file then reports it as damaged
                found[name] = b""
        return found

    def change(self, plan: Callable[[], Change | None]) -> bool:
        self.tidy()
        with file_lock(self._ready("lock")):
            wanted = plan()
            if wanted is None:
                return False
            # the log first: nothing is in the store that is not in the log
            for path, data in wanted.append.items():
                handle = os.open(self._ready(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
                try:
                    if os.write(handle, data) != len(data):  # the disk is full: the next line ends this one
                        raise RadevalError(f"{self.folder}: the log cannot be written")
                    os.fsync(handle)
                finally:
                    os.close(handle)
            for path, data in wanted.create.items():
                self.create(path, data)
            return True

    def account(self) -> str:
        return ""

    def tidy(self) -> None:
        for left in self.folder.rglob(".*.json.*.*"):
            if has_ended(left.name.split(".")[-2]):
                left.unlink(missing_ok=True)

    def create(self, path: str, data: bytes, replace: bool = False) -> bool:
        target = self._ready(path)
        if replace:
            write_atomically(target, lambda temporary: _write(temporary, data))
            return True
        # write a complete file under another name first, so no one reads a partial file; the link fails if it exists
        temporary = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}")
        try:
            _write(temporary, data)
            os.link(temporary, target)
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        return True

    @contextmanager
    def claim(self, path: str) -> Iterator[Lease | None]:
        try:
            handle = os.open(self._ready(path), os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:  # such as a folder of that name: this submission cannot be claimed, others can
            log.warning("%s: cannot be claimed: %s", path, error.strerror)
            yield None
            return
        try:
            try:
                lock_now(handle)
            except OSError:
                yield None
                return
            attempt = _attempts(os.read(handle, 20)) + 1
            os.ftruncate(handle, 0)
            os.pwrite(handle, b"%d\n" % attempt, 0)
            os.fsync(handle)
            yield HeldLock(attempt)
        finally:
            os.close(handle)

    def _ready(self, path: str) -> Path:
        target = self.folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--store {self.folder}: cannot write: {error.strerror}") from error
        return target


def _attempts(data: bytes) -> int:
    """Return the number of attempts in a claim's file; 0 if it is empty or damaged."""
    text = data.strip()
    return int(text) if text.isdigit() and len(text) < 10 else 0


def has_ended(process: str) -> bool:
    """Return True if no process on this machine has this number."""
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return False


def default_folder() -> Path:
    """Return the folder in RADEVAL_LEADERBOARD, or the default folder in the user's data directory."""
    if named := os.environ.get("RADEVAL_LEADERBOARD"):
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "radeval" / "leaderboard"


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
