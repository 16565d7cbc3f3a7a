"""The optional annotation cache on disk: one SQLite file with encrypted entries and a size limit.

Reports are patient data, and annotations (tokens, entities) can reveal them. So an entry's name is a hash, and its
content is encrypted with a key derived from the report text: only someone who already has the text can read the
entry. Decryption also detects damage: an entry that fails to decrypt is deleted and computed again.

The cache saves work and never costs any. A file that is damaged is moved aside, never deleted. A cache that is locked,
full, read-only or on a failing disk is left alone: one warning, and the run goes on without it. A file of another
program is refused.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from radeval_core.errors import InputError

log = logging.getLogger(__name__)
CACHE_ENV = "RADEVAL_CACHE"
_FILE = "annotations.sqlite"
_NONCE = 12
#: the last time that SQLite can store; a damaged entry may claim it
_LATEST = 2**63 - 1
#: marks the file as ours, in its header: "radv"
_APPLICATION = 0x72616476
_APPLICATION_AT = 68
#: parts of the declaration of our table, which SQLite keeps as text in the first page; damage can hit some of them
_DECLARED, _START = (b"TABLE entries (name BLOB", b"sealed BLOB NOT NULL", b"by_use ON entries (used)"), 1 << 16
#: SQLite's codes for a file that cannot be repaired; every other error is one of the disk, the rights or the moment
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (name BLOB PRIMARY KEY, sealed BLOB NOT NULL, size INTEGER NOT NULL,
                                    used INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON entries (used);
"""


