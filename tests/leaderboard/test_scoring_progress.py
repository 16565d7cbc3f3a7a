"""Scoring reports how many pairs are done, of how many, and uses the options of the benchmark."""

from small_benchmark import jsonl, rows, write_benchmark

from radeval_core.leaderboard.board import read_board
from radeval_core.leaderboard.score_submission import current_version, score_submission
from radeval_core.leaderboard.submission import check_submission


def test_seeding_counts_the_pairs_of_all_baselines(small, store, clock):
    (small.folder / "baselines").mkdir()
    for name in ("One", "Two"):
        (small.folder / "baselines" / f"{name}.jsonl").write_bytes(jsonl(name=name))
    seen = []
    read_board(
        store, small, seed_if_empty=True, clock=clock, on_progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(done, 12) for done in range(1, 13)]


def test_a_second_round_doubles_the_number_to_score(small):
    """A prediction that the parser cannot read makes a second round as an empty report."""
    seen = []
    submission = check_submission(jsonl(rows(s1="qqq zzz xxx.")), small)
    score_submission(small, submission, "2026", lambda done, total: seen.append((done, total)))
    assert seen == [*((done, 6) for done in range(1, 7)), *((done, 12) for done in range(7, 13))]


def test_reporting_changes_no_score(small):
    submission = check_submission(jsonl(rows(s2="Mild cardiomegaly.")), small)
    quiet = score_submission(small, submission, "2026")
    assert score_submission(small, submission, "2026", lambda done, total: None) == quiet


def test_a_board_with_submissions_reports_nothing(small, store, clock):
    store.submit(check_submission(jsonl(), small), small, "2026-01-01T00:00:00+00:00")
    seen = []
    read_board(store, small, seed_if_empty=True, clock=clock, on_progress=lambda *found: seen.append(found))
    assert seen == []


def test_options_of_the_benchmark_are_used_and_signed(tmp_path):
    lower = write_benchmark(tmp_path / "lower", metrics={"bleu": "embedded"}, options={"bleu": {"lowercase": True}})
    submission = check_submission(jsonl(rows(s6="THE LUNGS ARE CLEAR. NO PLEURAL EFFUSION.")), lower)
    found = score_submission(lower, submission, "2026")
    assert found.scores["bleu"][5] == 1.0 and "case:lc" in found.metrics["bleu"]["signature"]
    assert found.version == current_version(lower)
