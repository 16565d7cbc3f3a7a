"""Finds the files of a checkpoint: in a folder, in the local Hub cache, or on the Hub, in this order.

Files on this machine are used without a request to the Hub, so a run with everything local makes no network call. If a
file is missing, the Hub is asked once, briefly, whether it can be reached, before a library tries for minutes.
"""

from __future__ import annotations

import hashlib
import tarfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from huggingface_hub import constants, get_session, hf_hub_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from radeval_core.errors import CheckpointError

T = TypeVar("T")
#: no file in a published archive is larger; a damaged or hostile header can claim any size
_LARGEST_MEMBER = 8 << 30
#: weights hardly compress, so an archive does not unpack to more than this times its size, and a little
_LARGEST_RATIO, _SMALL = 50, 16 << 20
#: no published archive has more files
_MOST_MEMBERS = 1000
_BLOCK = 1 << 20
#: seconds to wait for the Hub, and seconds for which a Hub that did not answer is not asked again
_HUB_TIMEOUT, _HUB_PAUSE = 5.0, 60.0
_unreachable: dict[str, float] = {}


def is_folder(source: str) -> bool:
    """Return True if a checkpoint is a folder on this machine, False if it is a Hub id."""
    return Path(source).is_dir()


def local_first(load: Callable[..., T], source: str, **kwargs: Any) -> T:
    """Call a loader such as `from_pretrained`, with local files only if possible."""
    try:
        return load(source, local_files_only=True, **kwargs)
    except OSError:
        if is_folder(source):
            raise
        check_hub()
        return load(source, **kwargs)


def check_hub() -> None:
    """Raise an error at once if no request to the Hub is allowed, and soon if it cannot be reached."""
    if constants.HF_HUB_OFFLINE:
        raise ConnectionError("HF_HUB_OFFLINE is set: the Hub is not asked")
    address = constants.ENDPOINT
    if time.monotonic() - _unreachable.get(address, -_HUB_PAUSE) < _HUB_PAUSE:
        raise ConnectionError("the Hub cannot be reached")
    try:
        get_session().head(address, timeout=_HUB_TIMEOUT, follow_redirects=False)  # any status is an answer
    except Exception as error:
        _unreachable[address] = time.monotonic()
        raise ConnectionError("the Hub cannot be reached") from error


def checkpoint_file(source: str, name: str) -> Path:
    """Return the path of one file of a checkpoint.

    Args:
        source: Hub id, or folder in the published layout.
        name: the file's path inside it.
    """
    if is_folder(source):
        file = Path(source, name)
        if not file.is_file():
            raise CheckpointError(f"folder {source!r} has no file {name!r}")
        return file
    try:
        return Path(local_first(hf_hub_download, source, filename=name))
    except (OSError, HfHubHTTPError, LocalEntryNotFoundError, ValueError) as error:
        raise CheckpointError(
            f"cannot load {name!r} of {source!r}: it is not in the local Hub cache and cannot be downloaded. "
            f"On a connected machine type `hf download {source} {name}`, or name a local folder instead"
        ) from error


def files_identity(name: str, files: Iterable[Path]) -> str:
    """Return `name@revision` of a model's files: their Hub commit if they share one, else a hash of them."""
    files = sorted(set(files))
    commits = {commit for file in files if (commit := _commit(file))}
    if len(commits) == 1 and all(map(_commit, files)):
        return f"{name}@{commits.pop()[:8]}"
    return f"{name}@{content_hash(files)}"


def content_hash(files: Iterable[Path]) -> str:
    """Return a short hash of the names and contents of files; they are read again only after a change."""
    return _hash_files(tuple((str(f), f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(set(files))))


def _commit(file: Path) -> str:
    """Return the commit of a file in the Hub cache, or "" for other files."""
    parts = file.parts
    return parts[parts.index("snapshots") + 1] if "snapshots" in parts[:-2] else ""


@lru_cache(maxsize=32)
def _hash_files(stamps: tuple[tuple[str, int, int], ...]) -> str:
    """Hash names and contents; sizes and times are arguments so that a changed file is read again."""
    digest = hashlib.sha256()
    for path, size, _ in stamps:
        digest.update(f"{Path(path).name}\0{size}\0".encode())
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:8]


def read_archive(archive: Path, wanted: Sequence[str]) -> dict[str, bytes]:
    """Read files from a tar archive into memory. Nothing is unpacked, so paths in the archive can do no harm.

    Args:
        archive: the file, compressed or not.
        wanted: patterns for `PurePath.match`; they match from the right, so a top folder does not matter.

    Returns:
        Contents by path in the archive.
    """
    found: dict[str, bytes] = {}
    room = min(_LARGEST_MEMBER, _LARGEST_RATIO * archive.stat().st_size + _SMALL)
    try:
        with tarfile.open(archive, "r:*") as tar:
            for count, member in enumerate(tar, 1):
                # checked before the file's content is read, also of files that are not wanted
                _check_member(archive, member, count, room)
                path = PurePosixPath(member.name)
                if not member.isfile() or not any(path.match(pattern) for pattern in wanted):
                    continue
                room -= member.size
                found[str(path)] = _read_member(archive, tar, member)
    except CheckpointError:
        raise
    except Exception as error:  # whatever damage does to tarfile and the decompressors
        raise CheckpointError(f"{archive} is damaged or not a tar archive: {type(error).__name__}") from error
    return found


def _check_member(archive: Path, member: tarfile.TarInfo, count: int, room: int) -> None:
    """Refuse what no published archive contains: holes, very many files, or more bytes than the archive can hold."""
    name = member.name[:100]
    if count > _MOST_MEMBERS:
        raise CheckpointError(f"{archive} has more than {_MOST_MEMBERS:,} files, more than any published archive")
    if member.issparse():
        raise CheckpointError(f"{archive}: {name!r} is a sparse file, which no published archive contains")
    if member.size > room:
        raise CheckpointError(f"{archive}: {name!r} claims {member.size:,} bytes, more than the archive can hold")


def _read_member(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """Return the content of a file, read block by block: memory grows only with what is really there."""
    file = tar.extractfile(member)
    assert file is not None
    content = bytearray()
    while block := file.read(_BLOCK):
        content += block
    if len(content) != member.size:
        raise CheckpointError(f"{archive} is damaged: {member.name[:100]!r} ends early")
    return bytes(content)
