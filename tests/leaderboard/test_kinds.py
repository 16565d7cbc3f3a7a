"""Baselines and oracles: who declares them, and that they are shown apart and never ranked."""

import json

import pytest
from small_benchmark import REFERENCES, jsonl, rows, write_benchmark

from radeval_core.errors import RadevalError
from radeval_core.leaderboard.board import read_board
from radeval_core.leaderboard.queue import score_waiting
from radeval_core.leaderboard.submission import check_submission
from radeval_core.leaderboard.submission_result import from_json

DATE = "2026-01-01T00:00:00+00:00"


@pytest.fixture
def board(small, store, clock):
    """Return a board with two systems, a baseline and an oracle."""
    entries = {
        "Clear": jsonl(name="Clear"),
        "Better": jsonl(rows(s6=REFERENCES["s6"], s1=REFERENCES["s1"]), name="Better"),
        "Copy": jsonl(rows(**REFERENCES), name="Copy", kind="oracle"),
        "Normal": jsonl(rows(s1="No effusion."), name="Normal", kind="baseline"),
    }
    for data in entries.values():
        store.submit(check_submission(data, small), small, DATE)
    score_waiting(store, small, clock=clock)
    return read_board(store, small)


def names(found):
    return [row.outcome.system.name for row in found]


def test_an_oracle_takes_no_rank(board):
    assert names(board.ranked()) == ["Better", "Clear"] and {row.rank for row in board.ranked()} == {1}
    assert [(row.rank, row.kind) for row in board.unranked()] == [(None, "oracle"), (None, "baseline")]
    assert names(board.unranked("fineradscore")) == ["Copy", "Normal"]  # lower is better


def test_the_dict_has_them_apart(board):
    table = board.as_dict("green")
    assert [row["name"] for row in table["systems"]] == ["Better", "Clear"]
    assert [(row["name"], row["kind"]) for row in table["unranked"]] == [("Copy", "oracle"), ("Normal", "baseline")]
    assert table["unranked"][0]["metrics"]["green"]["score"] == 1.0


def test_a_result_keeps_the_kind(board):
    outcome = board.find("Copy")
    assert from_json(outcome.to_json()).system.kind == "oracle"


def test_a_result_with_an_unknown_kind_is_not_read(board):
    record = json.loads(board.find("Copy").to_json())
    record["system"]["kind"] = "winner"
    with pytest.raises(RadevalError, match=r"a result in the store cannot be read: system\.kind"):
        from_json(json.dumps(record).encode())


def test_a_submission_without_a_kind_keeps_its_id(small):
    """Ids from before there were kinds are in stores and logs."""
    assert check_submission(jsonl(), small).id == check_submission(jsonl(kind="system"), small).id
    assert check_submission(jsonl(), small).id == "be99267ee28ea749ac903c92"
    assert check_submission(jsonl(kind="oracle"), small).id != check_submission(jsonl(), small).id


@pytest.mark.parametrize("name", ["Copy oracle", "copy-oracle", "C\u03bfpy oracle"])
def test_the_owner_of_the_benchmark_has_the_last_word(tmp_path, name):
    benchmark = write_benchmark(tmp_path / "owned", kinds={"Copy oracle": "oracle"})
    assert benchmark.kind_of(name) == "oracle"
    assert benchmark.kind_of(name, "baseline") == "oracle"
    assert benchmark.kind_of("Another", "baseline") == "baseline" and benchmark.kind_of("Another") == "system"
