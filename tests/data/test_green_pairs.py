"""GREEN's pairs: reports read from the prompt, counts read from the analysis."""

import json

import pytest
from invented_readings import ANALYSIS, green_pairs, green_prompt, green_row, write_csv

from radeval_core.data.green_pairs import DATASET, bench_row, read, remarks
from radeval_core.errors import InputError


def one(tmp_path, row):
    (tmp_path / "test.json").write_text(json.dumps([row]), "utf-8")
    (found,) = read(tmp_path / "test.json")["pairs"]["test"]
    return found


def test_pair_and_counts_by_hand(tmp_path):
    row = one(tmp_path, green_row(1))
    assert row["reference"] == "Effusion 1.\nNodule."
    assert row["prediction"] == "Effusion on the right 1."
    assert row["analysis"] == ANALYSIS and row["problem"] == ""
    assert (row["matched"], row["errors"], row["significant_errors"]) == (3, 4, 3)
    counted = {key: value for key, value in row.items() if key.endswith("significant") and value}
    assert counted == {
        "missing_finding_significant": 2,
        "wrong_location_significant": 1,
        "wrong_severity_insignificant": 1,
    }


def test_bench_row(tmp_path):
    row = one(tmp_path, green_row(1))
    (given,) = bench_row(row)
    assert given["expert"]["errors"] == 4 and given["expert"]["significant_errors"] == 3
    assert given["expert"]["categories"]["missing_finding"] == {"significant": 2, "insignificant": 0}
    assert given["expert"]["categories"]["wrong_severity"] == {"significant": 0, "insignificant": 1}
    assert given["study"] == row["study"] and given["id"].startswith(row["study"])


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": green_prompt("Gas.", "No gas."), "response": ANALYSIS},
        {"prompt": f"<|user|>\n{green_prompt('Gas.', 'No gas.')}</s>\n<|assistant|>\n{ANALYSIS}"},
        {"reference": "Gas.", "candidate": "No gas.", "green_analysis": ANALYSIS},
        {"reference": "Gas.", "predictions": "No gas.", "green_analysis": ANALYSIS},
        {
            "conv": [
                {"from": "system", "value": "Be brief."},
                {"from": "human", "value": green_prompt("Gas.", "No gas.")},
                {"from": "gpt", "value": ANALYSIS},
            ]
        },
    ],
)
def test_every_form_gives_the_same_pair(tmp_path, row):
    found = one(tmp_path, row)
    assert (found["reference"], found["prediction"], found["significant_errors"]) == ("Gas.", "No gas.", 3)


def test_results_as_csv(tmp_path):
    rows = [["Gas.", "No gas.", ANALYSIS]]
    path = write_csv(tmp_path / "test_results.csv", ["reference", "predictions", "green_analysis"], rows)
    assert [row["errors"] for row in read(path)["pairs"]["test"]] == [4]


def test_file_names_give_the_splits(tmp_path):
    tables = read(green_pairs(tmp_path))["pairs"]
    assert {split: len(rows) for split, rows in tables.items()} == {"train": 4, "validation": 1, "test": 2}
    assert len({row["id"] for row in tables["test"]}) == 2 and len({row["study"] for row in tables["test"]}) == 1


def test_one_file_is_split_by_reference(tmp_path):
    rows = [green_row(n // 2) for n in range(400)]
    (tmp_path / "pairs.json").write_text(json.dumps(rows), "utf-8")
    tables = read(tmp_path)["pairs"]
    studies = [{row["study"] for row in rows} for rows in tables.values()]
    assert sum(map(len, studies)) == len(set.union(*studies)) == 200
    assert 280 <= len(tables["train"]) <= 360 and min(len(tables["validation"]), len(tables["test"])) >= 16


def test_an_unreadable_analysis_is_kept_without_counts_and_reported(tmp_path):
    rows = [green_row(1), {"reference": "Gas.", "candidate": "Gas.", "green_analysis": "I cannot say."}]
    (tmp_path / "test.json").write_text(json.dumps(rows), "utf-8")
    tables = read(tmp_path)
    bad = tables["pairs"]["test"][1]
    assert bad["problem"] == "the answer has none of the sections that were asked for"
    assert bad["errors"] is None and bad["false_finding_significant"] is None
    assert bench_row(bad) == []
    assert remarks(tables) == [
        "1 of 2 analyses cannot be read and have no counts",
        "1: the answer has none of the sections that were asked for",
    ]


def test_no_remarks_if_everything_was_read(tmp_path):
    assert remarks(read(green_pairs(tmp_path))) == []


TWICE = green_prompt("Gas. Candidate Report: none", "No gas.")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": "Gas."}, "expected the columns 'conv', 'prompt' and 'response', or .*; found 'text'"),
        ({"reference": "", "candidate": "Gas.", "green_analysis": ANALYSIS}, "'reference' must be a non-empty text"),
        ({"reference": "Gas.", "candidate": "Gas."}, "'green_analysis' is missing"),
        (
            {"reference": "Gas.", "candidate": "a", "prediction": "b", "green_analysis": ANALYSIS},
            "expected the columns",
        ),
        ({"prompt": "Compare.", "response": ANALYSIS}, "the prompt must contain one 'Reference Report:'"),
        ({"prompt": TWICE, "response": ANALYSIS}, "the prompt must contain one 'Reference Report:'"),
        ({"prompt": green_prompt("Gas.", "No gas.")}, "'response' is missing"),
        ({"conv": []}, "'conv' must be a turn of 'human', then one of 'gpt'"),
        ({"conv": [{"from": "gpt", "value": "a"}, {"from": "human", "value": "b"}]}, "'conv' must be a turn of"),
        ({"conv": [{"from": "human", "value": green_prompt("a", "b")}, {"from": "gpt", "value": " "}]}, "the analysis"),
    ],
)
def test_bad_rows_name_file_and_row(tmp_path, row, message):
    (tmp_path / "train.json").write_text(json.dumps([green_row(1), row]), "utf-8")
    with pytest.raises(InputError, match=rf"train\.json: row 2: {message}"):
        read(tmp_path)


def test_bad_files(tmp_path):
    with pytest.raises(InputError, match=r"no file in it ends in \.json, \.jsonl, \.csv"):
        read(tmp_path)
    (tmp_path / "train.txt").write_text("", "utf-8")
    with pytest.raises(InputError, match=r"train\.txt: the file name must end in"):
        read(tmp_path / "train.txt")
    with pytest.raises(InputError, match="expected a JSON or CSV file"):
        read(tmp_path / "nowhere")


def test_it_may_not_be_published():
    assert not DATASET.publishable
