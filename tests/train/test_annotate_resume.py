"""A run of a teacher that is killed continues where it stopped, and loses no pair."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from taught_pairs import WRONG_SIDE, pair, write

from chat_server import ChatServer, Reply
from radeval_core.train.rows import read_training_rows

pytestmark = pytest.mark.e2e
PAIRS, AT_ONCE = 24, 2


def start(server, source, out):
    command = ["train", "annotate", source, "--judge", "green", "--config", "http:teacher", "--splits", "1,0,0"]
    options = ["--option", f"green.concurrency={AT_ONCE}", "--out", str(out)]
    environment = {**os.environ, "OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "key"}
    return subprocess.Popen(
        [sys.executable, "-m", "radeval_core.cli", *command, *options], env=environment, stdout=subprocess.DEVNULL
    )


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_continues(tmp_path, ending):
    source = write(tmp_path / "pairs.jsonl", [pair(n) for n in range(PAIRS)])
    out = tmp_path / "train.jsonl"
    with ChatServer(lambda *_: Reply(WRONG_SIDE, delay=0.05)) as server:
        run = start(server, source, out)
        while len(server.seen) < PAIRS // 2:
            assert run.poll() is None
            time.sleep(0.005)
        run.send_signal(ending)
        assert run.wait(timeout=300) == -ending
        assert not out.exists()
        kept = (tmp_path / "train.jsonl.journal").read_text("utf-8").splitlines()
        assert len(kept) >= PAIRS // 2 - AT_ONCE
        assert all(json.loads(line)["answer"] == WRONG_SIDE for line in kept)
        assert start(server, source, out).wait(timeout=300) == 0
        assert len(server.seen) <= PAIRS + 2 * AT_ONCE
        assert set(server.asked.values()) <= {1, 2}
    rows = read_training_rows(out)
    assert [row.id for row in rows] == [f"p{n}" for n in range(PAIRS)]
    assert {(row.answer, row.teacher) for row in rows} == {(WRONG_SIDE, rows[0].teacher)}
