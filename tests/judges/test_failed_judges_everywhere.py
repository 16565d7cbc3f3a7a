"""A judge that answers nothing is exit 1 with the reasons in every command that scores: bench, compare, oracle."""

import json

import pytest

from chat_server import ChatServer, Reply
from radeval_core import cli

REPORTS = [f"Small left effusion of MRS{i}." for i in range(4)]
REASON = "gave no usable answer for any of 4 pairs: 4 × HTTP 400: the server rejected the question"


@pytest.fixture
def dead_judge(monkeypatch):
    with ChatServer(lambda *_: Reply(status=400, raw="{}")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        yield server


@pytest.fixture
def run(capsys):
    def run(*command):
        code = cli.main([str(part) for part in command])
        printed = capsys.readouterr()
        assert "MRS" not in printed.out + printed.err
        return code, printed.out, printed.err

    return run


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def rated(tmp_path):
    rows = [
        {"id": i, "prediction": text, "reference": "Left effusion.", "expert": {"errors": [i, i + 1]}}
        for i, text in enumerate(REPORTS)
    ]
    return write(tmp_path / "rated.jsonl", rows)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_bench_with_a_dead_judge_is_exit_1(run, rated, dead_judge, options):
    judge = ["--metrics", "green,bleu", "--config", "green=http:judge-1"]
    code, out, err = run("bench", "--data", rated, *judge, *options)
    assert code == 1 and REASON in err.splitlines()[-1] and err.splitlines()[-1].startswith("radeval: green: judge-1@")
    assert "bleu" in out  # the other metric was measured, and is shown


def test_bench_on_triads_with_a_dead_judge_is_exit_1(run, tmp_path, dead_judge):
    rows = [{"id": i, "original": text, "synonym": f"{text} Clear.", "opposite": "No."} for i, text in enumerate("ab")]
    data = write(tmp_path / "triads.jsonl", rows)
    code, _, err = run("bench", "--data", data, "--metrics", "green", "--config", "green=http:judge-1")
    assert code == 1 and REASON in err.splitlines()[-1]


def test_bench_says_why_some_pairs_are_unscored(run, rated, monkeypatch):
    good = "[Clinically Significant Errors]:\n(a) False report: 1. Effusion.\n[Matched Findings]:\n1. Lungs.\n"

    def behave(question, nth, body):
        return Reply(status=400, raw="{}") if "MRS2" in question else Reply(good)

    with ChatServer(behave) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        code, out, _ = run("bench", "--data", rated, "--metrics", "green", "--config", "green=http:judge-1")
    assert code == 0
    assert "green: 1 of 4 pairs are unscored by judge-1@" in out and "1 × HTTP 400" in out


def test_bench_of_reports_that_nobody_understands_is_exit_1(run, rated):
    rows = [json.loads(line) for line in rated.read_text().splitlines()]
    write(rated, [{**row, "reference": "Qwx zzyx vrrp."} for row in rows])
    code, _, err = run("bench", "--data", rated, "--metrics", "green,bleu")
    assert code == 1
    assert err.splitlines()[-1] == (
        "radeval: green: none of 4 pairs could be scored: the embedded parser understands nothing in a report of any "
        "of them"
    )


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_oracle_with_a_dead_judge_is_exit_1(run, tmp_path, dead_judge, options):
    test = write(tmp_path / "test.jsonl", [{"id": i, "text": text} for i, text in enumerate(REPORTS[:2])])
    corpus = write(tmp_path / "corpus.jsonl", [{"id": i, "text": f"{text} Clear."} for i, text in enumerate("ab")])
    files = [test, corpus, "--out", tmp_path / "best.jsonl"]
    judge = ["--metric", "green", "--config", "http:judge-1", "--candidates", "2"]
    code, out, err = run("oracle", *files, *judge, *options)
    assert code == 1 and REASON in err.splitlines()[-1]
    if options:
        assert json.loads(out)["unscored_reasons"] == {"HTTP 400: the server rejected the question": 4}


def test_a_comparison_says_why_some_pairs_are_unscored(run, tmp_path, monkeypatch):
    good = "[Clinically Significant Errors]:\n(a) False report: 1. Effusion.\n[Matched Findings]:\n1. Lungs.\n"
    pairs = [{"id": i, "prediction": text, "reference": "Left effusion."} for i, text in enumerate(REPORTS)]
    files = [f"{name}={write(tmp_path / f'{name}.jsonl', pairs)}" for name in ("old", "new")]

    def behave(question, nth, body):
        return Reply(status=400, raw="{}") if "MRS2" in question else Reply(good)

    with ChatServer(behave) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        code, out, _ = run("compare", *files, "--metrics", "green", "--config", "green=http:judge-1")
    assert code == 0
    assert "old: green: 1 of 4 pairs are unscored by judge-1@" in out and "new: green: 1 of 4" in out
