"""Formats and encodings: the same rows from every kind of file, and nothing guessed without a word."""

import gzip
import json
import os
import threading

import pytest

from radeval_core import cli
from radeval_core.errors import InputError
from radeval_core.io import ReportFile, json_table, open_pairs, open_text_files
from radeval_core.pairs import Pair

ROWS = [
    {"id": "a", "prediction": "Clear lungs; no effusion.", "reference": "Lungs are clear,\nheart too."},
    {"id": "b", "prediction": "", "reference": 'The "nodule" is stable.'},
]
PAIRS = [Pair(r["prediction"], (r["reference"],), r["id"]) for r in ROWS]


def delimited(separator):
    def cell(text):
        return '"' + text.replace('"', '""') + '"'

    return "\n".join([separator.join(ROWS[0]), *(separator.join(map(cell, row.values())) for row in ROWS)]) + "\n"


FILES = {
    "p.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "p.csv": delimited(","),
    "semicolon.csv": delimited(";"),
    "tab.csv": delimited("\t"),
    "p.tsv": delimited("\t"),
    "list.json": json.dumps(ROWS, indent=2),
    "columns.json": json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}),
    "pandas.json": json.dumps({name: {str(i): row[name] for i, row in enumerate(ROWS)} for name in ROWS[0]}),
}


@pytest.fixture
def said(caplog):
    """Return the notes so far."""
    caplog.set_level("WARNING", logger="radeval_core")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_pairs(tmp_path, name, said):
    (tmp_path / name).write_text(FILES[name], "utf-8", newline="")
    with gzip.open(tmp_path / f"{name}.gz", "wt", encoding="utf-8", newline="") as file:
        file.write(FILES[name])
    reader = open_pairs(tmp_path / name)
    assert list(reader) == list(reader) == list(open_pairs(tmp_path / f"{name}.gz")) == PAIRS
    assert said() == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["p.jsonl", "p.csv", "list.json"])
def test_utf_16_is_read_and_announced_once(tmp_path, name, encoding, said):
    (tmp_path / name).write_bytes(FILES[name].encode(encoding))
    reader = open_pairs(tmp_path / name)
    assert list(reader) == list(reader) == PAIRS
    assert said() == [f"{tmp_path / name}: read as UTF-16"]


def test_latin_1_is_read_and_announced_once(tmp_path, said):
    path = tmp_path / "p.csv"
    path.write_bytes("prediction,reference\na,b\nÖdem,Erguß\n".encode("latin-1"))
    reader = open_pairs(path)
    assert list(reader) == list(reader) == [Pair("a", ("b",), 0), Pair("Ödem", ("Erguß",), 1)]
    assert said() == [f"{path}: not UTF-8 from line 3 on, so it is read as Latin-1 (Windows-1252)"]


def test_latin_1_is_recognised_after_many_blocks(tmp_path, said):
    rows = [f'{{"prediction": "{"x" * 70}", "reference": "b"}}' for _ in range(5000)]
    rows[4000] = '{"prediction": "Ödem", "reference": "b"}'
    (tmp_path / "p.jsonl").write_bytes("\n".join(rows).encode("latin-1"))
    pairs = list(open_pairs(tmp_path / "p.jsonl"))
    assert len(pairs) == 5000 and pairs[4000].prediction == "Ödem"
    assert "from line 4001 on" in said()[0]


def test_utf_8_with_a_character_across_blocks(tmp_path, said):
    texts = ["é" * 40_001, "x" + "漢" * 40_001]
    (tmp_path / "p.txt").write_text("\n".join(texts), "utf-8")
    assert [text for _, text in ReportFile.open(tmp_path / "p.txt")] == texts
    assert said() == []


BYTES = [
    ("p.jsonl", '{"prediction": "Ödem", "reference": ""}\n'.encode() + b"\xd6dem", "line 2: not UTF-8 text"),
    ("p.csv", b"\xef\xbb\xbfprediction,reference\n\xd6dem,b", "line 2: not UTF-8 text"),
    ("p.csv", b"prediction,reference\na\x81,b\n", "line 2: not UTF-8 and not Latin-1 text"),
    ("p.csv", b"\xff\xfep\x00r\x00e", "line 1: not UTF-16 text|columns? .* missing"),
    ("p.csv", b"PAR1\x15\x04", "not a text file but a Parquet file: its name must end in .parquet"),
    ("p.csv", b"PK\x03\x04\x14", "an Excel sheet: save it as .csv"),
    ("p.jsonl", gzip.compress(b"{}", mtime=0), "a gzip file: its name must end in .gz"),
    ("p.jsonl.gz", b"{}", "not a complete gzip file"),
    ("p.csv.gz", gzip.compress(FILES["p.csv"].encode(), mtime=0)[:-9], "not a complete gzip file"),
]


