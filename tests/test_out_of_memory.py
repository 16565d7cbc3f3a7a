"""No memory left, in the command, in a model's loader, in one process of several, in a scorer: one line, exit 1."""

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading

import pytest

from chat_server import ChatServer, Reply
from radeval_core import cli
from radeval_core.errors import CheckpointError, RadevalError, is_out_of_memory

ERRORS = [
    MemoryError(),
    RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: tried 8 bytes"),
    RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
]


@pytest.fixture
def pairs(tmp_path):
    rows = [{"id": i, "prediction": f"Effusion of MRS{i}.", "reference": f"No effusion {i}."} for i in range(4)]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def outputs(folder):
    """Write earlier outputs; return the options that name them, and a function that checks that they are untouched."""
    names = {"--out": "scores.jsonl", "--details": "details.jsonl"}
    for name in names.values():
        (folder / name).write_text("earlier\n")
    before = sorted(path.name for path in folder.iterdir())

    def check(killed=False):
        assert {(folder / name).read_text() for name in names.values()} == {"earlier\n"}
        left = sorted(path.name for path in folder.iterdir() if not (killed and path.suffix == ".part"))
        assert left == before  # no part is left either, except that of a killed process: the next run deletes it

    return [text for option, name in names.items() for text in (option, str(folder / name))], check


@pytest.mark.parametrize("error", ERRORS, ids=["python", "torch", "cuda"])
def test_a_command_without_memory_is_one_line_and_exit_1(pairs, tmp_path, monkeypatch, capsys, error):
    def run(*_, **__):
        raise error

    monkeypatch.setattr("radeval_core.api.run", run)
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("RANK", "2")
    options, check = outputs(tmp_path)
    assert cli.main(["score", str(pairs), "--metrics", "bleu", *options]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"radeval: out of memory in process {os.getpid()} (3 of 4): no output was changed.")
    assert "--batch-tokens" in line and "--cache" in line
    check()


def test_another_runtime_error_is_not_taken_for_it(pairs, monkeypatch):
    def run(*_, **__):
        raise RuntimeError("a defect")

    monkeypatch.setattr("radeval_core.api.run", run)
    with pytest.raises(RuntimeError, match="a defect"):
        cli.main(["score", str(pairs), "--metrics", "bleu"])
    assert not is_out_of_memory(ValueError("out of memory"))


@pytest.mark.parametrize("error", ERRORS[:2], ids=["python", "torch"])
def test_a_model_that_does_not_fit_is_not_a_damaged_checkpoint(error):
    from radeval_core.engine.checkpoints import loading

    said = r"out of memory in process \d+ while \./model was loaded: "
    with pytest.raises(RadevalError, match=said) as raised, loading("./model"):
        raise error
    assert not isinstance(raised.value, CheckpointError)  # exit 1, not 2: the input is not wrong


@pytest.mark.e2e
def test_a_real_limit_on_memory(tmp_path):
    """Score reports of 10 MB with room for 60 MB more than the command has at its start."""
    (tmp_path / "run.py").write_text(
        textwrap.dedent(
            """
            import resource, sys
            from radeval_core import cli
            from radeval_core.metrics import bleu
            pages = int(open("/proc/self/statm").read().split()[0])
            limit = pages * resource.getpagesize() + 60_000_000
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            sys.exit(cli.main(sys.argv[1:]))
            """
        )
    )
    folder = tmp_path / "work"
    folder.mkdir()
    text = "There is a small left pleural effusion of 3 mm. " * 200_000
    (folder / "pairs.jsonl").write_text(json.dumps({"id": "a", "prediction": text, "reference": text}) + "\n")
    options, check = outputs(folder)
    command = [sys.executable, tmp_path / "run.py", "score", folder / "pairs.jsonl", "--metrics", "bleu", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "out of memory in process" in line and "effusion" not in line
    check()


GOOD = "[Clinically Significant Errors]:\n(a) False report: 1. Effusion.\n[Matched Findings]:\n1. Lungs.\n"


@pytest.mark.e2e
def test_a_process_of_a_run_that_is_killed_ends_the_others(pairs, tmp_path):
    """SIGKILL is what the system sends when memory runs out. The judge of process 2 is asked about pairs 1 and 3."""
    options, check = outputs(tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    hung = threading.Event()

    def behave(question, *_):
        if "MRS1" not in question:
            return Reply(GOOD)
        hung.set()
        return Reply(GOOD, delay=5)

    with ChatServer(behave) as server:
        environment = os.environ | {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                                    "CUDA_VISIBLE_DEVICES": "", "OPENAI_BASE_URL": f"{server.url}/v1"}  # fmt: skip
        command = [sys.executable, "-m", "radeval_core.cli", "score", str(pairs), "--metrics", "green", "--config",
                   "green=http:judge-1", *options]  # fmt: skip
        first, second = (
            subprocess.Popen(
                command,
                env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
            )
            for rank in (0, 1)
        )
        assert hung.wait(60)
        second.send_signal(signal.SIGKILL)
        second.communicate(timeout=30)
        _, err = first.communicate(timeout=60)
    assert first.returncode == 1
    lost = f"radeval: process {first.pid} (1 of 2) lost process {second.pid} (2 of 2): it failed or was killed"
    assert lost in err.splitlines()[-1]
    assert "Traceback" not in err and "MRS" not in err
    check(killed=True)
