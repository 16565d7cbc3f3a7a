import json
import os
import stat

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.errors import InputError
from radeval_core.io import check_output, open_pairs, open_text_files, write_atomically, write_rows
from radeval_core.pairs import Pair

ROWS = [
    {"id": "a", "prediction": "Clear lungs.", "reference": "Lungs are clear."},
    {"id": "b", "prediction": "", "reference": 'He said "no",\nand left.'},
    {"id": "c", "prediction": "x\u2028y\x0bz", "reference": "Ödem"},
]
PAIRS = [Pair(r["prediction"], (r["reference"],), r["id"]) for r in ROWS]


def write(path, text):
    path.write_text(text, "utf-8", newline="")
    return path


def test_jsonl(tmp_path):
    path = write(tmp_path / "p.jsonl", "\n".join(json.dumps(r, ensure_ascii=False) for r in ROWS) + "\n\n")
    reader = open_pairs(path)
    assert list(reader) == PAIRS
    assert list(reader) == PAIRS, "a reader can be read again"


def test_jsonl_with_byte_order_mark_and_windows_line_ends(tmp_path):
    path = write(tmp_path / "p.jsonl", "\ufeff" + "\r\n".join(json.dumps(r) for r in ROWS))
    assert list(open_pairs(path)) == PAIRS


def test_csv(tmp_path):
    import csv

    with open(tmp_path / "p.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", "reference", "prediction", "more"])
        writer.writeheader()
        writer.writerows({**r, "more": 1} for r in ROWS)
    assert list(open_pairs(tmp_path / "p.csv")) == PAIRS


def test_parquet(tmp_path):
    pa.parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "p.parquet")
    assert list(open_pairs(tmp_path / "p.parquet")) == PAIRS


def test_several_references_and_missing_ids(tmp_path):
    path = write(
        tmp_path / "p.jsonl", '{"prediction": "a", "reference": ["b", "c"]}\n{"prediction": "", "reference": ""}'
    )
    assert list(open_pairs(path)) == [Pair("a", ("b", "c"), 0), Pair("", ("",), 1)]
    pa.parquet.write_table(pa.table({"prediction": ["a"], "reference": [["b", "c"]]}), tmp_path / "p.parquet")
    assert list(open_pairs(tmp_path / "p.parquet")) == [Pair("a", ("b", "c"), 0)]


def test_limit(tmp_path):
    path = write(tmp_path / "p.jsonl", "\n".join(json.dumps(r) for r in ROWS) + "\nnot json")
    assert list(open_pairs(path, limit=2)) == PAIRS[:2]
    a, b = write(tmp_path / "a.txt", "1\n2\n3\n"), write(tmp_path / "b.txt", "1\n2\n")
    assert len(list(open_text_files(a, b, limit=2))) == 2


def test_text_files_keep_every_line(tmp_path):
    # an empty line is an empty report, and only a line feed ends a line
    mine = write(tmp_path / "a.txt", "one\n\nthree\u2028still three\x0c\r\n")
    theirs = write(tmp_path / "b.txt", "eins\nzwei\ndrei")
    texts = [(p.prediction, p.reference) for p in open_text_files(mine, theirs)]
    assert texts == [("one", "eins"), ("", "zwei"), ("three\u2028still three\x0c", "drei")]


def test_text_files_of_different_length(tmp_path):
    a, b = write(tmp_path / "a.txt", "1\n2\n3\n"), write(tmp_path / "b.txt", "1\n2\n3\n4\n5")
    with pytest.raises(InputError, match=r"a.txt has 3 lines and .*b.txt has 5"):
        list(open_text_files(a, b))
    with pytest.raises(InputError, match=r"b.txt has 5 lines and .*a.txt has 3"):
        list(open_text_files(b, a))


