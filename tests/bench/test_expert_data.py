import json
from types import SimpleNamespace

import numpy as np
import pytest
from bench_fixtures import rated, rows_of

from radeval_core.bench.correction_rows import CorrectionData, correction_rows
from radeval_core.bench.expert_data import ExpertData, rated_pairs
from radeval_core.bench.sources import TriadData, open_data, triads
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError

NAN = float("nan")


def test_categories_of_each_rater():
    data = rated_pairs(
        rows_of(
            rated("a", {"categories": {"wrong_location": {"significant": [1, 0], "insignificant": [0, 2]}}}),
            rated("b", {"categories": {"wrong_location": {"significant": [None, 3]}}}),
            rated("c", {"errors": 1}),
            rated("d", {"categories": {"false_finding": {"significant": [1, 1]}}}),
        ),
        "d.jsonl",
    )
    assert list(data.categories) == list(CATEGORIES)
    assert data.category("wrong_location").tolist()[0] == [1, 2]
    assert data.category("wrong_location", "significant")[0].tolist() == [1, 0]
    # rater 1 did not read b: what the row leaves out is no error of rater 2 alone; c states no categories
    assert data.category("false_finding")[0].tolist() == [0, 0]
    assert np.isnan(data.category("false_finding")[1][0]) and data.category("false_finding")[1][1] == 0
    assert np.isnan(data.category("false_finding")[2]).all()
    # no row states this category: the experts were not asked about it
    assert np.isnan(data.category("wrong_severity")).all()


def test_no_error_in_any_category():
    row = rated("a", {"categories": {"false_finding": {"significant": [0, 1]}}})
    data = rated_pairs(rows_of(row, rated("b", {"categories": {}})), "d.jsonl")
    assert data.category("false_finding")[1].tolist() == [0, 0]


def test_preference_and_confidence_are_read():
    data = rated_pairs(rows_of(rated("a", {"preferred": [1, 0], "confidence": 7, "errors": 2})), "d.jsonl")
    assert data.preference["preferred"].tolist() == [[1, 0]] and data.preference["confidence"].tolist() == [[7]]
    assert list(data.raters) == ["errors"]


WRONG = [
    ({"categories": 3}, "line 2: expert 'categories' must be an object with some of: false_finding"),
    ({"categories": {"location": {}}}, "line 2: unknown category of errors 'location': did you mean 'wrong_location'?"),
    ({"categories": {"false_finding": 1}}, "line 2: category 'false_finding' must be an object with significant and"),
    ({"categories": {"false_finding": {"severe": 1}}}, "line 2: unknown kind of false_finding 'severe'"),
    ({"categories": {"false_finding": {"significant": "1"}}}, "line 2: significant false_finding must be a number"),
    ({"categories": {"false_finding": {"significant": -1}}}, "line 2: significant false_finding must be 0 or more"),
    ({"categories": {"false_finding": {"significant": 1}}}, "line 2: expert 'categories' has 1 raters, line 1 has 2"),
    ({"errors": -1}, "line 2: expert 'errors' must be 0 or more, got -1"),
]


@pytest.mark.parametrize("expert, message", WRONG)
def test_bad_rows_name_the_line(expert, message):
    good = rated("a", {"categories": {"false_finding": {"significant": [1, 2]}}})
    with pytest.raises(InputError) as error:
        rated_pairs(rows_of(good, rated("b", expert)), "d.jsonl")
    assert str(error.value).startswith(f"d.jsonl: {message}")


TRIAD = {"id": 1, "original": "Effusion.", "synonym": "Pleural fluid.", "opposite": "No effusion."}
READING = {
    "id": 1,
    "prediction": "Large heart. Clear lungs.",
    "reference": "Large heart. Edema.",
    "lines": [
        {"line": 0, "action": "keep", "severity": 0},
        {"line": 1, "action": "rewrite", "corrected": "Edema.", "severity": 3},
        {"line": None, "action": "insert", "corrected": "Left effusion.", "severity": 2},
    ],
}


