"""ReFiSco: readings of reports, line by line, from the publishers' tables."""

import pytest
from invented_readings import (
    PARAPHRASE_HEADER,
    V0,
    V0_HEADER,
    V1,
    V1_HEADER,
    refisco_v0,
    refisco_v1,
    write_csv,
)

from radeval_core.corrections.lines import split_lines
from radeval_core.data.refisco import DATASETS, bench_row, read_v0, read_v1
from radeval_core.errors import InputError


def readings(tables):
    return {row["id"]: row for row in tables["corrections"]["test"]}


@pytest.fixture
def v0(tmp_path):
    return readings(read_v0(refisco_v0(tmp_path)))


@pytest.fixture
def v1(tmp_path):
    return readings(read_v1(refisco_v1(tmp_path)))


def test_v0_reading_by_hand(v0):
    row = v0["p1s1-XREM-0"]
    assert row["prediction"] == "Heart is large. Lungs are clear. No gas."
    assert row["reference"] == "Heart is normal. No gas. Small left effusion."
    assert [line["line"] for line in row["lines"]] == [0, 1, 2, None]
    assert [line["action"] for line in row["lines"]] == ["rewrite", "delete", "keep", "insert"]
    assert [line["severity"] for line in row["lines"]] == [2, 1, 0, 3]
    assert [line["corrected"] for line in row["lines"]] == ["Heart is normal.", "", "No gas.", "Small left effusion."]
    assert (row["severity_sum"], row["severity_max"]) == (6, 3)
    assert (row["study"], row["source"], row["annotator"], row["indication"]) == ("p1s1", "XREM", "0", "Cough.")


def test_v0_rows_of_one_reading_need_not_be_adjacent(tmp_path):
    mixed = [V0[i] for i in (5, 0, 6, 1, 7, 2, 4, 3)]
    again = readings(read_v0(write_csv(tmp_path / "refisco-v0.csv", V0_HEADER, mixed)))
    plain = readings(read_v0(write_csv(tmp_path / "plain.csv", V0_HEADER, V0)))
    assert again == plain and len(plain) == 3


def test_two_radiologists_read_the_same_report(v0):
    first, second = v0["p1s1-XREM-0"], v0["p1s1-XREM-1"]
    assert first["prediction"] == second["prediction"]
    assert second["reference"] == "Heart is large. Lungs are clear."
    assert second["severity_max"] == 4


def test_v1_reading_by_hand(v1):
    row = v1["3-findings-A"]
    assert row["reference"] == "Tube is in place. Tip at 3 cm."
    assert [(line["action"], line["severity"], line["rating"]) for line in row["lines"]] == [
        ("rewrite", 1, "Invalid comparison"),
        ("keep", 0, "No error"),
        ("delete", 3, "Urgent error"),
    ]
    assert row["lines"][0]["comment"] == "no prior"
    assert (row["study"], row["section"]) == ("70", "findings")


def test_v1_only_the_paraphrased_report_has_a_paraphrase(v1):
    assert v1["3-findings-A"]["paraphrase"] == "The tube has not moved. Its tip is 3 cm up."
    assert v1["3-impression-A"]["paraphrase"] is None


def test_v1_without_paraphrases(tmp_path):
    rows = readings(read_v1(write_csv(tmp_path / "refisco-v1.csv", V1_HEADER, V1)))
    assert [row["paraphrase"] for row in rows.values()] == [None, None]


def test_lines_match_their_positions(v0, v1):
    for row in (*v0.values(), *v1.values()):
        for line in row["lines"]:
            if line["line"] is None:
                assert (line["text"], line["start"], line["end"]) == ("", None, None)
            else:
                assert row["prediction"][line["start"] : line["end"]] == line["text"]


def test_the_judges_lines_are_the_annotated_lines(v0):
    for row in v0.values():
        assert [line.text for line in split_lines(row["prediction"])] == [
            line["text"] for line in row["lines"] if line["line"] is not None
        ]


