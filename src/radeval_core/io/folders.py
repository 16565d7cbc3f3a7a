"""Replace a folder in one step: whoever opens it sees the old files or all of the new ones."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.io.atomic import part_folder, parts_of, probe, sync_folder

#: of the system calls `renameat2` (Linux) and `renamex_np` (macOS)
_EXCHANGE, _HERE = 2, -100
_OLD = ".radeval.old"


def check_folder(out: Path, last: str) -> Path:
    """Return the real path of a folder that can be written or replaced; mend it if a crash left it half replaced.

    Args:
        out: the folder, which need not exist.
        last: the file that says that the folder is complete.
    """
    target = Path(os.path.realpath(out))
    if target.exists() and not target.is_dir():
        raise InputError(f"{out} is a file; give a folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    _recover(target, last)
    if target.is_dir() and any(target.iterdir()) and _must_stay(target):
        raise InputError(f"{out} will be replaced, but is the folder you are in, or a mounted one: give another folder")
    probe(_beside(target))
    return target


@contextmanager
def replacing_folder(target: Path, last: str, private: bool) -> Iterator[Path]:
    """Yield a new folder next to the target, which takes its place if the block ends without an error.

    Args:
        target: a folder, as `check_folder` returns it. Its old content is deleted afterwards.
        last: the file that says that the folder is complete; the last to appear in a folder that must stay.
        private: let only the owner read a new folder.
    """
    with part_folder(_beside(target)) as part:
        yield part
        for folder, _, files in os.walk(part):
            for name in files:
                _sync(Path(folder, name), private)
            sync_folder(Path(folder))
        if _must_stay(target):
            _move_in(part, target, last)
        else:
            os.chmod(part, _mode(target, private))
            _put_in_place(part, target)
        sync_folder(target)
        sync_folder(target.parent)


def _must_stay(target: Path) -> bool:
    """Return True for a folder that cannot be replaced: somebody works in it, or another disk is mounted there."""
    return target.is_dir() and (Path.cwd().is_relative_to(target) or os.path.ismount(target))


def _beside(target: Path) -> Path:
    """Return the name whose parts become the target: next to it, or inside a folder that must stay."""
    return target / "build" if _must_stay(target) else target


def _move_in(part: Path, target: Path, last: str) -> None:
    for path in sorted(part.iterdir(), key=lambda path: path.name == last):
        os.rename(path, target / path.name)


def _put_in_place(part: Path, target: Path) -> None:
    if not target.exists():
        os.rename(part, target)
    elif not _exchange(part, target):
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=_OLD, dir=target.parent))
        os.rename(target, aside / "old")
        try:
            os.rename(part, target)
        except OSError:
            os.rename(aside / "old", target)
            raise
        shutil.rmtree(aside)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step; return False if the system or the file system cannot."""
    names = os.fsencode(one), os.fsencode(other)
    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*names, _EXCHANGE) == 0)
        return bool(library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0)
    return False


def _recover(target: Path, last: str) -> None:
    """Finish what a process was doing when it was killed: `_move_in`, or the two renames of `_put_in_place`."""
    for part in parts_of(target / "build"):
        if (part / last).is_file() and not (target / last).exists():
            _move_in(part, target, last)
    for aside in target.parent.glob(f".{target.name}.*{_OLD}"):
        if not target.exists() and (aside / "old").is_dir():
            os.rename(aside / "old", target)
        shutil.rmtree(aside)


def _sync(path: Path, private: bool) -> None:
    if private:
        os.chmod(path, 0o600)
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mode(target: Path, private: bool) -> int:
    with suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o700 if private else 0o777 & ~mask
