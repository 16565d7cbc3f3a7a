"""A file is replaced in one step, keeps its mode and its links, and leaves nothing behind."""

import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from radeval_core.errors import OutputError
from radeval_core.io import atomic, write_atomically, write_jsonl, write_text
from radeval_core.io.atomic import part_folder, parts_removed_on_signals, probe, replacing


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664])
def test_a_file_keeps_its_mode(tmp_path, bits):
    path = tmp_path / "o.txt"
    path.write_text("old")
    path.chmod(bits)
    write_text(path, "new")
    assert path.read_text() == "new" and mode(path) == bits


def test_a_new_file_that_quotes_reports_is_private(tmp_path):
    write_jsonl(tmp_path / "o.jsonl", [{"text": "Nodule."}])
    write_text(tmp_path / "o.html", "Nodule.", private=True)
    assert mode(tmp_path / "o.jsonl") == mode(tmp_path / "o.html") == 0o600


def test_a_link_stays_and_its_target_gets_the_content(tmp_path):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to("deep/target.txt")
    write_text(link, "new")
    assert link.is_symlink() and target.read_text() == "new"
    (tmp_path / "dangling.txt").symlink_to("deep/later.txt")
    write_text(tmp_path / "dangling.txt", "first")
    assert (tmp_path / "deep" / "later.txt").read_text() == "first"


def test_the_file_is_synced_before_its_name_and_the_folder_after(tmp_path, monkeypatch):
    steps = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(
        os, "fsync", lambda handle: steps.append("folder" if _is_folder(handle) else "file") or sync(handle)
    )
    monkeypatch.setattr(os, "replace", lambda a, b: steps.append("rename") or replace(a, b))
    write_text(tmp_path / "o.txt", "x")
    assert steps == ["file", "rename", "folder"]


def _is_folder(handle):
    return stat.S_ISDIR(os.fstat(handle).st_mode)


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failed_step_leaves_the_old_content_and_no_part(tmp_path, monkeypatch, step):
    path = tmp_path / "o.txt"
    path.write_text("old")

    def fail(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OutputError, match=r"cannot write .*o\.txt: Input/output error"):
        write_text(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_errors_of_the_block_are_not_taken_for_errors_of_writing(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "o.txt"):
        raise FileNotFoundError("a checkpoint")
    assert list(tmp_path.iterdir()) == []


def test_a_vanished_folder_is_one_line(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()

    def write(part):
        part.unlink()
        folder.rmdir()

    with pytest.raises(OutputError, match="No such file"):
        write_atomically(folder / "o.txt", write)


def test_a_long_name_can_be_written(tmp_path):
    path = tmp_path / ("é" * 120 + ".txt")
    write_text(path, "x")
    assert path.read_text() == "x"


def test_half_a_character_does_not_end_a_run(tmp_path):
    write_text(tmp_path / "o.html", "a\ud800b")
    assert (tmp_path / "o.html").read_bytes() == b"a\\ud800b"


def test_parts_of_dead_processes_are_swept_and_those_of_living_ones_stay(tmp_path):
    target = tmp_path / "o[1].txt"
    stale = tmp_path / ".o[1].txt.abcdefgh.radeval.part"
    stale.write_text("words of a report")
    (tmp_path / ".o[1].txt.foldered.radeval.part").mkdir()
    foreign = tmp_path / ".o[1].txt.abcdefgh.part"
    foreign.write_text("another program's")
    with replacing(target) as part:
        assert not stale.exists()
        assert subprocess.run([sys.executable, "-c", _PROBE, str(target)], timeout=60).returncode == 0
        assert part.exists()
        part.write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [foreign.name, target.name]


_PROBE = "import sys, pathlib; from radeval_core.io.atomic import probe; probe(pathlib.Path(sys.argv[1]))"


def test_a_probe_leaves_nothing(tmp_path):
    probe(tmp_path / "o.txt")
    with part_folder(tmp_path / "built") as folder:
        (folder / "x").write_text("y")
        assert mode(folder) == 0o700
    assert list(tmp_path.iterdir()) == []


_WRITER = """
import pathlib, sys, time
from radeval_core.io.atomic import parts_removed_on_signals, part_folder, replacing
with parts_removed_on_signals(), replacing(pathlib.Path(sys.argv[1])) as part, part_folder(pathlib.Path(sys.argv[2])):
    part.write_text("words of a report")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_leave_no_part(tmp_path, number):
    command = [sys.executable, "-c", _WRITER, str(tmp_path / "o.txt"), str(tmp_path / "built")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout.readline() == b"ready\n"
    assert len(list(tmp_path.iterdir())) == 2
    process.send_signal(number)
    assert process.wait(timeout=60) == -number
    process.stdout.close()
    assert list(tmp_path.iterdir()) == []


def test_a_forked_worker_that_is_ended_leaves_the_parts_of_its_parent(tmp_path):
    with parts_removed_on_signals(), replacing(tmp_path / "o.txt") as part:
        ready, say = os.pipe()
        child = os.fork()
        if not child:
            os.write(say, b"1")  # Python drops signals that come while it forks
            time.sleep(60)
            os._exit(0)
        os.read(ready, 1)
        os.kill(child, signal.SIGTERM)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGTERM
        assert part.exists()


def test_an_ignored_signal_stays_ignored(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with parts_removed_on_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_part_that_another_process_swept_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    made = []
    mkstemp = atomic.tempfile.mkstemp

    def swept(**options):
        handle, name = mkstemp(**options)
        made.append(name)
        if len(made) < 3:
            os.unlink(name)
        return handle, name

    monkeypatch.setattr(atomic.tempfile, "mkstemp", swept)
    write_text(tmp_path / "o.txt", "x")
    assert (tmp_path / "o.txt").read_text() == "x" and len(made) == 3 and not atomic._open_parts
