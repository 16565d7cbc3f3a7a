"""Files that once ended a run with a traceback: strange ids, strange numbers, and cells that spreadsheets run."""

import csv
import json

import pyarrow.parquet
import pytest

from radeval_core import cli
from radeval_core.findings.measurements import find_sizes
from radeval_core.io import ReportFile, csv_cell, open_pairs, write_jsonl, write_rows


def score(tmp_path, rows, ending=".jsonl", metrics="rouge"):
    """Score rows of a file of text and return the exit code; the scores are in `o` plus the ending."""
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(row + "\n" for row in rows))
    return cli.main(["score", str(path), "--metrics", metrics, "--out", str(tmp_path / f"o{ending}"), "--json"])


def row(own_id, text="Clear lungs."):
    return f'{{"id": {own_id}, "prediction": "{text}", "reference": "Clear."}}'


REFUSED = {
    "a lone surrogate in an id": (row(r'"a\ud800"'), "column 'id' is not valid Unicode text"),
    "an id of 5,000 digits": (row("9" * 5000), "line 1: a whole number has too many digits"),
    "a number of 5,000 digits elsewhere": (row(f'1, "x": {"9" * 5000}'), "too many digits"),
    "deep nesting": (row(f'1, "x": {"[" * 100_000}'), "nested too deeply|not valid JSON"),
    "a key twice": (row('1, "id": 2'), "key 'id' occurs twice"),
}


