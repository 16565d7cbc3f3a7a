import numpy as np
import pytest
from bench_fixtures import result

from radeval_core import api
from radeval_core.bench.run import run_bench
from radeval_core.bench.sources import TriadData
from radeval_core.bench.triads import beside_measured, score_triads, triad_rows

NAN = float("nan")
FOUR = TriadData([0, 1, 2, 3], ["o"] * 4, ["s"] * 4, ["x"] * 4)


def test_by_hand():
    # synonyms 5 2 3 nan, opposites 1 4 3 1: right, wrong, tie, unscored
    rows = triad_rows({"m": result("m", [5, 2, 3, NAN, 1, 4, 3, 1])}, FOUR)
    found = rows["m"]
    assert found["accuracy"]["value"] == pytest.approx(1 / 3) and found["ties"]["value"] == pytest.approx(1 / 3)
    assert found["decided"]["value"] == 0.5 and (found["n"], found["unscored"]) == (3, 1)
    down = triad_rows({"m": result("m", [-5, -2, -3, NAN, -1, -4, -3, -1], up=False)}, FOUR)["m"]
    assert down["accuracy"] == found["accuracy"]


def test_last_digits_do_not_break_a_tie():
    assert triad_rows({"m": result("m", [0.1 + 0.2] * 4 + [0.3] * 4)}, FOUR)["m"]["ties"]["value"] == 1


def test_the_interval_matches_the_normal_approximation():
    n = 400
    many = TriadData(list(range(n)), ["o"] * n, ["s"] * n, ["x"] * n)
    scores = np.concatenate([np.r_[np.ones(300), np.zeros(100)], np.full(n, 0.5)])
    half = 1.96 * np.sqrt(0.75 * 0.25 / n)
    assert triad_rows({"m": result("m", scores)}, many)["m"]["accuracy"]["ci95"] == pytest.approx(
        (0.75 - half, 0.75 + half), abs=0.01
    )


def test_real_metrics():
    data = TriadData([7], ["Left pleural effusion."], ["Left-sided pleural fluid."], ["No left pleural effusion."])
    found = run_bench(data, ["green", "bleu"]).result
    assert found["green"]["accuracy"]["value"] == 1 and found["bleu"]["accuracy"]["value"] == 0
    scores = score_triads(data, ["bleu"], None, {})["bleu"].scores
    expected = api.score(
        [
            ("Left-sided pleural fluid.", "Left pleural effusion."),
            ("No left pleural effusion.", "Left pleural effusion."),
        ],
        ["bleu"],
    ).results["bleu"]
    assert scores.tolist() == expected.scores.tolist()
    assert list(found) == ["green", "bleu", "seed", "resamples", "versions", "data"]


def test_published_accuracies_are_next_to_the_measured_part():
    data = TriadData([0], ["o"], ["s"], ["x"], {"dataset": "rate_eval", "config": "synthetic"})
    rows = beside_measured({"rouge": result("rouge", [0, 1], rougeL=[1, 0])}, data)
    by = {row["label"]: row for row in rows}
    assert by["RaTEScore"]["value"] == 0.670 and by["RaTEScore"]["measured"] is None
    assert by["ROUGE-L"]["value"] == 0.117 and by["ROUGE-L"]["measured"]["value"] == 1
    assert beside_measured({}, FOUR) == []
