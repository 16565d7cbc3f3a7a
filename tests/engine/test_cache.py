import logging
import os
import random
import sqlite3
import stat
import subprocess
import sys

import pytest

from radeval_core.engine.cache import DiskCache, cache_from
from radeval_core.errors import InputError

TEXT = "Large right pneumothorax with mediastinal shift"


def test_stored_data_can_be_read_back(tmp_path):
    DiskCache(tmp_path).put("model@1", {TEXT: b"data", "": b"empty"})
    assert DiskCache(tmp_path).get("model@1", [TEXT, "unknown", ""]) == {TEXT: b"data", "": b"empty"}


def test_another_annotator_finds_nothing(tmp_path):
    DiskCache(tmp_path).put("model@1", {TEXT: b"data"})
    assert DiskCache(tmp_path).get("model@2", [TEXT]) == {}
    assert DiskCache(tmp_path).get("model@1 ", [TEXT]) == {}


def test_no_report_text_is_stored_unencrypted(tmp_path):
    cache = DiskCache(tmp_path)
    cache.put("model@1", {TEXT: TEXT.encode() * 50})
    on_disk = b"".join(f.read_bytes() for f in tmp_path.iterdir())
    for word in TEXT.split():
        assert word.encode() not in on_disk and word.lower().encode() not in on_disk


def test_only_the_owner_may_read(tmp_path):
    cache = DiskCache(tmp_path / "c")
    cache.put("m", {TEXT: b"x"})
    assert stat.S_IMODE(cache.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


def test_size_is_bounded_and_the_least_recently_used_go_first(tmp_path):
    cache = DiskCache(tmp_path, limit=5000)
    cache.put("m", {"kept in use": b"k" * 500})
    for i in range(40):
        cache.put("m", {f"text {i}": bytes(500)})
        cache.get("m", ["kept in use"])
    with sqlite3.connect(cache.file) as db:
        total, rows = db.execute("SELECT SUM(size), COUNT(*) FROM entries").fetchone()
    assert total <= 5000 and rows >= 8
    assert set(cache.get("m", ["kept in use", "text 0", "text 39"])) == {"kept in use", "text 39"}


def test_a_file_that_is_not_a_database_is_replaced_with_a_warning(tmp_path, caplog):
    cache = DiskCache(tmp_path)
    cache.file.write_bytes(b"this is not a database" * 1000)
    with caplog.at_level(logging.WARNING):
        assert cache.get("m", [TEXT]) == {}
    assert "damaged" in caplog.text and TEXT not in caplog.text
    cache.put("m", {TEXT: b"data"})
    assert cache.get("m", [TEXT]) == {TEXT: b"data"}


def test_a_changed_entry_is_dropped_with_a_warning(tmp_path, caplog):
    cache = DiskCache(tmp_path)
    cache.put("m", {TEXT: b"data", "other": b"fine"})
    with sqlite3.connect(cache.file) as db:
        for name, sealed in db.execute("SELECT name, sealed FROM entries").fetchall():
            if len(sealed) == 12 + 4 + 16:
                broken = bytes([sealed[0], *sealed[1:-1], sealed[-1] ^ 1])
                db.execute("UPDATE entries SET sealed = ? WHERE name = ?", (broken, name))
    with caplog.at_level(logging.WARNING):
        assert TEXT not in cache.get("m", [TEXT, "other"])
    assert "damaged cache entries" in caplog.text


@pytest.mark.parametrize("seed", range(40))
def test_random_damage_never_returns_wrong_data(tmp_path, seed):
    items = {f"report {i}": f"annotation {i}".encode() * 30 for i in range(60)}
    cache = DiskCache(tmp_path)
    cache.put("m", items)
    with sqlite3.connect(cache.file) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    draw = random.Random(seed)
    data = bytearray(cache.file.read_bytes())
    for _ in range(draw.choice([1, 20, 500])):
        data[draw.randrange(len(data))] = draw.randrange(256)
    if seed % 4 == 0:
        data = data[: draw.randrange(len(data))]
    cache.file.write_bytes(data)
    for text, found in DiskCache(tmp_path).get("m", list(items)).items():
        assert found == items[text]
    DiskCache(tmp_path).put("m", items)
    assert DiskCache(tmp_path).get("m", list(items)) == items


WRITER = """
import sys
from radeval_core.engine.cache import DiskCache
cache, me = DiskCache(sys.argv[1]), sys.argv[2]
for i in range(60):
    cache.put("m", {f"{me} {i}": f"{me} data {i}".encode(), f"shared {i}": f"shared data {i}".encode()})
    assert cache.get("m", [f"shared {i}"]) == {f"shared {i}": f"shared data {i}".encode()}
"""


@pytest.mark.e2e
def test_two_processes_may_write_at_once(tmp_path):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), me]) for me in ("a", "b")]
    assert [w.wait(timeout=120) for w in writers] == [0, 0]
    expected = {f"{me} {i}": f"{me} data {i}".encode() for me in ("a", "b", "shared") for i in range(60)}
    assert DiskCache(tmp_path).get("m", list(expected)) == expected


