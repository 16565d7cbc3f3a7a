"""Reading a publisher's files: every row comes with its location, and unreadable rows are never skipped."""

import pytest

from radeval_core.data.source_files import csv_rows, find_file, json_rows, number, stable_order, string
from radeval_core.errors import InputError


def written(tmp_path, text, name="rows.json"):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / name


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('[{"a": 1}, {"a": 2}]', ["row 1", "row 2"]),
        ('{"a": 1}\n\n{"a": 2}\n', ["line 1", "line 3"]),
        ('\ufeff{"a": 1}\n{"a": 2}', ["line 1", "line 2"]),
        ('{"x": {"a": 1}, "y": {"a": 2}}', ["row 'x'", "row 'y'"]),
    ],
)
def test_forms_of_json(tmp_path, text, places):
    path = written(tmp_path, text)
    rows = list(json_rows(path))
    assert [where for where, _ in rows] == [f"{path}: {place}" for place in places]
    assert [row["a"] for _, row in rows] == [1, 2]


def test_one_object_is_one_row(tmp_path):
    assert [row for _, row in json_rows(written(tmp_path, '{"a": 1}'))] == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": 1},', r"rows\.json: line 1, column 11: not valid JSON"),
        ('{"a": 1}\n{"a": ', r"rows\.json: line 2, column 7: not valid JSON .* or have one object per line"),
        ("[1]", r"rows\.json: row 1: expected a JSON object, got int"),
        (b'{"a": "\xff"}', r"rows\.json: not UTF-8 text"),
    ],
)
def test_bad_json(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        list(json_rows(written(tmp_path, text)))


def test_the_location_of_a_csv_row_is_its_last_line(tmp_path):
    path = written(tmp_path, 'a,b\n1,"two\nlines"\n,\n3,4\n', "rows.csv")
    assert list(csv_rows(path, ("a",))) == [
        (f"{path}: line 3", {"a": "1", "b": "two\nlines"}),
        (f"{path}: line 5", {"a": "3", "b": "4"}),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: column 'a' is missing; found"),
        ("b\n1\n", "line 1: column 'a' is missing; found b"),
        ("a\n1,2\n", "line 2: 2 columns, but the header has 1"),
        ('a\n"1\n', "not valid CSV"),
        (b"a\n\xff\n", "not UTF-8 text"),
    ],
)
def test_bad_csv(tmp_path, text, message):
    with pytest.raises(InputError, match=rf"rows\.csv: .*{message}"):
        list(csv_rows(written(tmp_path, text, "rows.csv"), ("a",)))


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        list(json_rows(tmp_path / "none.json"))
    with pytest.raises(InputError, match=r"none of a\.csv, b\.csv in it"):
        find_file(tmp_path, ("a.csv", "b.csv"))
    assert find_file(written(tmp_path, "", "b.csv").parent, ("a.csv", "b.csv")).name == "b.csv"


def test_values():
    assert string("here", {"a": "x"}, "a") == "x" and number("here", {"a": "2.5"}, "a", 0, 3) == 2.5
    for row, message in [({}, "'a' is missing"), ({"a": " "}, "a non-empty text"), ({"a": 1}, "a non-empty text")]:
        with pytest.raises(InputError, match=f"here: .*{message}"):
            string("here", row, "a")
    for value, message in [(True, "a number"), ("x", "a number"), (4, "from 0 to 3, got 4"), (float("nan"), "0 to 3")]:
        with pytest.raises(InputError, match=f"here: 'a' must be .*{message}"):
            number("here", {"a": value}, "a", 0, 3)


def test_the_shuffled_order_is_the_same_everywhere():
    assert stable_order("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
