"""`radeval score --details`: the structures behind each score, one row per pair, streamed, all or nothing."""

import json
import os

import pytest

from radeval_core import cli, runner, score
from radeval_core.io import jsonl_writer
from radeval_core.metrics.rouge import RougeScorer

ROWS = [{"id": f"s{i}", "prediction": f"Effusion {i}.", "reference": f"No effusion {i}."} for i in range(5)]
ROWS.append({"id": "empty", "prediction": "", "reference": ""})
METRICS = ["bleu", "rouge", "green", "chexbert_f1", "fineradscore", "ratescore", "radgraph_f1", "ffl_rq"]


@pytest.fixture(autouse=True)
def two_pairs_per_chunk(monkeypatch):
    monkeypatch.setattr(runner, "CHUNK_PAIRS", 2)


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return str(path)


def test_one_row_per_pair_in_the_order_of_the_input(pairs, tmp_path, capsys):
    out = tmp_path / "d.jsonl"
    assert cli.main(["score", pairs, "--metrics", ",".join(METRICS), "--details", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [row["id"] for row in ROWS]
    assert all(list(row) == ["id", "details"] and list(row["details"]) == METRICS for row in rows)
    kept = score(ROWS, METRICS, detailed=True).results
    for name in METRICS:
        expected = json.loads(json.dumps(kept[name].details))
        assert [row["details"][name] for row in rows] == expected
    assert f"details of 6 pairs written to {out}" in capsys.readouterr().out


def test_details_do_not_change_scores(pairs, tmp_path, capsys):
    arguments = ["score", pairs, "--metrics", "rouge,green", "--json"]
    assert cli.main(arguments) == 0
    plain = capsys.readouterr().out
    assert cli.main([*arguments, "--details", str(tmp_path / "d.jsonl")]) == 0
    assert capsys.readouterr().out == plain


def test_details_are_passed_on_chunk_by_chunk_and_not_kept(monkeypatch):
    got, scored = [], []
    original = RougeScorer.score

    def counting(self, chunk, detailed):
        scored.append(len(got))
        return original(self, chunk, detailed)

    monkeypatch.setattr(RougeScorer, "score", counting)
    result = score(ROWS, ["rouge"], on_details=got.append)
    assert scored == [0, 2, 4], "rows written before each chunk is scored"
    assert len(got) == 6 and result.results["rouge"].details is None


def test_a_run_that_fails_leaves_the_old_file(pairs, tmp_path, capsys, monkeypatch):
    original, calls = RougeScorer.score, []

    def interrupted(self, chunk, detailed):
        calls.append(chunk)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(self, chunk, detailed)

    monkeypatch.setattr(RougeScorer, "score", interrupted)
    out = tmp_path / "d.jsonl"
    out.write_text("old")
    assert cli.main(["score", pairs, "--metrics", "rouge", "--details", str(out)]) == 130
    assert out.read_text() == "old" and sorted(os.listdir(tmp_path)) == ["d.jsonl", "pairs.jsonl"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--details", "d.csv"], "--details d.csv: the name must end in .jsonl"),
        (["--details", "o.jsonl", "--out", "./o.jsonl"], "--out and --details are the same file: o.jsonl"),
    ],
)
def test_wrong_names(pairs, arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["score", pairs, "--metrics", "rouge", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_numbers_that_json_does_not_have_are_null(tmp_path):
    with jsonl_writer(tmp_path / "o.jsonl") as write_row:
        write_row({"id": 1, "details": {"x": [float("nan"), (1.5, float("inf"))]}})
    assert json.loads((tmp_path / "o.jsonl").read_text()) == {"id": 1, "details": {"x": [None, [1.5, None]]}}
