"""Exports are rows that `radeval bench` reads, with every number where it belongs; agreement by hand-worked cases."""

import json

import numpy as np
import pytest
from study_samples import PAIRS, answer, counts, desk_of, make_study, save

from radeval_core.bench.sources import open_data
from radeval_core.errors import InputError
from radeval_core.reading.agreement import agreement_so_far, progress
from radeval_core.reading.export import check_export_folder, export_rows, finished_readings, write_export


@pytest.fixture
def study(tmp_path):
    """A study with three readers: anna finished all cases, bo one, and cy none."""
    study, _, _ = make_study(tmp_path, readers=("anna", "bo", "cy"))
    anna, bo, cy = (desk_of(study, name) for name in ("anna", "bo", "cy"))
    wrong_side = {"rating": 2, "errors": counts(wrong_location=1)}
    poor = {"rating": 0, "errors": counts(missing_finding=1, false_finding=(1, 2))}
    save(anna, "c0001", answer(wrong_side, poor, preferred=0, confidence=4, comment="Side."))
    save(anna, "c0002", answer({"rating": 1}, {"rating": 3}, preferred="same", confidence=1))
    fixed = [
        {"line": 0, "action": "delete", "rating": "Not actionable"},
        {"line": 1, "action": "rewrite", "corrected": "Left pneumothorax", "rating": "Emergent error", "comment": "!"},
        {"action": "insert", "corrected": "No fracture", "rating": "Actionable nonurgent error"},
    ]
    save(anna, "c0003", answer({"rating": 1, "corrections": fixed}))
    save(bo, "c0001", answer({"rating": 3}, wrong_side, preferred=1, confidence=2))
    save(cy, "c0001", {**answer({"rating": 3}, {"rating": 3}), "done": False})
    return study


def exported(study, out):
    export = export_rows(finished_readings(study))
    write_export(export, check_export_folder(out))
    return export


def test_rated_rows_have_one_number_per_reader_in_the_order_of_the_names(study):
    rows = {row["id"]: row for row in export_rows(finished_readings(study)).rated}
    assert list(rows) == [row["id"] for row in PAIRS]
    a1, a2, b1 = (rows[name]["expert"] for name in ("a1", "a2", "b1"))
    assert a1["errors"] == [1, 0] and a1["significant_errors"] == [1, 0] and a1["rating"] == [2, 3]
    assert a2["errors"] == [4, 1] and a2["significant_errors"] == [2, 1]
    assert a2["categories"]["false_finding"] == {"significant": [1, 0], "insignificant": [2, 0]}
    assert a1["preferred"] == [1, 0] and a2["preferred"] == [0, 1] and a1["confidence"] == [4, 2]
    assert b1["preferred"] == [0.5, None] and b1["errors"] == [0, None]
    assert "preferred" not in rows["c1"]["expert"]
    assert {key: rows["a1"][key] for key in ("study", "candidate", "prediction")} == {
        key: PAIRS[0][key] for key in ("study", "candidate", "prediction")
    }


def test_a_corrected_report_has_the_lines_of_refisco(study):
    (row,) = [r for r in export_rows(finished_readings(study)).corrections if r["id"] == "c1-anna"]
    assert row["reference"] == "FINDINGS:\nLeft pneumothorax. No fracture."
    text = row["prediction"]
    assert [(line["action"], line["severity"], line["corrected"]) for line in row["lines"]] == [
        ("delete", 1, ""),
        ("rewrite", 4, "Left pneumothorax."),
        ("insert", 2, "No fracture."),
    ]
    assert [text[line["start"] : line["end"]] for line in row["lines"][:2]] == [
        "FINDINGS: Old rib fracture.",
        "No pneumothorax.",
    ]
    assert (row["severity_sum"], row["severity_max"], row["annotator"]) == (7, 4, "anna")


