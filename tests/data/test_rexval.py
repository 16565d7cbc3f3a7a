"""ReXVal's files: counts per radiologist and category, the 160/40 split, and bad input."""

import csv

import pytest
from invented_sources import CANDIDATES, rexval, rexval_count

from radeval_core.data.rexval import COUNTS, DATASET, REPORTS
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError


@pytest.fixture
def source(tmp_path):
    return rexval(tmp_path)


def change(path, edit):
    """Let `edit` change the rows of a CSV file (row 0 is the header), and write the file again."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    edit(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def test_a_pair_by_hand(source):
    def edit(rows):
        for row in rows[1:]:
            if row[:2] == ["3", "s_emb"]:
                row[5] = "0"
        by_key = {tuple(row[:5]): row for row in rows}
        by_key["3", "s_emb", "1", "True", "0"][5] = "2"
        by_key["3", "s_emb", "4", "False", "0"][5] = "1"
        by_key["3", "s_emb", "6", "True", "5"][5] = "1"

    change(source / COUNTS, edit)
    (row,) = [row for row in DATASET.read(source)["all"]["test"] if row["id"] == "3-s_emb"]
    assert row["reference"] == "Nodule of 3 mm,\nno effusion."
    assert row["prediction"] == "Nodule of 3 mm, as s_emb says."
    assert row["study_id"] == "50000003"
    assert row["errors"] == [3, 0, 0, 0, 0, 1]
    assert row["significant_errors"] == [2, 0, 0, 0, 0, 1]
    assert row["false_finding_significant"] == [2, 0, 0, 0, 0, 0]
    assert row["wrong_severity_insignificant"] == [1, 0, 0, 0, 0, 0]
    assert row["omitted_comparison_significant"] == [0, 0, 0, 0, 0, 1]
    (rated,) = DATASET.configs["all"].bench(row)
    assert rated["study"] == "3"
    assert rated["expert"]["categories"]["wrong_severity"] == {
        "significant": [0] * 6,
        "insignificant": [1, 0, 0, 0, 0, 0],
    }


def test_every_count_is_in_its_column(source):
    rows = {row["id"]: row for row in DATASET.read(source)["all"]["test"]}
    assert len(rows) == 200
    for study in range(50):
        for candidate in CANDIDATES:
            row = rows[f"{study}-{candidate}"]
            for number, category in enumerate(CATEGORIES, start=1):
                for gravity in ("significant", "insignificant"):
                    expected = [
                        rexval_count(study, candidate, number, gravity == "significant", rater) for rater in range(6)
                    ]
                    assert row[f"{category}_{gravity}"] == expected


def test_the_split_holds_out_ten_whole_studies(source):
    split = DATASET.read(source)["split"]
    assert (len(split["train"]), len(split["test"])) == (160, 40)
    train, test = ({row["study"] for row in rows} for rows in split.values())
    assert len(test) == 10 and not train & test
    assert sorted(test, key=int) == ["0", "1", "12", "21", "22", "25", "31", "32", "39", "40"]


def test_raters_may_be_numbered_from_one(source):
    before = DATASET.read(source)
    change(source / COUNTS, lambda rows: [row.__setitem__(4, str(int(row[4]) + 1)) for row in rows[1:]])
    assert DATASET.read(source) == before


@pytest.mark.parametrize(
    ("file", "edit", "message"),
    [
        (COUNTS, lambda rows: rows.pop(7),
         r"no row for study 0, candidate radgraph, category 1, clinically_significant False, rater 0"),
        (COUNTS, lambda rows: rows.append(rows[5]),
         r"line 14402: duplicate count for study 0, radgraph, rater 4"),
        (COUNTS, lambda rows: rows[2].__setitem__(5, "-1"), r"line 3: 'num_errors' must be from 0 to 50, got -1"),
        (COUNTS, lambda rows: rows[2].__setitem__(5, "0.5"), r"line 3: 'num_errors' must be a whole number, got 0.5"),
        (COUNTS, lambda rows: rows[2].__setitem__(5, ""), r"line 3: 'num_errors' must be a number, got ''"),
        (COUNTS, lambda rows: rows[2].__setitem__(2, "7"), r"line 3: 'error_category' must be from 1 to 6, got 7"),
        (COUNTS, lambda rows: rows[2].__setitem__(0, "50"), r"line 3: 'study_number' must be from 0 to 49, got 50"),
        (COUNTS, lambda rows: rows[2].__setitem__(1, "rouge"),
         r"line 3: 'candidate_type' must be one of .*, got 'rouge'"),
        (COUNTS, lambda rows: rows[2].__setitem__(3, "yes"), r"line 3: 'clinically_significant' must be True or False"),
        (COUNTS, lambda rows: rows[2].__setitem__(4, "9"), r"expected 6 raters, got 7"),
        (COUNTS, lambda rows: rows[0].__setitem__(5, "errors"), r"line 1: column 'num_errors' is missing"),
        (REPORTS, lambda rows: rows.pop(), r"expected 50 studies, got 49"),
        (REPORTS, lambda rows: rows[3].__setitem__(4, " "), r"line 7: 's_emb' must be a non-empty text"),
    ],
)  # fmt: skip
def test_a_wrong_layout_is_refused_with_file_and_row(source, file, edit, message):
    change(source / file, edit)
    with pytest.raises(InputError, match=f"{file}: .*{message}" if "line" in message else message):
        DATASET.read(source)


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(InputError, match=REPORTS):
        DATASET.read(tmp_path)
