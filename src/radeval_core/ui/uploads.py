"""The folder of uploads: private to this process, empty when it starts, swept while it runs, removed when it ends.

Gradio keeps uploads in one folder for all programs of a user, and leaves a folder or an empty file behind for many of
them. Reports are patient data, so nothing may stay there.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from radeval_core.errors import InputError

T = TypeVar("T")

_VARIABLE = "GRADIO_TEMP_DIR"
_PREFIX = "radeval-uploads-"
#: age in seconds at which an upload that nobody scored is deleted
MAX_AGE = 300.0


def use_private_folder() -> None:
    """Let Gradio keep uploads in a new private folder, unless the user chose one or Gradio is already imported.

    Folders of processes that were killed are removed first.
    """
    if os.environ.get(_VARIABLE) or "gradio" in sys.modules:
        return
    remove_abandoned(Path(tempfile.gettempdir()))
    folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
    os.environ[_VARIABLE] = folder
    atexit.register(_remove_own, folder, os.getpid())


def remove_abandoned(parent: Path) -> list[Path]:
    """Remove the upload folders of processes that no longer run, and return them."""
    removed = []
    for folder in parent.glob(f"{_PREFIX}*-*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if process.isascii() and process.isdigit() and not folder.is_symlink() and _ours(folder) and _ended(process):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def upload_folder() -> Path:
    """Return the folder of uploads."""
    from gradio.utils import get_upload_folder

    return Path(get_upload_folder()).resolve()


def is_upload(path: str | Path) -> bool:
    """Return True if a path is inside the folder of uploads."""
    try:
        return upload_folder() in Path(path).resolve().parents
    except (OSError, ValueError, RuntimeError):  # no path at all, such as one with a null byte
        return False


def remove_upload(path: Path) -> None:
    """Delete an upload and its folder. Do nothing if the path is not in the folder of uploads."""
    if is_upload(path):
        path.unlink(missing_ok=True)
        if path.parent.resolve() != upload_folder():
            with contextlib.suppress(OSError):  # not empty: another upload of the same content is arriving
                path.parent.rmdir()


def read_once(path: Path, suffixes: Sequence[str], most_bytes: int, read: Callable[[Path], T]) -> T:
    """Read an upload. It is always deleted, even after an error; errors name the file, not its folder.

    Args:
        path: the upload.
        suffixes: how its name may end.
        most_bytes: its largest size.
        read: reads it.
    """
    try:
        if path.suffix.lower() not in suffixes:
            raise InputError(f"{path.name}: the name must end in {' or '.join(suffixes)}")
        size = path.stat().st_size
        if size > most_bytes:
            raise InputError(f"{path.name} has {size:,} bytes; the maximum here is {most_bytes:,}")
        return read(path)
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from None
    except OSError:
        raise InputError("the upload no longer exists: choose the file again") from None
    finally:
        remove_upload(path)


def sweep(folder: Path, max_age: float = MAX_AGE, now: float | None = None) -> int:
    """Delete files in a folder of uploads that are older than `max_age` seconds, and empty folders; count the files."""
    limit = (time.time() if now is None else now) - max_age
    count = 0
    for path in sorted(folder.rglob("*"), reverse=True):  # files before their folder
        with contextlib.suppress(OSError):  # another request was faster
            if path.is_symlink() or path.is_file():
                if path.lstat().st_mtime <= limit:
                    path.unlink()
                    count += 1
            elif path.stat().st_mtime <= limit:
                path.rmdir()
    return count


def _remove_own(folder: str, process: int) -> None:
    if os.getpid() == process:  # a forked child ends before its parent
        shutil.rmtree(folder, ignore_errors=True)


def _ours(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()


def _ended(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
