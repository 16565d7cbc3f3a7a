"""`radeval serve` as a process: wrong options, one port for two, tokens, and stopping without losing an answer."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from service_client import PAIRS

from radeval_core import api
from radeval_core.cli import main
from radeval_core.client import RemoteError, RemoteMetric

TOKEN = "a-token-of-some-length"
#: a service whose metric waits until a file exists, so that a request is under way for as long as a test needs
SLOW = """
import sys, time
from pathlib import Path
from radeval_core.cli import main
from radeval_core.metrics import rouge
score = rouge.SCORER.score
def slow(self, pairs, detailed):
    Path(sys.argv[1], "begun").touch()
    while not Path(sys.argv[1], "go").exists():
        time.sleep(0.02)
    return score(self, pairs, detailed)
rouge.SCORER.score = slow
sys.exit(main(["serve", "--metrics", "rouge", "--port", "0", "--json"]))
"""


class Served:
    """A server process."""

    def __init__(self, *command, **environment):
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        )
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.url = json.loads(line)["url"]

    def end(self):
        """Send SIGTERM and return the exit code and what was logged."""
        self.process.send_signal(signal.SIGTERM)
        _, logged = self.process.communicate(timeout=60)
        return self.process.returncode, logged

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def serve(*options, **environment):
    return Served("-m", "radeval_core.cli", "serve", "--port", "0", "--json", *options, **environment)


def lists():
    return [row["prediction"] for row in PAIRS], [row["reference"] for row in PAIRS]


def wait_for(file):
    while not file.exists():
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics", "rogue"], "did you mean 'rouge'"),
        (["--metrics", "rouge", "--config", "green=embedded"], "not among the metrics"),
        (["--metrics", "rouge", "--config", "rouge"], "expected --config METRIC=CONFIG"),
        (["--metrics", "bertscore", "--config", "bertscore=./nowhere"], "unknown config of bertscore"),
        (["--metrics", "rouge", "--option", "rouge.stem=1"], "did you mean 'stemmer'"),
        (["--metrics", "rouge", "--option", "rouge.stemmer=perhaps"], "must be true or false"),
        (["--metrics", "rouge", "--lexicon", "nowhere.yaml"], "nowhere.yaml"),
        (["--port", "70000"], "between 0 and 65535"),
        (["--host", "0.0.0.0"], "set RADEVAL_SERVE_TOKEN, or say --no-token"),
        (["--host", "::"], "set RADEVAL_SERVE_TOKEN, or say --no-token"),
        (["--host", "no.such.host.example", "--no-token", "--metrics", "rouge"], "cannot listen on"),
        (["--max-pairs", "0"], "pairs must be at least 1"),
        (["--max-pairs", "9000"], "8000 waiting pairs are fewer than the 9000 pairs"),
        (["--max-waiting", "10"], "10 waiting pairs are fewer"),
        (["--batch-pairs", "-1"], "batch pairs must be at least 1"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_2(arguments, message, capsys, monkeypatch):
    monkeypatch.delenv("RADEVAL_SERVE_TOKEN", raising=False)
    assert main(["serve", "--port", "0", *arguments]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and message in said[0]


@pytest.mark.parametrize("token", ["short", "with a space in it", "ü" * 20])
def test_a_weak_token_is_refused(token, capsys, monkeypatch):
    monkeypatch.setenv("RADEVAL_SERVE_TOKEN", token)
    assert main(["serve", "--metrics", "rouge"]) == 2
    said = capsys.readouterr().err
    assert "at least 16" in said and token not in said


def test_a_port_in_use_is_one_line_and_exit_2(capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["serve", "--metrics", "rouge", "--port", str(port)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert said == [f"radeval: port {port} of 127.0.0.1 is in use: choose another one with --port"]


@pytest.mark.e2e
def test_a_served_metric_with_a_token():
    with serve("--metrics", "rouge,green", RADEVAL_SERVE_TOKEN=TOKEN) as server:
        got = RemoteMetric(server.url, "green", token=TOKEN).compute(*lists())
        assert got == api.load("green", progress=False).compute(*lists())
        with pytest.raises(RemoteError, match="the token is wrong"):
            RemoteMetric(server.url, "green", token=TOKEN + "x").compute(*lists())
        with pytest.raises(RemoteError, match="no scoring server at"):
            RemoteMetric(server.url.replace("127.0.0.1", "127.0.0.2"), "green", token=TOKEN).compute(*lists())
        code, logged = server.end()
    assert code == 0
    assert "POST /v1/score 200" in logged and "POST /v1/score 401" in logged
    assert "effusion" not in logged and TOKEN not in logged and "Traceback" not in logged


@pytest.mark.e2e
def test_many_threads_and_a_stop_in_the_middle_lose_nothing(tmp_path):
    """Every call ends with the right numbers or with an error that says what to do; the server ends with 0."""
    expected = api.load("rouge", progress=False).compute(*lists())
    stop = threading.Event()

    def ask(_):
        found = []
        metric = RemoteMetric(server.url, "rouge", patience=0)
        while not stop.is_set():
            try:
                found.append(metric.compute(*lists()))
            except RemoteError as error:
                return found, str(error)
        return found, ""

    with serve("--metrics", "rouge") as server, ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, i) for i in range(8)]
        RemoteMetric(server.url, "rouge").compute(*lists())
        code, logged = server.end()
        stop.set()
        answers = [future.result() for future in asked]
    assert code == 0 and "Traceback" not in logged
    assert all(result == expected for found, _ in answers for result in found)
    assert all(not why or "radeval serve" in why or "503" in why for _, why in answers)


@pytest.mark.e2e
def test_a_stop_answers_what_was_taken_and_refuses_the_rest(tmp_path):
    import httpx2

    with Served("-c", SLOW, str(tmp_path)) as server, ThreadPoolExecutor(1) as pool:
        taken = pool.submit(RemoteMetric(server.url, "rouge").compute, *lists())
        wait_for(tmp_path / "begun")
        server.process.send_signal(signal.SIGTERM)
        while httpx2.get(f"{server.url}/healthz").status_code != 503:  # until the signal has arrived
            time.sleep(0.02)
        with pytest.raises(RemoteError, match="HTTP 503: the server is stopping"):
            RemoteMetric(server.url, "rouge", patience=0).compute(*lists())
        assert not taken.done()
        (tmp_path / "go").touch()
        assert taken.result(30)["rouge"] == api.load("rouge", progress=False).compute(*lists())["rouge"]
        server.process.communicate(timeout=60)
        assert server.process.returncode == 0


@pytest.mark.e2e
def test_a_second_signal_ends_at_once(tmp_path):
    with Served("-c", SLOW, str(tmp_path)) as server, ThreadPoolExecutor(1) as pool:
        taken = pool.submit(RemoteMetric(server.url, "rouge").compute, *lists())
        wait_for(tmp_path / "begun")
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        server.process.communicate(timeout=60)
        assert server.process.returncode == 1
        with pytest.raises(RemoteError, match="nothing was scored"):
            taken.result(30)


@pytest.mark.e2e
def test_a_server_that_is_killed_is_seen_by_its_client(tmp_path):
    with Served("-c", SLOW, str(tmp_path)) as server, ThreadPoolExecutor(1) as pool:
        taken = pool.submit(RemoteMetric(server.url, "rouge").compute, *lists())
        wait_for(tmp_path / "begun")
        server.process.kill()
        with pytest.raises(RemoteError, match=r"went away before it answered .*; nothing was scored: start it again"):
            taken.result(30)


@pytest.mark.e2e
def test_a_client_that_leaves_frees_its_place(tmp_path):
    """The job that waits behind is dropped; the one under way ends, and the next client is served."""
    import httpx2

    body = {"pairs": PAIRS, "metrics": ["rouge"]}
    with Served("-c", SLOW, str(tmp_path)) as server, ThreadPoolExecutor(1) as pool:
        taken = pool.submit(RemoteMetric(server.url, "rouge").compute, *lists())
        wait_for(tmp_path / "begun")
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(f"{server.url}/v1/score", json=body, timeout=0.5)
        (tmp_path / "go").touch()
        assert taken.result(30)
        assert RemoteMetric(server.url, "rouge").compute(*lists())
        counts = httpx2.get(f"{server.url}/metrics").text
        assert 'radeval_pairs_total{metric="rouge"} 8.0' in counts
        assert server.end()[0] == 0


@pytest.mark.e2e
def test_help_and_import_need_no_server_packages():
    """`radeval --help` stays fast."""
    code = "import sys, radeval_core.cli.serve, radeval_core.client; print({'fastapi', 'uvicorn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "set()", done.stderr