def test_kept_rewritten_and_inserted_lines_form_the_reference(v0, v1):
    for row in (*v0.values(), *v1.values()):
        assert row["reference"] == " ".join(line["corrected"] for line in row["lines"] if line["corrected"])


def test_bench_row_is_the_row_without_the_indication(v0):
    row = v0["p1s1-XREM-0"]
    (given,) = bench_row(row)
    assert given == {key: value for key, value in row.items() if key != "indication"}


def test_spelling_of_a_rating_does_not_matter(tmp_path):
    path = write_csv(tmp_path / "refisco-v0.csv", V0_HEADER, changed(V0, 0, score="actionable Non-urgent error "))
    assert readings(read_v0(path))["p1s1-XREM-0"]["lines"][0]["rating"] == "Actionable nonurgent error"


def test_neither_may_be_published():
    assert not any(dataset.publishable for dataset in DATASETS)


def changed(rows, place, **values):
    """Return the rows with some cells of one row replaced."""
    rows = [list(row) for row in rows]
    header = V0_HEADER if len(rows[0]) == len(V0_HEADER) else V1_HEADER
    for column, value in values.items():
        rows[place][header.index(column)] = value
    return rows


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"score": "Severe"}, r"refisco-v0\.csv: line 3: unknown severity 'Severe'; expected one of No error, "),
        ({"score": ""}, r"line 3: unknown severity ''"),
        ({"impression_edited": ""}, r"line 3: 'impression_edited' is empty; expected a text, \[no edit\] or"),
        ({"impression_original": ""}, r"line 3: no line and no text to insert, only '\[delete\]'"),
        ({"id": ""}, r"line 3: 'id' must be a non-empty text"),
        ({"annotator": " "}, r"line 3: 'annotator' must be"),
    ],
)
def test_v0_bad_rows_name_file_and_row(tmp_path, values, message):
    path = write_csv(tmp_path / "refisco-v0.csv", V0_HEADER, changed(V0, 1, **values))
    with pytest.raises(InputError, match=message):
        read_v0(path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"error_clinical_severity": "bad"}, r"refisco-v1\.csv: line 2: unknown severity 'bad'"),
        ({"error_clinical_severity": ""}, r"line 2: unknown severity ''"),
        ({"report_type": ""}, r"line 2: 'report_type' must be a non-empty text"),
        ({"original_line": "", "corrected_line": ""}, r"line 2: no line and no text to insert, only 'Invalid comp"),
    ],
)
def test_v1_bad_rows_name_file_and_row(tmp_path, values, message):
    write_csv(tmp_path / "refisco-v1.csv", V1_HEADER, changed(V1, 0, **values))
    with pytest.raises(InputError, match=message):
        read_v1(tmp_path)


def test_a_paraphrase_of_an_unknown_report_is_refused(tmp_path):
    refisco_v1(tmp_path)
    unknown = [["", "9", "", "", "findings", "", "", "Clear.", "", "", ""]]
    write_csv(tmp_path / "refisco-v1-paraphrased.csv", PARAPHRASE_HEADER, unknown)
    with pytest.raises(InputError, match=r"paraphrased\.csv: report '9-findings' is not in .*refisco-v1\.csv"):
        read_v1(tmp_path)


def test_bad_files(tmp_path):
    with pytest.raises(InputError, match=r"none of refisco-v0\.csv"):
        read_v0(tmp_path)
    with pytest.raises(InputError, match="column 'annotator' is missing"):
        read_v0(write_csv(tmp_path / "short.csv", V0_HEADER[:-2], []))
    with pytest.raises(InputError, match="line 2: 2 columns, but the header has 7"):
        read_v0(write_csv(tmp_path / "torn.csv", V0_HEADER, [["a", "b"]]))
    with pytest.raises(InputError, match="has a header but no rows"):
        read_v0(write_csv(tmp_path / "empty.csv", V0_HEADER, []))