def test_bench_opens_what_is_exported(study, tmp_path):
    exported(study, tmp_path / "out")
    data = open_data(tmp_path / "out" / "rated.jsonl")
    np.testing.assert_array_equal(data.raters["rating"], [[2, 3], [0, 2], [1, np.nan], [3, np.nan], [1, np.nan]])
    assert data.category("wrong_location", "significant")[1].tolist() == [0, 1]
    assert data.candidates == [row["candidate"] for row in PAIRS]
    corrected = open_data(tmp_path / "out" / "corrections.jsonl")
    assert len(corrected.readings) == 7 and corrected.readings[-1].severity == 4
    about = json.loads((tmp_path / "out" / "export.json").read_text())
    assert about["readers"] == ["anna", "bo"] and about["finished"] == {"anna": 3, "bo": 1}
    (comment,) = (json.loads(line) for line in (tmp_path / "out" / "comments.jsonl").read_text().splitlines())
    assert comment == {"study": "a", "ids": ["a1", "a2"], "reader": "anna", "comment": "Side."}


def test_an_export_replaces_only_an_earlier_one(study, tmp_path):
    exported(study, tmp_path / "out")
    exported(study, tmp_path / "out")
    assert (tmp_path / "out" / "rated.jsonl").stat().st_mode & 0o077 == 0
    (tmp_path / "out" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match=r"contains mine\.txt"):
        exported(study, tmp_path / "out")
    with pytest.raises(InputError, match="not an earlier export"):
        exported(study, study.folder)


@pytest.mark.parametrize(
    ("asked", "files"),
    [
        (("rating",), {"rated.jsonl"}),
        (("preference",), {"rated.jsonl"}),
        (("errors", "comment"), {"rated.jsonl"}),
        (("corrections",), {"corrections.jsonl"}),
    ],
)
def test_only_what_was_asked_is_exported(asked, files, tmp_path):
    study, _, _ = make_study(tmp_path, asked=asked)
    for name in ("anna", "bo"):
        desk = desk_of(study, name)
        for key, case in study.cases.items():
            more = {"preferred": 0, "confidence": 1} if len(case.candidates) == 2 else {}
            save(desk, key, answer(*[{"rating": 3}] * len(case.candidates), **more))
    exported(study, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == files | {"export.json"}
    for file in files:
        assert open_data(tmp_path / "out" / file)
    assert agreement_so_far(study)["readers"] == ["anna", "bo"]


def test_nothing_to_export_is_one_clear_line(tmp_path):
    study, _, _ = make_study(tmp_path)
    with pytest.raises(InputError, match="no reader has finished a case yet"):
        export_rows(finished_readings(study))
    assert agreement_so_far(study) == {"readers": [], "enough": 10, "measures": {}, "preference": []}


def test_progress_counts_finished_and_begun_cases(study):
    rows = progress(study)
    assert [(row["reader"], row["done"], row["begun"], row["cases"]) for row in rows] == [
        ("anna", 3, 0, 3),
        ("bo", 1, 0, 3),
        ("cy", 0, 1, 3),
    ]
    assert rows[0]["last"] and rows[2]["last"]


def test_agreement_is_over_what_both_readers_finished(study):
    found = agreement_so_far(study)
    # ratings of a1 and a2: anna 2 and 0, bo 3 and 2: the same order, so tau is 1
    assert found["measures"]["rating"]["matrix"][0][1] == 1.0
    # Shrout and Fleiss by hand, rows (2, 3) and (0, 2), k = n = 2: mean squares 2.25 (rows), 2.25 (readers) and
    # 0.25 (rest); (2.25 - 0.25) / (2.25 + 0.25 + 2 * (2.25 - 0.25) / 2) = 2 / 4.5
    assert found["measures"]["rating"]["icc_single"]["value"] == pytest.approx(2 / 4.5)
    assert found["measures"]["rating"]["icc_single"]["n"] == 2
    assert found["preference"] == [{"readers": ["anna", "bo"], "cases": 1, "alike": 0}]


def test_one_reader_has_no_agreement(tmp_path):
    study, _, _ = make_study(tmp_path)
    save(desk_of(study, "anna"), "c0003", answer({"rating": 1}))
    assert agreement_so_far(study) == {"readers": ["anna"], "enough": 10, "measures": {}, "preference": []}
