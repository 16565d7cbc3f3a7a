"""What users see when a judge model fails: an exit code, the reasons with counts, and never the key or a report."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from chat_server import ChatServer, Reply
from radeval_core import api, cli

KEY = "sk-very-secret-0123456789"
PAIRS = [{"prediction": f"Small left effusion of MRS{i}.", "reference": f"No effusion {i}."} for i in range(4)]
GOOD = """[Explanation]:
Nothing.
[Clinically Significant Errors]:
(a) False report of a finding in the candidate: 1. Effusion.
[Clinically Insignificant Errors]:
[Matched Findings]:
1. Lungs.
"""


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    return path


@pytest.fixture
def score(pairs, monkeypatch, capsys):
    def score(server, *options, metric="green"):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        command = ["score", str(pairs), "--metrics", metric, "--config", f"{metric}=http:judge-1"]
        code = cli.main([*command, "--option", f"{metric}.retries=1", *options])
        captured = capsys.readouterr()
        for secret in (KEY, "MRS", "QUOTED"):
            assert secret not in captured.out + captured.err
        return code, captured.out, captured.err

    return score


LIST = '{"choices": [{"message": {"content": [1]}}]}'
BROKEN = {
    "HTTP 500: the server failed": Reply(status=500, raw='{"error": {"message": "QUOTED MRS0"}}'),
    "the server's reply is not JSON": Reply(raw="QUOTED"),
    "the answer is unreadable": Reply("QUOTED gibberish of MRS1"),
    "message.content of the server's reply is a list, not a text": Reply(raw=LIST),
}  # fmt: skip


@pytest.mark.parametrize("metric", ["green", "fineradscore", "radfact"])
@pytest.mark.parametrize("reason", BROKEN)
def test_a_judge_that_scores_nothing_is_exit_1_with_the_reasons(score, reason, metric):
    with ChatServer(lambda *_: BROKEN[reason]) as server:
        code, _, err = score(server, metric=metric)
    address = server.url.removeprefix("http://")
    assert code == 1
    assert f"{metric}: judge-1@{address}/v1 gave no usable answer for any of 4 pairs: " in err.splitlines()[-1]
    assert reason in err.splitlines()[-1]


def test_an_empty_report_needs_no_judge_and_does_not_hide_the_failure(score, pairs):
    pairs.write_text(pairs.read_text() + json.dumps({"prediction": "", "reference": "Clear."}) + "\n")
    with ChatServer(lambda *_: Reply(status=500, raw="{}")) as server:
        code, out, err = score(server, "--json")
    assert code == 1 and "for any of 4 pairs" in err.splitlines()[-1]
    assert json.loads(out)["green"]["n"] == 1


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_comparing_with_a_judge_that_fails_is_exit_1(pairs, monkeypatch, capsys, options):
    with ChatServer(lambda *_: Reply(status=500, raw="{}")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        judge = ["--metrics", "green", "--config", "green=http:judge-1", "--option", "green.retries=1"]
        assert cli.main(["compare", f"a={pairs}", f"b={pairs}", *judge, *options]) == 1
    assert "gave no usable answer for any of 4 pairs" in capsys.readouterr().err.splitlines()[-1]


def test_a_server_that_is_down_is_exit_1(score):
    with ChatServer(lambda *_: Reply()) as server:
        pass
    code, out, err = score(server, "--json")
    assert code == 1 and "cannot connect to the server" in err.splitlines()[-1]
    summary = json.loads(out)["green"]
    assert (summary["score"], summary["n"], summary["unscored"]) == (None, 0, 4)
    assert sum(summary["unscored_reasons"].values()) == 4


def test_when_some_pairs_fail_the_summary_has_the_reasons(score):
    def behave(question, nth, body):
        return Reply(status=400, raw="{}") if "MRS2" in question else Reply(GOOD)

    with ChatServer(behave) as server:
        code, out, _ = score(server)
        assert code == 0
        address = server.url.removeprefix("http://")
        reason = "1 × HTTP 400: the server rejected the question"
        assert f"green: 1 of 4 pairs are unscored by judge-1@{address}/v1: {reason}" in out.splitlines()
        code, out, _ = score(server, "--json")
    assert code == 0
    assert json.loads(out)["green"]["unscored_reasons"] == {"HTTP 400: the server rejected the question": 1}


def test_without_failures_there_are_no_reasons(score):
    with ChatServer(lambda *_: Reply(GOOD)) as server:
        code, out, err = score(server, "--json")
    assert code == 0 and "unscored_reasons" not in json.loads(out)["green"] and not err


def test_compute_returns_the_reasons(monkeypatch):
    with ChatServer(lambda *_: Reply(status=503, raw="{}")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        loaded = api.load("green", "http:judge-1", retries=1, progress=False)
        result = loaded.compute(["Clear."], ["Effusion."])
    assert result["unscored_reasons"] == {"HTTP 503: the server is busy": 1}


def test_two_servers_on_one_host_share_neither_answers_nor_signature(score, tmp_path):
    signatures = []
    for text in (GOOD, GOOD.replace(": 1. Effusion.", ": 0.")):
        with ChatServer(lambda *_, text=text: Reply(text)) as server:
            _, out, _ = score(server, "--json", "--cache", str(tmp_path / "cache"))
            assert len(server.seen) == 4
        signatures.append(json.loads(out)["green"]["signature"])
    assert len(set(signatures)) == 2


def test_the_signature_is_the_same_from_the_cache(score, tmp_path):
    def behave(question, nth, body):
        refused = Reply(status=400, raw='{"error": {"message": "Unsupported parameter: temperature"}}')
        return refused if "temperature" in body else Reply(GOOD)

    with ChatServer(behave) as server:
        fresh, kept = (json.loads(score(server, "--json", "--cache", str(tmp_path / "c"))[1]) for _ in range(2))
    assert fresh == kept and "|decoding:default|" in fresh["green"]["signature"]


@pytest.mark.parametrize("metric", ["green", "fineradscore", "radfact"])
@pytest.mark.parametrize("option", ["timeout", "retries", "deadline"])
def test_every_judged_metric_has_the_options_of_a_hung_server(metric, option, capsys):
    assert cli.main(["metrics", metric]) == 0
    assert f"{option} " in capsys.readouterr().out


def _entries(cache):
    """Return the number of entries in a cache that another process writes; 0 until it has made its table."""
    file = cache / "annotations.sqlite"
    if not file.is_file():
        return 0
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute("SELECT count(*) FROM entries").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


@pytest.mark.e2e
def test_an_interrupted_run_is_exit_130_and_keeps_its_answers(pairs, tmp_path):
    def behave(question, nth, body):
        return Reply(GOOD, delay=0 if "MRS0" in question else 20)

    command = [sys.executable, "-m", "radeval_core.cli", "score", str(pairs), "--metrics", "green", "--config",
               "green=http:judge-1", "--cache", str(tmp_path / "cache")]  # fmt: skip
    with ChatServer(behave) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": f"{server.url}/v1"}
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        while (len(server.seen) < 2 or not _entries(tmp_path / "cache")) and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=15)
        assert process.returncode == 130 and err.splitlines()[-1] == "radeval: interrupted"
        server.behave, before = lambda *_: Reply(GOOD), len(server.seen)
        assert subprocess.run(command, env=environment, capture_output=True, timeout=60).returncode == 0
        assert len(server.seen) - before == 3  # the first answer was kept