def test_the_environment_names_the_cache(tmp_path, monkeypatch):
    assert cache_from(None) is None
    monkeypatch.setenv("RADEVAL_CACHE", str(tmp_path / "env"))
    assert cache_from(None).folder == tmp_path / "env"
    assert cache_from(tmp_path / "given").folder == tmp_path / "given"


def test_a_folder_that_cannot_be_created_is_an_input_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot create the cache folder"):
        DiskCache(tmp_path / "file" / "cache")


def test_lone_surrogates_can_be_stored(tmp_path):
    DiskCache(tmp_path).put("m", {"\ud800": b"x"})
    assert DiskCache(tmp_path).get("m", ["\ud800"]) == {"\ud800": b"x"}
    assert os.path.exists(tmp_path / "annotations.sqlite")


class Broken(sqlite3.Connection):
    """A connection whose statements of one kind fail with an error of the disk."""

    error = (sqlite3.SQLITE_IOERR, "disk I/O error")
    fails = ("INSERT", "UPDATE", "SELECT sealed")

    def execute(self, statement, *values):
        self._fail(statement)
        return super().execute(statement, *values)

    def executemany(self, statement, rows):
        self._fail(statement)
        return super().executemany(statement, rows)

    def _fail(self, statement):
        if statement.startswith(self.fails):
            problem = sqlite3.OperationalError(self.error[1])
            problem.sqlite_errorcode = self.error[0]
            raise problem


@pytest.fixture
def disk(monkeypatch):
    """Return the class whose attributes say what fails."""
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k, factory=Broken))
    monkeypatch.setattr(Broken, "error", Broken.error)
    monkeypatch.setattr(Broken, "fails", ())
    return Broken