@pytest.mark.parametrize(
    "row, kind", [(rated(1, {"errors": 1}), ExpertData), (TRIAD, TriadData), (READING, CorrectionData)]
)
def test_the_columns_say_what_a_file_holds(tmp_path, row, kind):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(row) + "\n")
    data = open_data(path)
    assert isinstance(data, kind)
    assert data.provenance["file"] == "d.jsonl" and len(data.provenance["sha256"]) == 64
    assert data.provenance["rows"] == 1


def test_a_reading():
    (reading,) = correction_rows(rows_of(READING), "d.jsonl").readings
    assert [(x.action, x.start, x.end) for x in reading.lines] == [
        ("keep", 0, 12),
        ("rewrite", 12, 25),
        ("insert", 0, 0),
    ]
    assert reading.severity == 3 and reading.new_text == "Edema. Left effusion."
    placed = {**READING, "lines": [{"action": "delete", "start": 13, "end": 25, "severity": 1}]}
    assert correction_rows(rows_of(placed), "d.jsonl").readings[0].lines[0].start == 13


BAD = [
    (triads, {**TRIAD, "opposite": None}, "column 'opposite' must be a string, got None"),
    (triads, {"id": 1, "original": "x", "synonym": "y"}, "column 'opposite' is missing"),
    (correction_rows, {**READING, "lines": "x"}, "column 'lines' must be a list"),
    (correction_rows, {**READING, "lines": [3]}, "lines[0] must be an object"),
    (correction_rows, {**READING, "lines": [{"action": "move"}]}, "lines[0]: unknown action 'move'"),
    (
        correction_rows,
        {**READING, "lines": [{"action": "keep", "line": 2}]},
        "lines[0]: line must be a whole number from",
    ),
    (
        correction_rows,
        {**READING, "lines": [{"action": "insert", "severity": 5}]},
        "lines[0]: severity must be a whole",
    ),
    (
        correction_rows,
        {**READING, "lines": [{"action": "keep", "start": 3, "end": 99}]},
        "lines[0]: start and end must be",
    ),
    (correction_rows, {**READING, "paraphrase": 1}, "column 'paraphrase' must be a string"),
]


@pytest.mark.parametrize("read, row, message", BAD)
def test_bad_triads_and_readings_name_the_line(read, row, message):
    with pytest.raises(InputError) as error:
        read(rows_of(row), "d.jsonl")
    assert str(error.value).startswith(f"d.jsonl: line 1: {message}")


def test_the_same_reading_twice():
    with pytest.raises(InputError, match="line 2: duplicate id 1, already used in line 1"):
        correction_rows(rows_of(READING, READING), "d.jsonl")


def test_a_built_dataset_is_checked_as_a_file_is(monkeypatch, tmp_path):
    from radeval_core.data import bench_rows

    provenance = {"dataset": "rexval", "revision": "abc", "config": "pairs", "split": "test"}
    built = SimpleNamespace(
        kind="rated", rows=[rated("a", {"errors": 1}), rated("b", {"error": 1})], provenance=provenance
    )
    asked = []
    monkeypatch.setattr(bench_rows, "find_data", lambda name: tmp_path / name)
    monkeypatch.setattr(bench_rows, "read_built", lambda *a: asked.append(a) or built)
    with pytest.raises(InputError, match=r"^rexval/pairs/test: row 2: unknown expert measure 'error'"):
        open_data("rexval", "pairs", "test")
    assert asked == [(tmp_path / "rexval", "pairs", "test")]
    built.rows.pop()
    assert open_data("rexval").provenance == {**provenance, "kind": "rated", "rows": 1}


def test_what_cannot_be_opened(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("")
    table = tmp_path / "d.csv"
    table.write_text("id\n")
    for arguments, message in (
        (("none.jsonl",), r"none\.jsonl: no such file"),
        ((path, None, "test"), "a file has no configs and splits"),
        ((path,), "no pairs to score"),
        ((table,), r"must end in \.jsonl"),
        (("rexvall",), "did you mean 'rexval'"),
    ):
        with pytest.raises(InputError, match=message):
            open_data(*arguments)
