"""Two systems on the same studies, and the result of one system beside its neighbours."""

import json

import numpy as np
import pytest
from small_benchmark import REFERENCES, jsonl, outcome, rows, write_benchmark

from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.leaderboard.board import read_board
from radeval_core.leaderboard.comparison import compare_entries
from radeval_core.leaderboard.entry_report import report_entry
from radeval_core.leaderboard.queue import score_waiting
from radeval_core.leaderboard.submission import check_submission
from radeval_core.stats.multiplicity import holm
from radeval_core.stats.paired import paired_test

STUDIES = {f"s{i}": "Mild cardiomegaly." if i % 2 else "The lungs are clear." for i in range(40)}
NAN = float("nan")


@pytest.fixture
def forty(tmp_path):
    return write_benchmark(tmp_path / "forty", STUDIES, facets=["normality"])


def noise(seed, mean):
    return mean + 0.02 * np.random.default_rng(seed).standard_normal(40)


def by_name(parts):
    return {part.value: part for part in parts}


def test_each_metric_has_the_paired_test_of_its_scores_corrected_over_the_metrics(forty):
    first = outcome("one", noise(1, 0.6), bleu=noise(2, 0.5), fineradscore=noise(3, 2.0))
    second = outcome("two", noise(4, 0.5), bleu=noise(5, 0.5), fineradscore=noise(6, 1.0))
    found = compare_entries(first, second, forty).metrics
    tests = [paired_test(np.array(first.scores[m.metric]) - np.array(second.scores[m.metric])) for m in found]
    assert [m.metric for m in found] == list(forty.metrics)
    assert [m.difference for m in found] == pytest.approx([t.difference for t in tests])
    assert [m.ci95 for m in found] == [pytest.approx(t.ci95) for t in tests]
    assert [m.p for m in found] == [t.p_randomisation for t in tests]
    assert [m.p_holm for m in found] == holm([t.p_randomisation for t in tests])
    # more of GREEN is better, more of FineRadScore is worse, and BLEU does not differ
    assert [m.better for m in found] == ["first", "second", ""]


def test_only_studies_that_both_have_are_tested(forty):
    some, all_ = noise(1, 0.6), noise(2, 0.5)
    some[:3] = NAN
    row = compare_entries(outcome("one", some, bleu=all_), outcome("two", all_, bleu=all_), forty).metrics[0]
    expected = paired_test((some - all_)[3:])
    assert (row.n, row.p) == (37, expected.p_randomisation) and row.difference == pytest.approx(expected.difference)


def test_a_metric_without_common_studies_has_no_difference(forty):
    none = np.full(40, NAN)
    row = compare_entries(outcome("one", none), outcome("two", noise(1, 0.5)), forty).metrics[0]
    assert (row.n, row.difference, row.ci95, row.better) == (0, None, None, "")


def test_a_corpus_metric_is_marked(forty):
    found = compare_entries(outcome("one", noise(1, 0.5)), outcome("two", noise(2, 0.5)), forty).metrics
    assert {m.metric: m.is_headline for m in found} == {"green": True, "fineradscore": True, "bleu": False}


def test_facets_say_where_a_system_gains(forty):
    better_on_abnormal = noise(1, 0.5) + np.array([0.0, 0.3] * 20)
    found = by_name(compare_entries(outcome("one", better_on_abnormal), outcome("two", noise(1, 0.5)), forty).facets)
    assert found["abnormal"].difference == pytest.approx(0.3) and found["abnormal"].better == "first"
    assert found["normal"].difference == pytest.approx(0.0) and found["normal"].better == ""
    assert (found["abnormal"].n, found["normal"].n) == (20, 20)


def test_fewer_errors_are_better(forty):
    first = outcome("one", noise(1, 0.5), errors=({"missing_finding": 1},) * 40)
    second = outcome("two", noise(1, 0.5), errors=({"false_finding": 2},) * 40)
    found = by_name(compare_entries(first, second, forty).errors)
    assert (found["missing_finding"].difference, found["missing_finding"].better) == (1.0, "second")
    assert (found["false_finding"].difference, found["false_finding"].better) == (-2.0, "first")