@pytest.mark.parametrize("line, message", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("layout", ["pairs.jsonl", "pairs.json"])
def test_a_file_that_cannot_be_read_is_refused_in_one_line(tmp_path, capsys, line, message, layout):
    path = tmp_path / layout
    path.write_text(line if layout == "pairs.jsonl" else f"[{line}]")
    assert cli.main(["score", str(path), "--metrics", "rouge", "--out", str(tmp_path / "o.csv")]) == 2
    error = capsys.readouterr().err
    assert any(part in error for part in message.removeprefix("line 1: ").split("|")) and error.count("\n") == 1


def test_an_unreadable_file_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    path = tmp_path / "pairs.jsonl"
    path.write_text(row(1))
    opened = open

    def refuse(file, *a, **k):
        if str(file) == str(path):
            raise PermissionError(13, "Permission denied")
        return opened(file, *a, **k)

    monkeypatch.setattr("builtins.open", refuse)
    assert cli.main(["score", str(path), "--metrics", "rouge"]) == 2
    assert "pairs.jsonl: cannot be read: Permission denied" in capsys.readouterr().err


IDS = {
    "unsigned 64 bits": ([0, 2**64 - 1], [0, 2**64 - 1]),
    "signed 64 bits": ([-(2**63), 2**63 - 1], [-(2**63), 2**63 - 1]),
    "more than 64 bits": ([1, 2**64], ["1", str(2**64)]),
    "unsigned and negative": ([-1, 2**63], ["-1", str(2**63)]),
    "mixed types": ([1, "1", "a"], ["1", "1", "a"]),
    "4,000 digits": ([10**4000], [str(10**4000)]),
}


@pytest.mark.parametrize("given, kept", IDS.values(), ids=IDS)
def test_every_id_can_be_written_to_parquet(tmp_path, given, kept, capsys):
    assert score(tmp_path, [row(json.dumps(own)) for own in given], ".parquet") == 0
    assert pyarrow.parquet.read_table(tmp_path / "o.parquet").column("id").to_pylist() == kept


def test_an_unsigned_id_of_a_parquet_file_comes_back(tmp_path, capsys):
    table = pyarrow.table({"id": pyarrow.array([2**64 - 1], "uint64"), "prediction": ["a"], "reference": ["b"]})
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    command = ["score", str(tmp_path / "in.parquet"), "--metrics", "rouge", "--out", str(tmp_path / "o.parquet")]
    assert cli.main(command) == 0
    assert pyarrow.parquet.read_table(tmp_path / "o.parquet").column("id").to_pylist() == [2**64 - 1]


def test_ids_that_occur_twice_are_noted(tmp_path, capsys):
    assert score(tmp_path, [row(1), row('"1"')]) == 0
    assert "1 row has the id of an earlier row" in capsys.readouterr().err


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'quoted", "-", "+"]
HARMLESS = ["a=1", "-12", "+3.5e-7", "", "1", "–2", "case 7"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_cell_that_a_spreadsheet_would_run_is_guarded_and_can_be_restored(text):
    assert csv_cell(text) == f"'{text}" and csv_cell(text)[1:] == text


@pytest.mark.parametrize("value", [*HARMLESS, -3, -1.5, None])
def test_other_cells_and_numbers_are_left_alone(value):
    assert csv_cell(value) == value


def test_ids_in_a_csv_file_are_guarded_and_scores_are_not(tmp_path):
    rows = [{"id": own, "scores": {"radcliq": -1.5}} for own in FORMULAS]
    write_rows(tmp_path / "o.csv", rows)
    with open(tmp_path / "o.csv", newline="") as file:
        header, *cells = csv.reader(file)
    assert header == ["id", "radcliq"]
    assert cells == [[f"'{own}", "-1.5"] for own in FORMULAS]


def test_names_of_systems_in_a_csv_table_are_guarded(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(row(1) + "\n" + row(2) + "\n")
    systems = [f"@{name}={tmp_path / name}.jsonl" for name in ("a", "b")]
    assert cli.main(["compare", *systems, "--metrics", "rouge", "--format", "csv"]) == 0
    assert "\n'@a," in capsys.readouterr().out


def test_half_a_character_in_a_text_is_written_as_an_escape(tmp_path):
    write_jsonl(tmp_path / "o.jsonl", [{"text": "a\ud800 \\ud800", "size": float("inf")}])
    written = (tmp_path / "o.jsonl").read_bytes()
    assert json.loads(written) == {"text": "a\ud800 \\ud800", "size": None}


@pytest.mark.parametrize(
    "text", ["Nodule of 10³ mm.", "Nodule of ② cm.", "Nodule, 3 x ④ mm.", f"A {'9' * 309} mm nodule."]
)
def test_a_number_that_is_none_ends_no_run(tmp_path, capsys, text):
    (tmp_path / "r.txt").write_text(text + "\n")
    assert cli.main(["parse", str(tmp_path / "r.txt"), "--out", str(tmp_path / "o.jsonl")]) == 0
    assert cli.main(["parse", "--text", text, "--json"]) == 0
    printed = capsys.readouterr().out.splitlines()[-1]
    assert "Infinity" not in printed and json.loads(printed)["findings"][0]["finding"] == "nodule"
    assert (
        score(tmp_path, [row(1, text), row(2, text)], metrics="green,radgraph_f1,chexbert_f1,ffl_rq,fineradscore") == 0
    )


def test_sizes_are_bounded_and_decimal():
    assert find_sizes(["a", "12", "mm", "nodule"]) == [(1, 3, (12.0,))]
    assert find_sizes(["a", "1.5", "x", "2", "cm", "nodule"]) == [(1, 5, (15.0, 20.0))]
    assert find_sizes(f"a {'9' * 400} mm nodule".split()) == find_sizes(["a", "10³", "mm", "nodule"]) == []


def test_an_option_that_is_no_whole_number_is_refused(tmp_path, capsys):
    (tmp_path / "p.jsonl").write_text(row(1))
    for value in ("²", "--5", "9" * 5000):
        command = ["score", str(tmp_path / "p.jsonl"), "--metrics", "bertscore", "--option", f"bertscore.layer={value}"]
        assert cli.main(command) == 2
        assert capsys.readouterr().err.count("Traceback") == 0


def test_readers_name_the_place_of_a_half_character(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"id": "\\udfff", "text": "x"}\n')
    with pytest.raises(ValueError, match="line 1: column 'id'"):
        list(ReportFile.open(tmp_path / "r.jsonl"))
    (tmp_path / "p.jsonl").write_text(row('"ok"', r"\ud800"))
    with pytest.raises(ValueError, match="line 1: column 'prediction'"):
        list(open_pairs(tmp_path / "p.jsonl"))
