"""Missing reports and ids, ids that repeat, and columns that are not used: one rule in every format, and a note."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from radeval_core import cli
from radeval_core.errors import InputError
from radeval_core.io import PairColumns, ReportFile, open_pairs
from radeval_core.pairs import Pair

EMPTY = [Pair("", ("b",), 0), Pair("a", ("",), 1)]
FILES = {
    "p.csv": "id,prediction,reference\n,,b\n,a,\n",
    "p.jsonl": '{"id": null, "prediction": null, "reference": "b"}\n{"prediction": "a", "reference": null}\n',
    "nan.jsonl": '{"id": NaN, "prediction": NaN, "reference": "b"}\n{"id": "", "prediction": "a", "reference": NaN}\n',
    "nan.csv": "id,prediction,reference\nNaN,nan,b\n,a,null\n",
    "p.json": '{"prediction": [null, "a"], "reference": ["b", NaN]}',
}


@pytest.fixture
def said(caplog):
    """Return the notes so far."""
    caplog.set_level("WARNING", logger="radeval_core")
    return lambda: [record.getMessage() for record in caplog.records]


def write(path, text):
    path.write_text(text, "utf-8", newline="")
    return path


@pytest.mark.parametrize("name", FILES)
def test_a_missing_report_is_an_empty_report(tmp_path, name):
    assert list(open_pairs(write(tmp_path / name, FILES[name]))) == EMPTY


def test_a_null_in_parquet_is_an_empty_report(tmp_path):
    table = pa.table({"id": pa.array([None, None], pa.string()), "prediction": [None, "a"], "reference": ["b", None]})
    pa.parquet.write_table(table, tmp_path / "p.parquet")
    assert list(open_pairs(tmp_path / "p.parquet")) == EMPTY


def test_a_missing_single_report_is_empty(tmp_path):
    path = write(tmp_path / "r.jsonl", '{"id": "a", "text": null}\n{"id": "b", "text": "x"}\n')
    assert list(ReportFile.open(path)) == [("a", ""), ("b", "x")]


def test_a_missing_column_is_an_error_in_every_row(tmp_path):
    path = write(tmp_path / "p.jsonl", '{"prediction": "a", "reference": "b"}\n{"prediction": "a"}\n')
    with pytest.raises(InputError, match="line 2: column 'reference' is missing"):
        list(open_pairs(path))


def test_the_summary_counts_empty_reports(tmp_path, capsys):
    rows = FILES["p.jsonl"] + '{"prediction": " ", "reference": ["", "x"]}\n'
    file = str(write(tmp_path / "p.jsonl", rows))
    assert cli.main(["score", file, "--metrics", "rouge,bleu", "--json"]) == 0
    for row in json.loads(capsys.readouterr().out).values():
        assert (row["empty_predictions"], row["empty_references"]) == (2, 1)
    assert cli.main(["score", file, "--metrics", "rouge"]) == 0
    line = "empty reports, scored as such: 2 of 3 predictions, 1 of 3 references"
    assert capsys.readouterr().out.count(line) == 1


def test_nothing_is_said_if_no_report_is_empty(tmp_path, capsys):
    file = str(write(tmp_path / "p.jsonl", '{"prediction": "a", "reference": "b"}\n'))
    assert cli.main(["score", file, "--metrics", "rouge"]) == 0
    assert "empty" not in capsys.readouterr().out


def test_ids_that_repeat_are_noted_once(tmp_path, said):
    path = write(tmp_path / "p.csv", "id,prediction,reference\n" + "a,x,y\n" * 3 + "b,x,y\n")
    reader = open_pairs(path)
    assert len(list(reader)) == len(list(reader)) == 4
    assert said() == [f"{path}: 2 rows have the id of an earlier row; every row is read"]


def test_rows_without_ids_repeat_none(tmp_path, said):
    assert len(list(open_pairs(write(tmp_path / "p.csv", "prediction,reference\n" + "x,y\n" * 3)))) == 3
    assert said() == []


def test_unused_columns_that_look_meaningful_are_noted_once(tmp_path, said):
    path = write(tmp_path / "p.csv", "prediction,reference,Age,image,remark\n" + "x,y,50,i.png,z\n" * 2)
    reader = open_pairs(path)
    assert len(list(reader)) == len(list(reader)) == 2
    assert said() == [f"{path}: column 'Age' is not used", f"{path}: column 'image' is not used"]


def test_a_column_in_use_is_not_noted(tmp_path, said):
    path = write(tmp_path / "p.csv", "indication,history\nx,y\n")
    assert list(open_pairs(path, columns=PairColumns("indication", "history"))) == [Pair("x", ("y",), 0)]
    assert said() == []


def test_a_column_that_looks_like_an_id_is_noted_with_its_option(tmp_path, said):
    path = write(tmp_path / "p.jsonl", '{"prediction": "x", "reference": "y", "study_id": 7}\n')
    list(open_pairs(path, columns=PairColumns()))
    assert said() == [f"{path}: column 'study_id' is not used: --id-column study_id takes the ids from it"]


def test_ids_that_repeat_in_a_file_of_reports_are_noted(tmp_path, said):
    path = write(tmp_path / "r.csv", "id,text\na,x\na,y\n")
    assert len(list(ReportFile.open(path))) == 2
    assert said() == [f"{path}: 1 row has the id of an earlier row; every row is read"]


def test_parse_reads_its_file_once_and_counts_empty_reports(tmp_path, capsys, monkeypatch):
    from radeval_core.io import readers

    opened, real = [], readers.table_rows
    monkeypatch.setattr(readers, "table_rows", lambda *arguments: opened.append(1) or real(*arguments))
    path = write(tmp_path / "r.csv", 'id,text\na,"Small left effusion.\nNo pneumothorax."\nb,\nc,NaN\n')
    out = tmp_path / "o.jsonl"
    assert cli.main(["parse", str(path), "--out", str(out)]) == 0
    assert len(opened) == 1 and len(out.read_text().splitlines()) == 3
    printed = capsys.readouterr().out
    assert "wrote 3 rows" in printed and "empty reports, without findings: 2 of 3" in printed
    assert cli.main(["parse", str(path), "--json"]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 3 and "2 of 3" in captured.err