def test_the_cases_that_differ_most_come_first_and_equal_ones_not_at_all(forty):
    changed = np.full(40, 0.5)
    changed[[7, 30, 12]] = [0.9, 0.0, 0.6]
    cases = compare_entries(outcome("one", changed), outcome("two", np.full(40, 0.5)), forty).cases
    assert [(c.study, c.first, c.second) for c in cases] == [("s30", 0.0, 0.5), ("s7", 0.9, 0.5), ("s12", 0.6, 0.5)]


def test_results_of_different_versions_are_not_compared(forty):
    with pytest.raises(InputError, match="different signatures"):
        compare_entries(outcome("one", noise(1, 0.5)), outcome("two", noise(1, 0.5), version="v2"), forty)


# the result of a submission


@pytest.fixture
def board(tmp_path, store, clock):
    """Return a board of three systems and an oracle; `Good`, `Middle` and `Poor` are in the order of GREEN."""
    small = write_benchmark(tmp_path / "small", facets=["normality"])
    good = {key: REFERENCES[key] for key in ("s1", "s2", "s3", "s4", "s5")}
    for data in (
        jsonl(rows(**good), name="Good"),
        jsonl(rows(s1=REFERENCES["s1"], s2=REFERENCES["s2"]), name="Middle"),
        jsonl(rows(s6="Large right pneumothorax."), name="Poor"),
        jsonl(rows(s1=REFERENCES["s1"], s2=REFERENCES["s2"], s3=REFERENCES["s3"]), name="Oracle", kind="oracle"),
    ):
        store.submit(check_submission(data, small), small, "2026-01-01T00:00:00+00:00")
    score_waiting(store, small, clock=clock)
    return read_board(store, small)


def test_a_system_has_its_neighbours_by_score(board):
    middle = report_entry(board, "Middle")
    assert (middle.above.name, middle.below.name) == ("Good", "Poor")
    assert report_entry(board, "Good").above is None and report_entry(board, "Poor").below is None
    assert middle.above.comparison.first == middle.submission
    assert middle.above.comparison.metrics[0].difference < 0 < middle.below.comparison.metrics[0].difference


def test_the_report_has_rank_scores_facets_and_provenance(board):
    found = report_entry(board, "Middle")
    ranks = {row.outcome.system.name: row.rank for row in board.ranked()}
    assert (found.rank, found.kind, found.systems) == (ranks["Middle"], "system", 3)
    assert found.shared == list(ranks.values()).count(ranks["Middle"]) - 1
    assert found.metrics["green"]["signature"].startswith("green|") and found.version == board.version
    assert found.facets["normality"]["abnormal"].studies == 5


def test_the_neighbours_of_an_oracle_are_ranked_systems(board):
    found = report_entry(board, "Oracle")
    assert (found.rank, found.kind, found.above.name, found.below.name) == (None, "oracle", "Good", "Middle")
    assert found.below.rank is not None


def test_another_metric_gives_other_neighbours(board):
    order = [row.outcome.system.name for row in board.ranked("bleu")]
    found = report_entry(board, order[1], "bleu")
    assert (found.ranked_by, found.above.name, found.below.name) == ("bleu", order[0], order[2])
    with pytest.raises(InputError, match="did you mean 'bleu'"):
        report_entry(board, "Middle", "blue")


def test_the_report_is_plain_json_without_any_report_text(board):
    text = json.dumps(report_entry(board, "Middle").as_dict())
    assert not any(reference in text for reference in REFERENCES.values()) and "The lungs are clear" not in text


def test_the_commands_print_tables_and_json(board, tmp_path, capsys):
    where = ["--benchmark", str(board.benchmark.folder), "--store", str(tmp_path / "store")]
    assert main(["leaderboard", "result", "Middle", *where]) == 0
    out = capsys.readouterr().out
    assert "above: Good" in out and "below: Poor" in out and "green|" in out and "normality" in out
    assert main(["leaderboard", "result", "Middle", *where, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["above"]["name"] == "Good"
    assert main(["leaderboard", "compare", "Good", "Poor", *where]) == 0
    assert "first: Good" in capsys.readouterr().out
    assert main(["leaderboard", "compare", "Good", "Poor", *where, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"][0]["metric"] == "green"
    assert main(["leaderboard", "compare", "Good", "Nobody", *where]) == 2
    assert "unknown submission 'Nobody'" in capsys.readouterr().err
