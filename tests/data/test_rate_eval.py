"""RaTE-Eval: error rates, ratings and triads."""

import json

import pytest
from invented_readings import rate_eval, sentence

from radeval_core.data.rate_eval import DATASET, bench_paragraph, bench_sentence, read
from radeval_core.errors import InputError

SENTENCES = "Task1_sentence_rate/sentences.json"


@pytest.fixture
def source(tmp_path):
    return rate_eval(tmp_path)


def write(source, name, rows):
    (source / name).write_text(json.dumps(rows), "utf-8")


def rows_of(tables, config):
    return [row for rows in tables[config].values() for row in rows]


def test_errors_are_divided_by_potential_errors(source):
    write(source, SENTENCES, [sentence(1, [3, 0, 0], [4, 2, 0])])
    (row,) = rows_of(read(source), "sentence_level")
    assert row["normalised_errors"] == [0.75, 0.0, 0.0]
    (given,) = bench_sentence(row)
    assert given == {
        "id": "sentence_level-1",
        "study": row["study"],
        "prediction": "No nodule.",
        "reference": "Nodule of 1 mm in the lung.",
        "expert": {"errors": [0.75, 0.0, 0.0]},
    }


def test_one_number_is_one_rater(source):
    write(source, SENTENCES, [sentence(1, 1.5, 6)])
    (row,) = rows_of(read(source), "sentence_level")
    assert row["errors"] == [1.5] and row["normalised_errors"] == [0.25]


def test_a_published_rate_is_used_unchanged(source):
    row = {"reference": "Gas.", "prediction": "No gas.", "error_rate": 0.4}
    write(source, SENTENCES, [row])
    (read_row,) = rows_of(read(source), "sentence_level")
    assert read_row["normalised_errors"] == [0.4] and read_row["errors"] == []


def test_a_task_without_splits_is_split_eight_to_two(source):
    write(source, SENTENCES, [sentence(n, 1, 2) for n in range(100)])
    tables = read(source)["sentence_level"]
    assert {split: len(rows) for split, rows in tables.items()} == {"train": 80, "test": 20}


def test_a_reference_is_never_in_both_splits(source):
    rows = [sentence(n // 4, 1, 2) for n in range(100)]
    write(source, SENTENCES, rows)
    tables = read(source)["sentence_level"]
    studies = {split: {row["study"] for row in rows} for split, rows in tables.items()}
    assert not studies["train"] & studies["test"]
    assert len(tables["test"]) == 20
    assert len({row["id"] for row in rows_of(read(source), "sentence_level")}) == 100


def test_the_split_does_not_depend_on_the_order_of_rows(source):
    rows = [sentence(n, 1, 2) for n in range(30)]
    write(source, SENTENCES, rows)
    before = {row["id"] for row in read(source)["sentence_level"]["test"]}
    write(source, SENTENCES, rows[::-1])
    assert {row["id"] for row in read(source)["sentence_level"]["test"]} == before


def test_named_splits_are_kept(source):
    tables = read(source)["paragraph_level"]
    assert {split: len(rows) for split, rows in tables.items()} == {"train": 4, "test": 1}
    assert tables["train"][2]["rating"] == [2.0, 5.0]
    (given,) = bench_paragraph(tables["test"][0])
    assert given["expert"] == {"rating": [3.5]} and given["id"] == "paragraph_level-test-0"


def test_a_file_with_all_rows_next_to_the_splits_is_ignored(source):
    before = read(source)["paragraph_level"]
    write(source, "Task2_paragraph_rate/all.json", [{"gt": "Gas.", "pred": "Gas.", "rate": 5}])
    assert read(source)["paragraph_level"] == before


def test_rows_keyed_by_id(source):
    write(source, SENTENCES, {"a7": {"reference": "Gas.", "prediction": "No gas.", "errors": 1, "potential_errors": 1}})
    assert [row["id"] for row in rows_of(read(source), "sentence_level")] == ["sentence_level-a7"]


def test_triads(source):
    (row,) = read(source)["synthetic"]["test"]
    assert row == {
        "id": "synthetic-0",
        "original": "No gas.",
        "synonym": "Gas is absent.",
        "opposite": "There is gas.",
    }
    part = DATASET.configs["synthetic"]
    assert part.kind == "triads" and part.bench(row) == [row]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reference": ""}, "'reference' must be a non-empty text"),
        ({"prediction": 5}, "'prediction' must be a non-empty text"),
        ({"errors": -1}, "'errors' must be from 0 to 1000, got -1"),
        ({"errors": "many"}, "'errors' must be a number, got 'many'"),
        ({"errors": None}, "'errors' must be a number, got None"),
        ({"errors": []}, "'errors' is an empty list"),
        ({"errors": [1, 2]}, "'errors' has 2 raters, 'potential_errors' has 1"),
        ({"potential_errors": 0}, "a rater has errors but no potential errors"),
        ({"gt": "Gas."}, "'reference' and 'gt' name the same column 'reference'; keep one"),
    ],
)
def test_bad_sentences_name_file_and_row(source, change, message):
    write(source, SENTENCES, [sentence(0, 1, 2), sentence(1, 1, 2) | change])
    with pytest.raises(InputError, match=rf"sentences\.json: row 2: {message}"):
        read(source)


def test_a_score_of_unknown_direction_is_refused(source):
    write(source, SENTENCES, [{"reference": "Gas.", "prediction": "No gas.", "score": 0.4}])
    with pytest.raises(InputError, match=r"row 1: 'errors' is missing; accepted names: 'errors', "):
        read(source)


def test_an_unknown_column_name_is_reported(source):
    write(source, SENTENCES, [{"truth": "Gas.", "prediction": "No gas."}])
    with pytest.raises(InputError, match=r"row 1: 'reference' is missing; accepted names: .*; found 'truth', 'pred"):
        read(source)


@pytest.mark.parametrize("rating", [5.5, -1])
def test_ratings_are_0_to_5(source, rating):
    write(source, "Task2_paragraph_rate/test.json", [{"gt": "Gas.", "pred": "Gas.", "rate": rating}])
    with pytest.raises(InputError, match=r"test\.json: row 1: 'rating' must be from 0 to 5"):
        read(source)


def test_an_incomplete_triad_is_refused(source):
    write(source, "Task3_synthetic_rate/triads.json", [{"original": "Gas.", "synonym": "Air."}])
    with pytest.raises(InputError, match=r"triads\.json: row 1: 'opposite' is missing"):
        read(source)


def test_bad_folders(source):
    with pytest.raises(InputError, match="expected a folder that contains Task1_sentence_rate"):
        read(source / "nowhere")
    (source / "Task3_synthetic_rate" / "triads.json").unlink()
    with pytest.raises(InputError, match="Task3_synthetic_rate: no such folder, or no JSON file in it"):
        read(source)


def test_it_may_not_be_published():
    assert not DATASET.publishable
