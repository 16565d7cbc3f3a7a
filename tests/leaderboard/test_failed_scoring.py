"""Scoring that fails for no fault of the submission: no result without scores, exit 1, and another try."""

import json

import pytest
from small_benchmark import jsonl, write_benchmark

from chat_server import ChatServer, Reply
from radeval_core.cli import main


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")])
def test_a_scorer_without_memory_says_so_and_can_try_again(small, tmp_path, monkeypatch, capsys, error):
    def fail(*_, **__):
        raise error

    (tmp_path / "mine.jsonl").write_bytes(jsonl())
    options = ["--store", str(tmp_path / "store"), "--benchmark", str(small.folder)]
    assert main(["leaderboard", "submit", str(tmp_path / "mine.jsonl"), *options]) == 0
    with monkeypatch.context() as patched:
        patched.setattr("radeval_core.leaderboard.queue.score_submission", fail)
        assert main(["leaderboard", "score", *options]) == 1
    printed = capsys.readouterr()
    assert "failed: the scorer ran out of memory; a machine with more may score it with --retry-failed" in printed.out
    assert "Traceback" not in printed.err and "1 of 1 submissions could not be scored" in printed.err
    assert main(["leaderboard", "score", *options, "--retry-failed"]) == 0


def test_a_leaderboard_keeps_no_scores_of_a_dead_judge(tmp_path, monkeypatch, capsys):
    def run(*command):
        code = main(["leaderboard", *(str(part) for part in command)])
        return code, *capsys.readouterr()

    benchmark = write_benchmark(tmp_path / "small", metrics={"green": "http:judge-1", "bleu": "embedded"})
    (tmp_path / "mine.jsonl").write_bytes(jsonl())
    options = ["--store", tmp_path / "store", "--benchmark", benchmark.folder]
    assert run("submit", tmp_path / "mine.jsonl", *options)[0] == 0
    good = "[Clinically Significant Errors]:\n(a) False report: 1. Effusion.\n[Matched Findings]:\n1. Lungs.\n"
    with ChatServer(lambda *_: Reply(status=400, raw="{}")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        code, out, err = run("score", *options)
        assert code == 1 and "gave no usable answer for any of 6 pairs: 6 × HTTP 400" in out
        assert "radeval leaderboard score --retry-failed" in err
        assert json.loads(run("show", *options, "--json")[1])["systems"] == []
        server.behave = lambda *_: Reply(good)
        assert run("score", *options, "--retry-failed")[0] == 0
        (system,) = json.loads(run("show", *options, "--json")[1])["systems"]
    assert system["metrics"]["green"]["n"] == 6
