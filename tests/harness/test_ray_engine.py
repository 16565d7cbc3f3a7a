"""`radeval score --engine ray` on a real local cluster: the result of one process, also after a worker was killed."""

import json
import os
import signal
import threading
import time

import pytest

from radeval_core import cli

pytestmark = pytest.mark.harness


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    from bench_memory import write_pairs

    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    write_pairs(path, 6000)
    return path


@pytest.fixture(scope="module")
def alone(pairs):
    out = pairs.with_name("alone.jsonl")
    return score(pairs, out), out


def score(path, out, *more, metrics="bleu,green,cider"):
    """Return the summary that the command prints."""
    import contextlib
    import io

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert cli.main(["score", str(path), "--metrics", metrics, "--json", "--out", str(out), *more]) == 0
    return json.loads(printed.getvalue())


ON_RAY = ("--engine", "ray", "--workers", "2")


def workers():
    """Yield the processes that score."""
    import psutil

    for process in psutil.process_iter(["cmdline"]):
        title = " ".join(process.info["cmdline"] or ())
        if title.startswith("ray::") and "ScoringActor" in title and "__init__" not in title:
            yield process


def test_a_killed_worker_is_replaced_and_nothing_is_lost_or_done_twice(pairs, alone, tmp_path):
    out, killed = tmp_path / "scores.jsonl", []

    def kill():
        for _ in range(2400):
            found = list(workers()) if list(tmp_path.glob("*.parts/part-*.trying")) else []
            if found:
                found[0].send_signal(signal.SIGKILL)
                killed.append(found[0].pid)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    summary = score(pairs, out, *ON_RAY, "--keep-parts")
    thread.join()
    assert killed
    assert summary == alone[0]
    assert out.read_bytes() == alone[1].read_bytes()
    parts = sorted(path.name for path in tmp_path.glob("*.parts/*"))
    assert parts == ["manifest.json", *(f"part-{i:07d}.parquet" for i in range(len(parts) - 1))]

    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.parts/part-*")}
    missing = sorted(before)[1]
    missing.unlink()  # as after a run that was stopped
    assert score(pairs, out, *ON_RAY, "--keep-parts") == alone[0]
    again = {path for path in before if path.stat().st_mtime_ns != before[path]}
    assert again == {missing}


def test_what_ray_logs_and_keeps_contains_no_report(tmp_path, monkeypatch):
    """Neither in its session folder nor in what it prints; the folder of the parts is gone at the end."""
    from pathlib import Path

    path = tmp_path / "pairs.jsonl"
    row = {"prediction": "Xylophone effusion.", "reference": "No xylophone effusion."}
    path.write_text("".join(json.dumps({"id": i, **row}) + "\n" for i in range(50)))
    started = time.time()
    score(path, tmp_path / "scores.jsonl", *ON_RAY, metrics="bleu,cider")
    assert not (tmp_path / "scores.jsonl.parts").exists()
    sessions = [folder for folder in Path("/tmp/ray").glob("session_*_*") if folder.stat().st_mtime >= started - 60]
    assert sessions
    files = [file for folder in sessions for file in folder.rglob("*") if file.is_file()]
    assert files and not any("xylophone" in file.read_bytes().decode("utf-8", "replace").lower() for file in files)


def test_errors_of_the_input_are_one_line(tmp_path, capsys):
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "a.jsonl").write_text('{"prediction": "Edema.", "reference": "Edema."}\n')
    (tmp_path / "pairs" / "b.csv").write_text("prediction,text\nEdema.,Edema.\n")
    command = ["score", str(tmp_path / "pairs"), "--metrics", "bleu", "--out", str(tmp_path / "o.csv"), *ON_RAY]
    assert cli.main(command) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"radeval: {tmp_path}/pairs/b.csv: line 1: column 'reference' is missing")
    assert not (tmp_path / "o.csv").exists()


def test_a_cluster_that_is_not_there_is_one_line(pairs, tmp_path, capsys):
    command = ["score", str(pairs), "--metrics", "bleu", "--out", str(tmp_path / "o.csv"), *ON_RAY]
    assert cli.main([*command, "--ray-address", "127.0.0.1:9"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("radeval: cannot reach the Ray cluster at 127.0.0.1:9") and "--ray-address" in line
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert not list(tmp_path.iterdir())
