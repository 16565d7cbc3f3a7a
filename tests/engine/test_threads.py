"""The number of threads of a model: the free cores, within what the caller allows, and bit-equal results."""

import subprocess
import sys
import threading

import pytest

PROGRAM = """
import json, sys
import torch
from radeval_core import load
from radeval_core.engine import threads
threads._recent_free_cores = lambda: None
found = []
texts = [f"Small pleural effusion on the left, {i} mm nodule in the right upper lobe." for i in range(40)]
for count in (1, 2, 4):
    torch.set_num_threads(count)
    scores = load(sys.argv[1], progress=False).compute(texts, texts[1:] + texts[:1])["scores"]
    found.append([score.hex() for score in scores])
print(json.dumps(found[0] == found[1] == found[2]))
"""


@pytest.fixture
def threads(monkeypatch):
    import torch

    from radeval_core.engine import threads

    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield threads
    torch.set_num_threads(before)


@pytest.mark.parametrize(("free", "used"), [(1, 1), (3, 3), (4, 4), (64, 4), (None, 4)])
def test_a_batch_uses_the_free_cores_and_no_more_than_allowed(threads, monkeypatch, free, used):
    import torch

    from radeval_core.engine.forward import ForwardLoop

    monkeypatch.setattr(threads, "_recent_free_cores", lambda: free)
    seen = []

    def model(input_ids, attention_mask):
        seen.append(torch.get_num_threads())
        return input_ids

    loop = ForwardLoop(model, lambda texts: [[1, 2] for _ in texts], 0, torch.device("cpu"), 64)
    loop.run(["a", "b"], lambda output, rows: list(output))
    assert seen == [used] and torch.get_num_threads() == 4


def test_the_setting_is_restored_after_an_error(threads, monkeypatch):
    import torch

    monkeypatch.setattr(threads, "_recent_free_cores", lambda: 1)
    with pytest.raises(RuntimeError), threads.free_cores_only():
        raise RuntimeError
    assert torch.get_num_threads() == 4


def test_cores_are_counted_from_what_linux_says(threads, monkeypatch, tmp_path):
    files = {"/proc/loadavg": "3.10 2.00 1.00 6/812 4711"}
    own = tmp_path / "task"
    for number, state in enumerate(("R", "S")):
        (own / str(number)).mkdir(parents=True)
        (own / str(number) / "stat").write_text(f"{number} (python (a) b) {state} 1 1")
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 8)
    real = threads.Path
    monkeypatch.setattr(
        threads,
        "Path",
        lambda path: own if path == "/proc/self/task" else _File(files[path]) if path in files else real,
    )
    assert threads.free_cores() == 3  # 8 cores, 6 runnable threads, one of them ours
    files["/proc/loadavg"] = "30.10 20.00 10.00 60/812 4711"
    assert threads.free_cores() == 1
    files["/proc/loadavg"] = "0.00 0.00 0.00 0/812 4711"
    assert threads.free_cores() == 8
    files["/proc/loadavg"] = "nonsense"
    assert threads.free_cores() is None


class _File:
    def __init__(self, text):
        self.text = text

    def read_text(self, encoding):
        return self.text


def test_a_count_is_used_for_a_second(threads, monkeypatch):
    counts, clock = iter((3, 5)), [100.0]
    monkeypatch.setattr(threads, "_last", (-1.0, None))
    monkeypatch.setattr(threads, "free_cores", lambda: next(counts))
    monkeypatch.setattr(threads.time, "monotonic", lambda: clock[0])
    assert [threads._recent_free_cores(), threads._recent_free_cores()] == [3, 3]
    clock[0] = 101.5
    assert threads._recent_free_cores() == 5


def test_threads_that_run_at_once_leave_the_setting_as_it_was(threads, monkeypatch):
    import torch

    monkeypatch.setattr(threads, "_recent_free_cores", lambda: 1)
    together = threading.Barrier(3)

    def work():
        with threads.free_cores_only():
            together.wait(timeout=20)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert torch.get_num_threads() == 4


@pytest.mark.e2e
def test_the_number_of_threads_changes_no_bit():
    done = subprocess.run([sys.executable, "-c", PROGRAM, "bertscore"], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "true"
