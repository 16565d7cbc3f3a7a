"""Replace a file in one step: whoever opens it sees the old content or the whole new one, also after a crash.

The new content is written to a part, a hidden file next to the target. Parts are locked while they are written, so
that the next run can delete those of processes that were killed. They are private, because they may quote reports.
"""

from __future__ import annotations

import glob
import os
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from radeval_core.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows: parts of killed processes are not swept
    fcntl = None  # type: ignore[assignment]

PRIVATE = 0o600
_SUFFIX = ".radeval.part"
#: bytes of the target's name in the name of a part; file systems allow 255 for the whole
_NAME_BYTES = 150
#: bytes that must fit before work begins
_PROBE = 4096
#: parts that are being written, deleted if a signal ends this process, and the process that writes them: a forked
#: worker must not delete those of its parent
_open_parts: dict[Path, int] = {}


def write_atomically(path: Path, write: Callable[[Path], None], private: bool = False) -> None:
    """Let `write` fill a part, then replace the target in one step.

    Args:
        path: the target.
        write: gets the path of the part. Its `OSError` is taken for one of writing.
        private: let only the owner read a new file, because it quotes reports.
    """
    with writing(path), replacing(path, private) as part:
        write(part)


@contextmanager
def replacing(path: Path, private: bool = False) -> Iterator[Path]:
    """Yield a part that replaces the target if the block ends without an error; errors of the block pass through.

    A link is followed: its target gets the new content. A file that exists keeps its mode.
    """
    target = Path(os.path.realpath(path))
    with ExitStack() as stack:
        with writing(path):
            sweep(target)
            part, handle = stack.enter_context(_part_of(target))
        yield part
        with writing(path):
            os.chmod(part, _mode(target, private))
            os.fsync(handle)
            os.replace(part, target)
            sync_folder(target.parent)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an `OSError` of the block into one line that says which file cannot be written, and why."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def probe(path: Path) -> None:
    """Raise `OSError` if a file cannot be made next to the target; sweep parts that killed processes left there."""
    target = Path(os.path.realpath(path))
    sweep(target)
    with _part_of(target) as (_, handle):
        data = bytes(_PROBE)
        while data:
            data = data[os.write(handle, data) :]
        os.fsync(handle)


def sweep(target: Path) -> None:
    """Delete the parts of a target that no running process holds."""
    for part in parts_of(target):
        with suppress(OSError):
            _remove(part)


def parts_of(target: Path) -> Iterator[Path]:
    """Yield the parts of a target that killed processes left, each locked until the next is asked for."""
    for part in list(target.parent.glob(f"{glob.escape(_prefix(target))}*{_SUFFIX}")):
        with suppress(OSError):
            handle = os.open(part, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                if part not in _open_parts and lock_file(handle) is True:
                    yield part
            finally:
                os.close(handle)


@contextmanager
def part_folder(target: Path) -> Iterator[Path]:
    """Yield a new folder next to the target, private and locked; it is deleted when the block ends."""
    with _held(lambda: Path(tempfile.mkdtemp(prefix=_prefix(target), suffix=_SUFFIX, dir=target.parent))) as (part, _):
        yield part


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can do that."""
    with suppress(OSError):  # Windows cannot open folders; some network file systems cannot sync them
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def parts_removed_on_signals() -> Iterator[None]:
    """While the block runs, let SIGTERM and SIGHUP delete the open parts before they end the process.

    A signal that is ignored, as SIGHUP is under nohup, stays ignored. Only the main thread can set handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) == signal.SIG_DFL:
            before[number] = signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> None:
    """Delete the open parts, and end as the signal would have ended the process."""
    for part, process in list(_open_parts.items()):
        if process == os.getpid():
            with suppress(OSError):
                _remove(part)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


@contextmanager
def _part_of(target: Path) -> Iterator[tuple[Path, int]]:
    def make() -> Path:
        handle, name = tempfile.mkstemp(prefix=_prefix(target), suffix=_SUFFIX, dir=target.parent)
        os.close(handle)
        return Path(name)

    with _held(make) as held:
        yield held


@contextmanager
def _held(make: Callable[[], Path]) -> Iterator[tuple[Path, int]]:
    """Yield a new part and an open handle that locks it; delete the part if it is still there at the end."""
    while True:
        part = make()
        _open_parts[part] = os.getpid()
        with suppress(FileNotFoundError):  # another process may sweep the part before it is locked: make another one
            handle = os.open(part, os.O_RDONLY if part.is_dir() else os.O_RDWR)
            if lock_file(handle) is not False and os.path.lexists(part):
                break
            os.close(handle)
        del _open_parts[part]
    try:
        yield part, handle
    finally:
        with suppress(FileNotFoundError):
            _remove(part)
        del _open_parts[part]
        os.close(handle)


def lock_file(handle: int) -> bool | None:
    """Lock an open file without waiting. Return False if another process holds it, None if it cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove(part: Path) -> None:
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part)
    else:
        part.unlink()


def _mode(target: Path, private: bool) -> int:
    """Return the mode of the target; for a new file what `open` would give, or only the owner's rights."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return PRIVATE if private else 0o666 & ~mask


def _prefix(target: Path) -> str:
    return f".{target.name.encode('utf-8', 'surrogateescape')[:_NAME_BYTES].decode('utf-8', 'ignore')}."
