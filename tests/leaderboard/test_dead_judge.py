"""A judge that answers nothing while a leaderboard is scored: no result without scores, exit 1, and another try."""

import json

from chat_server import ChatServer, Reply
from small_benchmark import jsonl, write_benchmark

from radeval_core.cli import main


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
