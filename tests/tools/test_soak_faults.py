"""The fault harness: a handful of kills, two writers and faulty disks. The tool itself does 200 kills per task."""

import json
import os
import resource
import subprocess
import sys

import pytest

import file_faults
import soak_faults
from radeval_core import cli


@pytest.mark.e2e
@pytest.mark.parametrize("task", soak_faults.TASKS)
def test_kills_at_random_moments_break_no_promise(task):
    counts = soak_faults.soak(task, kills=4, seed=1)
    assert counts["killed"] == 4


@pytest.mark.e2e
def test_two_writers_break_no_promise():
    assert soak_faults.two_writers(1).total() == len(soak_faults.TASKS)


@pytest.fixture
def folder(tmp_path):
    soak_faults.write_pairs(tmp_path / "pairs.jsonl")
    return tmp_path


FAULTS = ["full:0", "full:5000", "full:12000", "eio:0", "eio:5000", "sync", "rename"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_disk_keeps_the_earlier_output_and_ends_in_one_line(folder, capsys, fault):
    out = folder / "scores.jsonl"
    out.write_text("earlier\n")
    command = ["score", str(folder / "pairs.jsonl"), "--metrics", "rouge", "--out", str(out), "--quiet"]
    with file_faults.injected(fault):
        status = cli.main(command)
    assert status in (1, 2)
    assert out.read_text() == "earlier\n" and not soak_faults.hidden(folder)
    assert capsys.readouterr().err.splitlines()[-1].startswith("radeval: ")


@pytest.mark.parametrize("fault", ["slow:0.0001", "clock", "full:100000000"])
def test_a_slow_disk_and_a_jumping_clock_do_no_harm(folder, capsys, fault):
    rows = []
    for faulty in (fault, "full:100000000"):
        command = ["score", str(folder / "pairs.jsonl"), "--metrics", "rouge", "--cache", str(folder / "cache")]
        with file_faults.injected(faulty):
            assert cli.main([*command, "--out", str(folder / "scores.jsonl"), "--quiet"]) == 0
        rows.append((folder / "scores.jsonl").read_bytes())
    assert rows[0] == rows[1] and rows[0].count(b"\n") == soak_faults.PAIRS


def test_a_broken_promise_is_noticed(folder):
    (folder / "scores.jsonl").write_text(json.dumps({"id": "p0"}) + "\n")
    with pytest.raises(soak_faults.BrokenPromise, match="1 rows for"):
        soak_faults.check_rows(folder)
    soak_faults.build(folder, 0)
    (folder / "built" / "pairs" / "test.parquet").write_bytes(b"half")
    with pytest.raises(soak_faults.BrokenPromise, match="not the file of"):
        soak_faults.check_build(folder)
    cache = soak_faults.DiskCache(folder / "cache")
    cache.put("soak", {"report 1": b"annotation 2"})
    with pytest.raises(soak_faults.BrokenPromise, match="wrong data"):
        soak_faults.check_cache(folder)


def test_an_unknown_fault_is_refused():
    with pytest.raises(SystemExit, match="unknown fault"), file_faults.injected("flood"):
        pass


@pytest.mark.e2e
@pytest.mark.parametrize("size", [0, 2000, 6000])
def test_a_file_size_limit_of_the_system_costs_no_table_and_no_earlier_file(folder, size):
    """RLIMIT_FSIZE stands for a full disk or a quota: the system itself refuses the bytes beyond it."""
    out = folder / "scores.jsonl"
    out.write_text("earlier\n")
    command = [sys.executable, "-m", "radeval_core.cli", "score", str(folder / "pairs.jsonl"), "--metrics", "rouge"]
    run = subprocess.run(
        [*command, "--out", str(out), "--cache", str(folder / "cache")],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY)),
    )
    assert run.returncode in (1, 2) and "Traceback" not in run.stderr and "File too large" in run.stderr
    assert out.read_text() == "earlier\n" and not soak_faults.hidden(folder)
    if size == 6000:  # enough for the check before the work, too little for the rows
        assert run.returncode == 1 and "rouge|config:embedded" in run.stdout


@pytest.mark.e2e
def test_a_full_disk_turns_the_cache_off_and_keeps_its_entries(folder):
    """Quotas and full disks show as `disk I/O error` in SQLite, which was once taken for damage."""
    cache = folder / "cache"
    soak_faults.fill_cache(folder, 0)
    before = (cache / "annotations.sqlite").stat().st_size
    code = (
        "import sys; from radeval_core.engine.cache import DiskCache; c = DiskCache(sys.argv[1]); "
        "c.put('soak', {f'new {i}': bytes(9000) for i in range(99)}); "
        "print(len(c.get('soak', ['report 1', 'new 1'])))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(cache)],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (before // 2, resource.RLIM_INFINITY)),
    )
    assert run.returncode == 0 and run.stdout.strip() == "1"
    assert run.stderr.count("cannot be used") == 1 and os.listdir(cache).count("annotations.sqlite") == 1
    assert soak_faults.check_cache(folder) == "all entries"
