"""Store leaderboard files in a local folder.

A claim is an operating-system lock on a file. Only one process can hold it, and it is released when that process ends,
even by a crash. So another scorer can resume a crashed scorer's work at once, without timeouts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.io import write_atomically
from radeval_core.leaderboard.store import Lease


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
        return sorted(f.relative_to(self.folder).as_posix() for f in found if not f.name.startswith("."))

    def read(self, path: str) -> bytes | None:
        try:
            return (self.folder / path).read_bytes()
        except FileNotFoundError:
            return None

    def read_all(self, folder: str) -> dict[str, bytes]:
        return {name: (self.folder / name).read_bytes() for name in self.names(folder)}

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
        import fcntl  # not available on Windows, and only needed for scoring

        handle = os.open(self._ready(path), os.O_RDWR | os.O_CREAT, 0o666)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield None
                return
            attempt = int(os.read(handle, 20).strip() or b"0") + 1
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