GOOD = '{"prediction": "a", "reference": "b"}\n'
BAD = [
    ("p.jsonl", GOOD + '{"prediction": "a", "reference" "b"}', r"p.jsonl: line 2, column 33: not valid JSON"),
    ("p.jsonl", GOOD + "[1]", r"p.jsonl: line 2: expected a JSON object, got list"),
    ("p.jsonl", GOOD + '{"prediction": "a"}', r"p.jsonl: line 2: column 'reference' is missing; found 'prediction'"),
    ("p.jsonl", '{"prediction": true, "reference": ""}', r"line 1: column 'prediction' must be a string, got bool"),
    ("p.jsonl", '{"prediction": "", "reference": 3}', r"line 1: column 'reference' must be a string, got int"),
    ("p.jsonl", '{"prediction": "", "reference": []}', r"line 1: column 'reference' is an empty list"),
    ("p.jsonl", '{"prediction": "", "reference": ["", null]}', r"line 1: column 'reference'\[1\] must be a string"),
    ("p.jsonl", '{"id": [1], "prediction": "", "reference": ""}', r"line 1: column 'id' must be a string or a whole"),
    ("p.csv", "", r"p.csv: line 1: the header is missing"),
    ("p.csv", "prediction,ref\na,b\n", r"p.csv: line 1: column 'reference' is missing; found 'prediction', 'ref'"),
    ("p.csv", "prediction,reference\na,b\na\n", r"p.csv: line 3: 1 columns where the header has 2"),
    ("p.csv", 'prediction,reference\n"a,b\n', r"p.csv: line 2: not valid CSV"),
    ("p.parquet", "not parquet", r"p.parquet: not a Parquet file"),
    ("p.txt", "a", r"p.txt: cannot tell the format, the name must end in .jsonl, .json, .csv, .tsv, .parquet"),
]


@pytest.mark.parametrize("name, content, message", BAD)
def test_bad_files_are_named_with_line_and_column(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message):
        list(open_pairs(write(tmp_path / name, content)))


def test_missing_parquet_column(tmp_path):
    pa.parquet.write_table(pa.table({"prediction": ["a"]}), tmp_path / "p.parquet")
    with pytest.raises(InputError, match=r"p.parquet: schema: column 'reference' is missing; found 'prediction'"):
        list(open_pairs(tmp_path / "p.parquet"))


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        open_pairs(tmp_path / "none.jsonl")
    (tmp_path / "d.jsonl").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        open_pairs(tmp_path / "d.jsonl")


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=20))
def test_no_text_loses_or_shifts_a_row(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("any")
    texts = [(p.encode("utf-8", "replace").decode(), r.encode("utf-8", "replace").decode()) for p, r in texts]
    rows = [{"prediction": p, "reference": r} for p, r in texts]
    write(folder / "p.jsonl", "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    pa.parquet.write_table(pa.Table.from_pylist(rows), folder / "p.parquet")
    for name in ("p.jsonl", "p.parquet"):
        assert [(p.prediction, p.reference) for p in open_pairs(folder / name)] == texts


SCORES = [{"id": "a", "scores": {"x": 0.1, "x.part": None}}, {"id": 7, "scores": {"x": 1 / 3, "x.part": 2.0}}]


def test_written_jsonl(tmp_path):
    write_rows(tmp_path / "o.jsonl", iter(SCORES))
    assert [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()] == SCORES


def test_written_csv(tmp_path):
    write_rows(tmp_path / "o.csv", iter(SCORES))
    assert (tmp_path / "o.csv").read_text() == f"id,x,x.part\na,0.1,\n7,{1 / 3},2.0\n"


def test_written_parquet(tmp_path):
    write_rows(tmp_path / "o.parquet", iter(SCORES))
    rows = pa.parquet.read_table(tmp_path / "o.parquet").to_pylist()
    assert rows == [{"id": "a", "x": 0.1, "x.part": None}, {"id": "7", "x": 1 / 3, "x.part": 2.0}]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interrupted_write_leaves_the_old_file(tmp_path, error):
    target = write(tmp_path / "o.jsonl", "old")

    def rows():
        yield SCORES[0]
        raise error

    with pytest.raises(error):
        write_rows(target, rows())
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["o.jsonl"], "no debris"


def test_a_new_file_has_ordinary_permissions(tmp_path):
    old = os.umask(0o022)
    try:
        write_atomically(tmp_path / "o.csv", lambda p: p.write_text("x"))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "o.csv").stat().st_mode) == 0o644


@pytest.mark.parametrize(
    "name, message", [("o.xlsx", "must end in"), ("none/o.csv", "does not exist"), ("dir.csv", "is a folder")]
)
def test_bad_output_names(tmp_path, name, message):
    (tmp_path / "dir.csv").mkdir()
    with pytest.raises(InputError, match=message):
        check_output(tmp_path / name)
