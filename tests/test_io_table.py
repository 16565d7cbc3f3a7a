"""Whole tables with all their columns: every format, guesses, refused rows, limits."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from radeval_core.errors import InputError
from radeval_core.io import PairColumns, guess_columns, read_table
from radeval_core.pairs import Pair

ROWS = [
    {"study": "s1", "model output": "Clear lungs.", "target": "Lungs are clear.", "age": "75"},
    {"study": "s2", "model output": "", "target": "Small effusion.", "age": ""},
]
COLUMNS = PairColumns("model output", "target", "study")


def write(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def read(path, rows=100, characters=10_000):
    return read_table(path, rows, characters)


@pytest.fixture(params=["jsonl", "json", "csv", "tsv", "semicolons", "parquet"])
def file(request, tmp_path):
    kind = request.param
    if kind == "parquet":
        path = tmp_path / "p.parquet"
        pa.parquet.write_table(pa.Table.from_pylist(ROWS), path)
        return path
    if kind in ("jsonl", "json"):
        text = "\n".join(map(json.dumps, ROWS)) if kind == "jsonl" else json.dumps(ROWS)
        return write(tmp_path, f"p.{kind}", text)
    sign = {"csv": ",", "tsv": "\t", "semicolons": ";"}[kind]
    lines = [sign.join(row) for row in (ROWS[0], *(row.values() for row in ROWS))]
    return write(tmp_path, "p.tsv" if kind == "tsv" else "p.csv", "\n".join(lines) + "\n")


def test_every_format_has_all_its_columns_and_rows(file):
    table = read(file)
    assert table.name == file.name and table.columns == ("study", "model output", "target", "age")
    pairs, problems = table.pairs(COLUMNS)
    assert [(p.id, p.prediction, p.references) for p in pairs] == [
        ("s1", "Clear lungs.", ("Lungs are clear.",)),
        ("s2", "", ("Small effusion.",)),
    ]
    assert pairs[0].context.age == "75" and pairs[1].context is None and problems == []


@pytest.mark.parametrize(
    ("names", "guessed"),
    [
        (["id", "prediction", "reference"], {"prediction": "prediction", "reference": "reference", "id": "id"}),
        (
            ["Study ID", "Output", "Ground-Truth"],
            {"prediction": "Output", "reference": "Ground-Truth", "id": "Study ID"},
        ),
        (["generated", "report"], {"prediction": "generated", "reference": "report"}),
        (["reference", "findings"], {"reference": "reference"}),
        (["a", "b"], {}),
        ([], {}),
    ],
)
def test_columns_are_guessed_by_their_usual_names(names, guessed):
    assert guess_columns(names) == guessed


def test_no_column_gets_two_roles():
    guessed = guess_columns(["text", "report_id"])
    assert len(set(guessed.values())) == len(guessed)


def test_without_ids_rows_are_numbered_even_if_a_column_is_called_id(tmp_path):
    path = write(tmp_path, "p.csv", "id,prediction,reference\nx,a,b\n")
    assert read(path).pairs(PairColumns(), ids=False) == ([Pair("a", ("b",), 0)], [])


def test_rows_that_cannot_be_read_are_named_with_their_reason_and_the_others_are_kept(tmp_path):
    lines = [
        '{"prediction": "a", "reference": "b"}',
        "{broken",
        "[1]",
        '{"prediction": 3, "reference": "b"}',
        '{"reference": "b"}',
    ]
    table = read(write(tmp_path, "p.jsonl", "\n".join(lines)))
    assert [reason.partition(":")[0] for reason in table.refused] == ["line 2, column 2", "line 3"]
    pairs, problems = table.pairs(PairColumns())
    assert [pair.id for pair in pairs] == [0]
    assert [problem.partition(":")[0] for problem in problems] == ["line 4", "line 5"]
    assert "'prediction'" in problems[0] and "missing" in problems[1]


def test_a_row_of_a_csv_file_with_too_many_cells_is_refused_alone(tmp_path):
    table = read(write(tmp_path, "p.csv", "prediction,reference\na,b\na,b,c\nd,e\n"))
    assert len(table.rows) == 2 and table.refused == ("line 3: 3 columns where the header has 2",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.csv", "", "p.csv: line 1: the header is missing"),
        ("p.csv", "prediction,reference\n", "p.csv: no row could be read"),
        ("p.jsonl", "{broken\n", "p.jsonl: no row could be read: line 1, column 2: not valid JSON"),
        ("p.jsonl", '{"a": 1}\n' * 4, "p.jsonl: more than 3 rows"),
        ("p.jsonl", json.dumps({"a": "x" * 60}) + "\n", "p.jsonl: more than 50 characters"),
        ("p.json", '{"a": 1', "p.json"),
        ("p.csv", "PK\x03\x04", "p.csv: not a text file but a zip archive or an Excel sheet"),
        (
            "p.csv",
            "The lungs are clear.,Clear lungs.\na,b\n",
            "the first row is no header, because it contains sentences",
        ),
        ("p.parquet", "no", "p.parquet: not a Parquet file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_its_name(name, text, message, tmp_path):
    with pytest.raises(InputError) as error:
        read(write(tmp_path, name, text), 3, 50)
    assert message in str(error.value) and str(tmp_path) not in str(error.value)


def test_a_parquet_file_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "p.parquet"
    pa.parquet.write_table(pa.table({"a": ["x" * 100_000] * 3}), path, compression="zstd", use_dictionary=False)
    assert path.stat().st_size < 5_000
    with pytest.raises(InputError, match="unpacks to more than 10,000 bytes"):
        read(path)
    pa.parquet.write_table(pa.table({"a": ["x" * 8_000] * 3}), path)  # one cell, repeated: small until it is read
    with pytest.raises(InputError, match="more than 10,000 characters"):
        read(path)


def test_a_note_about_the_encoding_is_kept(tmp_path):
    path = tmp_path / "p.csv"
    path.write_bytes("prediction,reference\nÖdem,b\n".encode("cp1252"))
    table = read(path)
    assert table.rows[0][1]["prediction"] == "Ödem" and len(table.notes) == 1 and str(tmp_path) not in table.notes[0]