class DiskCache:
    """A cache of annotations on disk, by annotator identity and text.

    Args:
        folder: created if it does not exist.
        limit: maximum bytes of encrypted entries; beyond it, the least recently used are deleted.
        patience: seconds to wait for another process that writes.
    """

    def __init__(self, folder: str | Path, limit: int = 2 << 30, patience: float = 20) -> None:
        self.folder = Path(folder)
        self.limit = limit
        self.patience = patience
        self._may_read = self._may_write = True
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(f"cannot create the cache folder {str(folder)!r}: {error.strerror}") from error
        self._refuse_other_programs()

    @property
    def file(self) -> Path:
        return self.folder / _FILE

    def get(self, identity: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the data of the texts that are in the cache. Damaged entries are left out and deleted."""
        found: dict[str, bytes] = {}
        used: list[bytes] = []
        broken: list[bytes] = []

        def read(db: sqlite3.Connection) -> None:
            for kept in (found, used, broken):
                kept.clear()
            for text in texts:
                name, key = _name_and_key(identity, text)
                row = db.execute("SELECT sealed FROM entries WHERE name = ?", (name,)).fetchone()
                if row is None:
                    continue
                try:
                    found[text] = _open(key, name, row[0])
                    used.append(name)
                except (InvalidTag, TypeError, ValueError):
                    broken.append(name)

        def update(db: sqlite3.Connection) -> None:
            now = _now(db)
            db.executemany("DELETE FROM entries WHERE name = ?", [(name,) for name in broken])
            db.executemany("UPDATE entries SET used = ? WHERE name = ?", [(now, name) for name in used])

        if self._may_read:
            self._may_read = self._with_database(read, "BEGIN")
        if broken:
            log.warning("%d damaged cache entries will be computed again", len(broken))
        if self._may_write and (used or broken):
            self._may_write = self._with_database(update)
        return found

    def put(self, identity: str, items: Mapping[str, bytes]) -> None:
        """Store the data of some texts, and delete the least recently used entries beyond the limit."""
        rows = []
        for text, data in items.items():
            name, key = _name_and_key(identity, text)
            sealed = _seal(key, name, data)
            rows.append((name, sealed, len(sealed)))

        def write(db: sqlite3.Connection) -> None:
            now = _now(db)
            db.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", [(*row, now) for row in rows])
            self._evict(db)

        if self._may_write:
            self._may_write = self._with_database(write)

    def _evict(self, db: sqlite3.Connection) -> None:
        total = db.execute("SELECT COALESCE(SUM(size), 0) FROM entries").fetchone()[0]
        if total <= self.limit:
            return
        dropped = []
        for name, size in db.execute("SELECT name, size FROM entries ORDER BY used, name"):
            dropped.append((name,))
            total -= size
            if total <= self.limit:
                break
        db.executemany("DELETE FROM entries WHERE name = ?", dropped)
        db.execute("PRAGMA incremental_vacuum")

    def _with_database(self, work: Callable[[sqlite3.Connection], None], begin: str = "BEGIN IMMEDIATE") -> bool:
        """Run `work` in one transaction. Return False, and warn once, if the cache cannot be used now.

        A damaged file is moved aside, and `work` runs with a new one.
        """
        for attempt in (1, 2):
            file = _file_number(self.file)
            try:
                self._transaction(work, begin)
                return True
            except UnicodeDecodeError:  # damage can garble SQLite's own message
                self._move_aside(file)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE and attempt == 1:
                    self._move_aside(file)
                    continue
                return self._warn(error)
            except OSError as error:
                return self._warn(error)
        return self._warn("damaged again")

    def _warn(self, problem: object) -> bool:
        if self._may_read and self._may_write:
            reason = problem.strerror if isinstance(problem, OSError) else problem
            log.warning("the cache in %s cannot be used (%s): going on without it", self.folder, reason)
        return False

    def _move_aside(self, seen: int | None) -> None:
        """Rename a damaged file, unless another process already did. Nothing is deleted: it may hold paid answers."""
        if _file_number(self.file) != seen:
            return
        self._refuse_other_programs()
        number = 1
        while (aside := self.folder / f"{_FILE}.damaged-{number}").exists():
            number += 1
        log.warning("the annotation cache %s is damaged: moved to %s, creating a new one", self.file, aside.name)
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.rename(f"{self.file}{suffix}", f"{aside}{suffix}")

    def _refuse_other_programs(self) -> None:
        """Raise an error if the file is a database of another program, by the mark in its header or by its tables."""
        mark, is_ours = _mark(self.file)
        foreign = not is_ours and mark not in (None, 0, _APPLICATION)
        if mark == 0 and not is_ours:
            with suppress(sqlite3.Error, UnicodeDecodeError), closing(self._connect("ro")) as db:
                # a process that was killed leaves our table in the log beside the file
                declared = [sql.encode() for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")]
                foreign = not all(any(words in sql for words in _DECLARED) for sql in declared)
        if foreign:
            raise InputError(f"{self.file} belongs to another program: give another folder for the cache")

    def _connect(self, mode: str) -> sqlite3.Connection:
        address = f"{self.file.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(address, timeout=self.patience, isolation_level=None, uri=True)

    def _transaction(self, work: Callable[[sqlite3.Connection], None], begin: str) -> None:
        with closing(self._connect("rwc")) as db:
            if db.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
                self._set_up(db)
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(begin)
            try:
                work(db)
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def _set_up(self, db: sqlite3.Connection) -> None:
        """Make a new file a cache, or mark one of an earlier version."""
        os.chmod(self.file, 0o600)
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {_APPLICATION}; COMMIT;")


def cache_from(folder: str | Path | None) -> DiskCache | None:
    """Return the cache in `folder`, else in the folder `RADEVAL_CACHE` names, else None."""
    folder = folder or os.environ.get(CACHE_ENV)
    return DiskCache(folder) if folder else None


def _now(db: sqlite3.Connection) -> int:
    """Return the time of this use: later than all before, also if the clock was set back."""
    latest: int = db.execute("SELECT COALESCE(MAX(used), 0) FROM entries").fetchone()[0]
    return max(time.time_ns(), latest + 1) if latest < _LATEST else time.time_ns()


def _file_number(file: Path) -> int | None:
    """Return what tells a file from another that took its name; None if there is none."""
    try:
        return file.stat().st_ino
    except OSError:
        return None


def _mark(file: Path) -> tuple[int | None, bool]:
    """Return the mark of a program in the header of its database, and whether our table is declared in it.

    The mark is None if the file is no database. Damage can change it, so the declaration counts too; it is also how
    caches of earlier versions, which have no mark, are recognised.
    """
    try:
        with open(file, "rb") as opened:
            start = opened.read(_START)
    except OSError:
        return None, False
    if len(start) < 100 or not start.startswith(b"SQLite format 3\0"):
        return None, False
    mark = int.from_bytes(start[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
    return mark, any(words in start for words in _DECLARED)


def _name_and_key(identity: str, text: str) -> tuple[bytes, bytes]:
    """Return the public name and the secret key of an entry: two independent hashes of the same content."""
    content = hashlib.sha256(f"{len(identity)}:{identity}".encode() + text.encode("utf-8", "surrogatepass"))
    name, key = content.copy(), content.copy()
    name.update(b"\0name")
    key.update(b"\0key")
    return name.digest(), key.digest()


def _seal(key: bytes, name: bytes, data: bytes) -> bytes:
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, data, name)


def _open(key: bytes, name: bytes, sealed: bytes) -> bytes:
    return AESGCM(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], name)
