"""Results of any run as tables, and the figures of a log that are worth a curve."""

import json

import pytest

from radeval_core.errors import InputError
from radeval_core.train.report import report_page
from radeval_core.train.report_tables import any_tables, measured_names

RESULTS = {
    "steps": 5,
    "rows": {"train": 3},
    "trained": {"entities": {"all": {"f1": 0.5}, "anatomy": {"f1": 0.25, "n": 4}}},
}


def test_single_values_come_first_and_groups_become_tables():
    single, rows, entities = any_tables(RESULTS)
    assert single.rows == [("steps", 5)]
    assert (rows.title, rows.rows) == ("rows", [("train", 3)])
    assert entities.title == "trained: entities"
    assert entities.columns == ("", "f1", "n")
    assert entities.rows == [("all", 0.5, None), ("anatomy", 0.25, 4)]


def test_times_and_losses_are_no_figures_of_a_model():
    log = [
        {"step": 1, "loss": 1.0, "eval_loss": 1.0, "eval_f1": 0.5, "eval_runtime": 3.0, "eval_samples_per_second": 2}
    ]
    assert measured_names(log, "ner") == {"eval_f1": "f1"}


def test_a_page_of_another_kind_shows_what_there_is_and_escapes_it(tmp_path):
    record = {"settings": {"kind": "ner", "base": "<b>"}, "results": {**RESULTS, "note": "<script>"}}
    (tmp_path / "run.json").write_text(json.dumps(record))
    (tmp_path / "log.jsonl").write_text('{"step": 1, "loss": 2.0, "eval_f1": 0.5}\n')
    page = report_page(tmp_path)
    assert "trained: entities" in page and "0.250" in page and "&lt;script&gt;" in page
    assert "<script>" not in page and "<b>" not in page


def test_a_run_that_is_not_complete_has_no_page(tmp_path):
    (tmp_path / "run.json").write_text('{"settings": {"kind": "ner"}}')
    with pytest.raises(InputError, match="has a run that is not complete"):
        report_page(tmp_path)
