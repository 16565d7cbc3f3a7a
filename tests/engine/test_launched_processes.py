"""Processes of one run share the work of encoders, and say so if one of them is lost: for real, with two processes."""

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap

import pytest

from radeval_core.engine.processes import (
    check_same_work,
    has_ended,
    is_first_process,
    running_processes,
    sharing_work,
    work_digest,
)
from radeval_core.errors import RadevalError

ENVIRONMENT = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}


def test_a_single_process_does_not_share(monkeypatch):
    for count in (None, "1"):
        monkeypatch.delenv("WORLD_SIZE", raising=False)
        if count:
            monkeypatch.setenv("WORLD_SIZE", count)
        with sharing_work():
            assert running_processes() is None
        assert is_first_process()


def test_launched_processes_share_only_if_asked(monkeypatch):
    """A reward function in a training run scores other reports in every process."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert running_processes() is None
    assert not is_first_process()


def test_processes_must_do_the_same_work():
    check_same_work([work_digest([[1, 2]]), work_digest([[1, 2]])])
    with pytest.raises(RadevalError, match="the 2 processes of this run have different reports"):
        check_same_work([work_digest([[1, 2]]), work_digest([[1, 3]])])


def test_an_ended_process_is_told_from_a_running_one():
    child = subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE)
    child.stdout.read()  # ends with the process, whose exit code nobody has asked for
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert has_ended(child.pid)
    child.wait()
    assert has_ended(child.pid) and not has_ended(os.getpid())


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    from make_tiny_checkpoints import EXAMPLES, MAKERS, read_texts

    folder = tmp_path_factory.mktemp("checkpoints")
    for kind in ("chexbert", "radgraph", "ratescore"):
        MAKERS[kind](folder / kind, read_texts(EXAMPLES), "tiny", 0)
    return folder


def command(root, checkpoints, out, *more):
    configs = {"chexbert_f1": "chexbert", "radgraph_f1": "radgraph", "ratescore": "ratescore"}
    chosen = [text for name, kind in configs.items() for text in ("--config", f"{name}={checkpoints / kind}")]
    named = ["--metrics", ",".join((*configs, "bertscore")), "--out", str(out), *chosen, *more]
    pairs = str(root / "examples" / "pairs.jsonl")
    return ["-m", "radeval_core.cli", "score", pairs, "--device", "cpu", "--json", "--batch-tokens", "256", *named]


@pytest.mark.e2e
def test_two_processes_give_the_scores_of_one_bit_for_bit(root, checkpoints, tmp_path):
    """The batches are planned before they are shared, so each is computed as one process computes it."""
    environment = os.environ | ENVIRONMENT
    alone = subprocess.run(
        [sys.executable, *command(root, checkpoints, tmp_path / "alone.jsonl")],
        env=environment, capture_output=True, text=True, timeout=240, check=True,
    )  # fmt: skip
    # the same command as `accelerate launch` runs for several processes; this way a CPU needs no MPI
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    cached = ["--cache", str(tmp_path / "cache")]
    for run in ("first", "again"):  # the second run reads the cache
        out = tmp_path / f"{run}.jsonl"
        both = subprocess.run(
            [*launch, *command(root, checkpoints, out, *cached)], env=environment, capture_output=True, text=True,
            timeout=240,
        )  # fmt: skip
        assert both.returncode == 0, both.stderr
        (line,) = both.stdout.splitlines()  # one process prints
        assert json.loads(line) == json.loads(alone.stdout)
        assert out.read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


@pytest.mark.e2e
def test_a_killed_process_is_an_error_that_names_it(root, checkpoints, tmp_path):
    """SIGKILL is what the system sends when memory runs out: here in the third batch of the second process."""
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, signal, sys
            from radeval_core import cli
            from radeval_core.engine.forward import ForwardLoop
            run_batch, calls = ForwardLoop.run_batch, []

            def killed(self, rows, collect):
                calls.append(rows)
                if os.environ["RANK"] == "1" and len(calls) == 3:
                    os.kill(os.getpid(), signal.SIGKILL)
                return run_batch(self, rows, collect)

            ForwardLoop.run_batch = killed
            sys.exit(cli.main(sys.argv[1:]))
            """
        )
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    out = tmp_path / "out.jsonl"
    first, second = (
        subprocess.Popen(
            [sys.executable, script, *command(root, checkpoints, out)[2:]],
            env={**os.environ, **ENVIRONMENT, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for rank in (0, 1)
    )  # fmt: skip
    printed, err = first.communicate(timeout=120)
    second.communicate(timeout=30)
    assert second.returncode == -signal.SIGKILL
    assert first.returncode == 1 and not printed and not out.exists()
    lost = f"radeval: process {first.pid} (1 of 2) lost process {second.pid} (2 of 2): it failed or was killed"
    assert lost in err.splitlines()[-1]