PROBLEMS = [
    (sqlite3.SQLITE_IOERR, "disk I/O error"),
    (sqlite3.SQLITE_FULL, "database or disk is full"),
    (sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
    (sqlite3.SQLITE_BUSY, "database is locked"),
    (sqlite3.SQLITE_CANTOPEN, "unable to open database file"),
]


@pytest.mark.parametrize("code, message", PROBLEMS, ids=[message for _, message in PROBLEMS])
def test_an_error_of_the_disk_turns_the_cache_off_and_loses_nothing(tmp_path, disk, caplog, code, message):
    DiskCache(tmp_path).put("m", {TEXT: b"paid answer"})
    disk.error, disk.fails = (code, message), ("INSERT", "UPDATE", "SELECT sealed")
    cache = DiskCache(tmp_path)
    for _ in range(3):
        assert cache.get("m", [TEXT]) == {}
        cache.put("m", {"another": b"x"})
    assert [record.getMessage() for record in caplog.records] == [
        f"the cache in {tmp_path} cannot be used ({message}): going on without it"
    ]
    disk.fails = ()
    assert DiskCache(tmp_path).get("m", [TEXT]) == {TEXT: b"paid answer"}
    assert not list(tmp_path.glob("*damaged*"))


def test_a_full_disk_stops_writing_and_not_reading(tmp_path, disk, caplog):
    DiskCache(tmp_path).put("m", {TEXT: b"paid answer"})
    disk.error, disk.fails = (sqlite3.SQLITE_FULL, "database or disk is full"), ("INSERT", "UPDATE")
    cache = DiskCache(tmp_path)
    for _ in range(3):
        assert cache.get("m", [TEXT]) == {TEXT: b"paid answer"}
        cache.put("m", {"another": b"x"})
    assert len(caplog.records) == 1


def test_a_locked_cache_does_not_end_a_run(tmp_path, caplog):
    DiskCache(tmp_path).put("m", {TEXT: b"data"})
    with sqlite3.connect(tmp_path / "annotations.sqlite", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        cache = DiskCache(tmp_path, patience=0.01)
        assert cache.get("m", [TEXT]) == {TEXT: b"data"}
        cache.put("m", {"x": b"y"})
        other.execute("ROLLBACK")
    other.close()
    assert "locked" in caplog.text and len(caplog.records) == 1


def test_a_damaged_file_is_moved_aside_and_never_deleted(tmp_path, caplog):
    for number in (1, 2):
        (tmp_path / "annotations.sqlite").write_bytes(b"no database" * 999)
        DiskCache(tmp_path).put("m", {TEXT: b"data"})
        assert (tmp_path / f"annotations.sqlite.damaged-{number}").read_bytes() == b"no database" * 999
        for path in tmp_path.glob("annotations.sqlite"):
            path.unlink()
    assert "moved to annotations.sqlite.damaged-1" in caplog.text


@pytest.mark.parametrize("mark", [0, 77])
@pytest.mark.parametrize("damaged", [False, True])
def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path, mark, damaged):
    path = tmp_path / "annotations.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA application_id = {mark}")
        db.executescript("CREATE TABLE notes (text); INSERT INTO notes VALUES ('theirs');")
    db.close()
    if damaged:
        path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 4096)
    before = path.read_bytes()
    with pytest.raises(InputError, match="belongs to another program"):
        DiskCache(tmp_path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_cache_of_an_earlier_version_is_kept(tmp_path):
    DiskCache(tmp_path).put("m", {TEXT: b"data"})
    with sqlite3.connect(tmp_path / "annotations.sqlite") as db:
        db.execute("PRAGMA application_id = 0")
    db.close()
    assert DiskCache(tmp_path).get("m", [TEXT]) == {TEXT: b"data"}
    with sqlite3.connect(tmp_path / "annotations.sqlite") as db:
        assert db.execute("PRAGMA application_id").fetchone()[0] != 0
    db.close()


def test_a_clock_that_jumps_keeps_the_order_of_use(tmp_path, monkeypatch):
    cache = DiskCache(tmp_path, limit=2000)
    for i, now in enumerate([10**18, 10**20 // 100, 5, 5, 4, 3]):
        monkeypatch.setattr("time.time_ns", lambda now=now: now)
        cache.put("m", {f"text {i}": bytes(500)})
    assert list(cache.get("m", [f"text {i}" for i in range(6)])) == ["text 3", "text 4", "text 5"]


def test_a_cache_whose_first_writer_was_killed_is_ours(tmp_path):
    """Until the first checkpoint, our table and our mark are only in the log beside the file."""
    code = (
        "import os, sys; from radeval_core.engine import cache\n"
        "closed, cache.closing = [], lambda db: type('Kept', (), {'__enter__': lambda s: closed.append(db) or db, "
        "'__exit__': lambda s, *_: None})()\n"
        "cache.DiskCache(sys.argv[1]).put('m', {'text': b'data'}); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)
    assert b"sealed BLOB" not in (tmp_path / "annotations.sqlite").read_bytes()
    assert DiskCache(tmp_path).get("m", ["text"]) == {"text": b"data"}
