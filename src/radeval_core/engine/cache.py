"""The optional annotation cache on disk: one SQLite file with encrypted entries and a size limit.

Reports are patient data, and annotations (tokens, entities) can reveal them. So an entry's name is a hash, and its
content is encrypted with a key derived from the report text: only someone who already has the text can read the
entry. Decryption also detects damage: an entry that fails to decrypt is deleted and computed again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from radeval_core.errors import InputError

log = logging.getLogger(__name__)
CACHE_ENV = "RADEVAL_CACHE"
_FILE = "annotations.sqlite"
_NONCE = 12
#: parts of SQLite messages about problems that a new file would not fix
_NOT_DAMAGE = ("locked", "unable to open", "readonly", "full")
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
    """

    def __init__(self, folder: str | Path, limit: int = 2 << 30) -> None:
        self.folder = Path(folder)
        self.limit = limit
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(f"cannot create the cache folder {str(folder)!r}: {error.strerror}") from error

    @property
    def file(self) -> Path:
        return self.folder / _FILE

    def get(self, identity: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the data of the texts that are in the cache. Damaged entries are left out and deleted."""
        found: dict[str, bytes] = {}

        def read(db: sqlite3.Connection) -> None:
            found.clear()
            now, used, broken = time.time_ns(), [], []
            for text in texts:
                name, key = _name_and_key(identity, text)
                row = db.execute("SELECT sealed FROM entries WHERE name = ?", (name,)).fetchone()
                if row is None:
                    continue
                try:
                    found[text] = _open(key, name, row[0])
                    used.append((now, name))
                except (InvalidTag, TypeError, ValueError):
                    broken.append((name,))
            if broken:
                log.warning("%d damaged cache entries will be computed again", len(broken))
                db.executemany("DELETE FROM entries WHERE name = ?", broken)
            db.executemany("UPDATE entries SET used = ? WHERE name = ?", used)

        self._with_database(read)
        return found

    def put(self, identity: str, items: Mapping[str, bytes]) -> None:
        """Store the data of some texts, and delete the least recently used entries beyond the limit."""
        now = time.time_ns()
        rows = []
        for text, data in items.items():
            name, key = _name_and_key(identity, text)
            sealed = _seal(key, name, data)
            rows.append((name, sealed, len(sealed), now))

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", rows)
            self._evict(db)

        self._with_database(write)

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

    def _with_database(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Run `work` in one transaction; replace a damaged database file with a new one."""
        try:
            self._transaction(work)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # damage may even garble SQLite's own message
            if isinstance(error, sqlite3.OperationalError) and any(text in str(error) for text in _NOT_DAMAGE):
                raise InputError(f"cannot use the cache in {str(self.folder)!r}: {error}") from error
            self._rebuild(work)

    def _rebuild(self, work: Callable[[sqlite3.Connection], None]) -> None:
        log.warning("the annotation cache %s is damaged: creating a new one", self.file)
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.file}{suffix}").unlink(missing_ok=True)
        self._transaction(work)

    def _transaction(self, work: Callable[[sqlite3.Connection], None]) -> None:
        with closing(sqlite3.connect(self.file, timeout=60, isolation_level=None)) as db:
            os.chmod(self.file, 0o600)
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.executescript(_SCHEMA)
            db.execute("BEGIN IMMEDIATE")
            try:
                work(db)
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def cache_from(folder: str | Path | None) -> DiskCache | None:
    """Return the cache in `folder`, else in the folder `RADEVAL_CACHE` names, else None."""
    folder = folder or os.environ.get(CACHE_ENV)
    return DiskCache(folder) if folder else None


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