@pytest.mark.parametrize("name, content, message", BYTES)
def test_bytes_that_cannot_be_read_as_text(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(open_pairs(tmp_path / name))


WRONG_JSON = [
    ("", r"p.json: empty: expected a list of objects, or an object of columns"),
    ('"text"', r"p.json: not a table"),
    ('{"prediction": "a", "reference": "b"}', r"p.json: expected a list of objects, or an object of columns"),
    ('{"prediction": ["a"], "reference": ["b", "c"]}', r"p.json: expected a list"),
    ('{"prediction": {"0": "a"}, "reference": {"1": "b"}}', r"p.json: expected a list"),
    ('[{"prediction": "a", "reference": "b"},\n["a"]]', r"line 2: not valid JSON \(row 2 is not an object"),
    ('[{"prediction": "a", "reference": "b"},\n{"prediction" "a"}]', r"p.json: line 2: not valid JSON \(Expecting"),
    ('[{"prediction": "a", "reference": "b"}\n{}]', r"line 2: not valid JSON \(expected ',' or '\]' after row 1"),
    ('[{"prediction": "a", "reference": "b"}', r"line 1: not valid JSON \(expected ',' or"),
    ('[{"prediction": "a", "reference": "b"}] x', r"not valid JSON \(more text after the end"),
    ('{"prediction": [], "reference": []}\n{}', r"line 2: .*one object per line is named .jsonl"),
    ('[{"prediction": "a"}]', r"p.json: row 1: column 'reference' is missing"),
    ('[{"prediction": "a", "reference": "b"}, {"prediction": 5, "reference": ""}]', r"row 2: column 'prediction' must"),
]


@pytest.mark.parametrize("block", [1, 1 << 16])
@pytest.mark.parametrize("content, message", WRONG_JSON)
def test_wrong_json_is_refused(tmp_path, content, message, block, monkeypatch):
    monkeypatch.setattr(json_table, "_BLOCK", block)
    (tmp_path / "p.json").write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        list(open_pairs(tmp_path / "p.json"))


@pytest.mark.parametrize("block", [1, 7, 100])
def test_json_is_read_in_blocks_of_any_size(tmp_path, block, monkeypatch):
    monkeypatch.setattr(json_table, "_BLOCK", block)
    (tmp_path / "p.json").write_text(FILES["list.json"], "utf-8")
    assert list(open_pairs(tmp_path / "p.json")) == PAIRS


def test_a_list_of_objects_is_not_held_in_memory(tmp_path):
    import tracemalloc

    row = json.dumps({"prediction": "x" * 500, "reference": "y" * 500})
    (tmp_path / "p.json").write_text("[" + ",\n".join([row] * 20_000) + "]", "utf-8")
    tracemalloc.start()
    assert sum(1 for _ in open_pairs(tmp_path / "p.json")) == 20_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000, "the file has 20 MB"


def test_an_empty_list_has_no_pairs(tmp_path):
    (tmp_path / "p.json").write_text(" [ ] ", "utf-8")
    assert list(open_pairs(tmp_path / "p.json")) == []


@pytest.mark.parametrize("name", ["p.xlsx", "p.txt", "p", "p.gz", "p.parquet.gz", "p.jsonl.zip"])
def test_other_endings_are_refused_with_those_that_are_read(tmp_path, name):
    (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match=r"must end in .jsonl, .json, .csv, .tsv, .parquet; all but .parquet also"):
        open_pairs(tmp_path / name)


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl.gz", "p.parquet"])
def test_a_table_is_not_a_text_file(tmp_path, name):
    (tmp_path / name).write_text("x")
    (tmp_path / "r.txt").write_text("x")
    with pytest.raises(InputError, match="is a table, not a text file with one report per line: give it as PAIRS"):
        open_text_files(tmp_path / name, tmp_path / "r.txt")


def test_old_mac_line_ends_in_csv(tmp_path):
    (tmp_path / "p.csv").write_bytes(b"prediction,reference\ra,b\rc,d\r")
    assert [pair.prediction for pair in open_pairs(tmp_path / "p.csv")] == ["a", "c"]


def test_a_separator_in_a_column_name_does_not_hide_the_columns(tmp_path):
    (tmp_path / "p.csv").write_text('prediction,reference,"a;b;c;d"\nx,y,z\n')
    assert list(open_pairs(tmp_path / "p.csv")) == [Pair("x", ("y",), 0)]


@pytest.mark.parametrize("name", FILES)
def test_parse_and_oracle_read_every_format(tmp_path, name, capsys):
    path, out = tmp_path / name, tmp_path / "o.jsonl"
    path.write_text(FILES[name].replace("prediction", "report"), "utf-8", newline="")
    assert cli.main(["parse", str(path), "--out", str(out)]) == 0
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["a", "b"]
    assert cli.main(["oracle", str(path), str(path), "--metric", "rouge", "--out", str(out), "--json"]) == 0
    assert json.loads(out.read_text().splitlines()[0])["best_id"] == "a"


@pytest.mark.parametrize(
    "name, message",
    [
        (
            "p.csv",
            "line 1: column 'text' or 'report' is missing; found 'id', 'prediction', 'reference'; try --text",
        ),
        ("p.dat", "cannot tell the format, the name must end in .jsonl, .json, .csv, .tsv, .parquet, .txt"),
    ],
)
def test_parse_refuses_what_it_cannot_tell(tmp_path, name, message, capsys):
    (tmp_path / name).write_text(FILES["p.csv"], "utf-8", newline="")
    assert cli.main(["parse", str(tmp_path / name), "--json"]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and not printed.out


def test_a_pipe_of_any_encoding_is_read_once(tmp_path, said):
    os.mkfifo(tmp_path / "pipe.csv")
    content = FILES["semicolon.csv"].replace("heart", "coração").encode("latin-1")
    writer = threading.Thread(target=(tmp_path / "pipe.csv").write_bytes, args=(content,))
    writer.start()
    pairs = list(open_pairs(tmp_path / "pipe.csv"))
    writer.join()
    assert pairs[0].reference == "Lungs are clear,\ncoração too." and len(said()) == 1
