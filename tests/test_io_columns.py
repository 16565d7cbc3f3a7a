"""Columns by the user's names, in any case, and what is said when they are missing."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from radeval_core import cli
from radeval_core.errors import InputError
from radeval_core.io import PairColumns, ReportColumns, ReportFile, open_pairs
from radeval_core.pairs import Pair

NAMED = PairColumns("generated_report", "ground_truth", "study_id")
CSV = "study_id,generated_report,ground_truth\ns1,Clear lungs.,Lungs are clear.\n"


def write(path, text):
    path.write_text(text, "utf-8", newline="")
    return path


def error_of(path, columns):
    with pytest.raises(InputError) as error:
        list(open_pairs(path, columns=columns))
    return str(error.value)


def test_named_columns_in_every_format(tmp_path):
    row = {"study_id": "s1", "generated_report": "Clear lungs.", "ground_truth": "Lungs are clear."}
    pa.parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "p.parquet")
    write(tmp_path / "p.jsonl", json.dumps(row))
    write(tmp_path / "p.csv", CSV)
    for name in ("p.jsonl", "p.csv", "p.parquet"):
        assert list(open_pairs(tmp_path / name, columns=NAMED)) == [Pair("Clear lungs.", ("Lungs are clear.",), "s1")]


def test_upper_case_headers_are_read(tmp_path):
    path = write(tmp_path / "p.csv", "ID, Prediction,REFERENCE\n7,a,b\n")
    assert list(open_pairs(path)) == [Pair("a", ("b",), "7")]


def test_the_exact_name_wins_over_another_case(tmp_path):
    path = write(tmp_path / "p.csv", "Prediction,prediction,reference\nno,a,b\n")
    assert list(open_pairs(path)) == [Pair("a", ("b",), 0)]


def test_columns_that_differ_only_in_case_are_refused(tmp_path):
    message = error_of(write(tmp_path / "p.csv", "Prediction,PREDICTION,reference\na,b,c\n"), PairColumns())
    assert message.endswith(
        "p.csv: line 1: columns 'Prediction', 'PREDICTION' could all be the prediction: "
        "choose one with --prediction-column NAME"
    )


def test_missing_columns_are_named_with_the_options_to_use(tmp_path):
    message = error_of(write(tmp_path / "p.csv", CSV), PairColumns())
    assert message.endswith(
        "p.csv: line 1: columns 'prediction', 'reference' are missing; found 'study_id', 'generated_report', "
        "'ground_truth'; try --prediction-column generated_report --reference-column ground_truth"
    )


def test_a_file_with_unusual_names_gets_the_options(tmp_path):
    message = error_of(write(tmp_path / "p.jsonl", '{"x": "", "y": ""}'), PairColumns())
    assert message.endswith("name the column with --prediction-column NAME --reference-column NAME")


def test_a_named_column_that_does_not_exist(tmp_path):
    message = error_of(write(tmp_path / "p.csv", CSV), PairColumns("generated_report", "truth", "study"))
    assert "columns 'truth', 'study' are missing" in message
    assert message.endswith("try --reference-column ground_truth --id-column study_id")


def test_without_a_command_line_no_option_is_named(tmp_path):
    assert "--" not in error_of(write(tmp_path / "p.csv", CSV), None).replace(str(tmp_path), "")


def test_a_wide_table_is_not_listed_in_full(tmp_path):
    header = ",".join(f"c{i}" for i in range(100))
    assert "'c19' and 80 more; name" in error_of(write(tmp_path / "p.csv", header + "\n"), PairColumns())


@pytest.mark.parametrize(
    "second, expected",
    [
        ("Small effusion", "line 1: columns 'prediction', 'reference' are missing; the first row is no header"),
        ("The lungs are clear.", "line 1: column (20 characters of text) occurs twice"),
    ],
)
def test_a_table_without_a_header_shows_no_report(tmp_path, second, expected):
    message = error_of(write(tmp_path / "p.csv", f"The lungs are clear.,{second}\n"), PairColumns())
    assert expected in message and "lungs" not in message and "effusion" not in message


TWICE = [
    ("p.csv", "prediction,reference,prediction\na,b,c\n", "line 1: column 'prediction' occurs twice"),
    ("p.tsv", "prediction\treference\tprediction\na\tb\tc\n", "line 1: column 'prediction' occurs twice"),
    ("p.jsonl", '{"prediction": "a", "reference": "b", "prediction": "c"}', "line 1: key 'prediction' occurs twice"),
    ("p.json", '[{"prediction": "a", "reference": "b", "prediction": "c"}]', "row 1: key 'prediction' occurs twice"),
    ("p.json", '{"prediction": ["a"], "reference": ["b"], "prediction": ["c"]}', "key 'prediction' occurs twice"),
]


@pytest.mark.parametrize("name, content, message", TWICE)
def test_a_column_that_occurs_twice_is_refused(tmp_path, name, content, message):
    assert message in error_of(write(tmp_path / name, content), None)


def test_a_parquet_column_that_occurs_twice_is_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array(["a"])] * 3, names=["prediction", "reference", "prediction"])
    pa.parquet.write_table(table, tmp_path / "p.parquet")
    assert "column 'prediction' occurs twice" in error_of(tmp_path / "p.parquet", None)


def test_columns_without_a_name_may_repeat(tmp_path):
    path = write(tmp_path / "p.csv", "prediction,reference,,\na,b,,\n")
    assert list(open_pairs(path)) == [Pair("a", ("b",), 0)]


def test_the_command_line_names_columns(tmp_path, capsys):
    file = str(write(tmp_path / "p.csv", CSV))
    out = tmp_path / "o.jsonl"
    names = ["--prediction-column", "generated_report", "--reference-column", "ground_truth"]
    arguments = [*names, "--id-column", "study_id", "--metrics", "rouge"]
    assert cli.main(["score", file, *arguments, "--out", str(out)]) == 0
    assert json.loads(out.read_text())["id"] == "s1"
    assert cli.main(["compare", file, file, *arguments, "--json"]) == 0
    capsys.readouterr()
    assert cli.main(["score", "--predictions", file, "--references", file, *names, "--metrics", "rouge"]) == 2
    assert "text files have no columns" in capsys.readouterr().err


@pytest.mark.parametrize("header", ["text", "report", "Report"])
def test_reports_are_in_a_column_text_or_report(tmp_path, header):
    path = write(tmp_path / "r.csv", f"id,{header}\na,Clear.\n")
    assert list(ReportFile.open(path)) == [("a", "Clear.")]


def test_two_columns_that_could_be_the_report_are_refused(tmp_path):
    path = write(tmp_path / "r.csv", "report,text\na,b\n")
    with pytest.raises(InputError, match="'report', 'text' could all be the text: choose one with --text-column"):
        list(ReportFile.open(path, ReportColumns()))
    assert list(ReportFile.open(path, ReportColumns("report"))) == [(0, "a")]


def test_a_text_file_has_no_columns(tmp_path):
    path = write(tmp_path / "r.txt", "a\n")
    with pytest.raises(InputError, match="a text file has no columns"):
        ReportFile.open(path, ReportColumns("text"))
