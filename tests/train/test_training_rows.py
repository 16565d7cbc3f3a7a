"""The training file: every row is checked, and errors name the line and never the text."""

import json

import pytest

from radeval_core.errors import InputError
from radeval_core.train.answer_forms import FORMS
from radeval_core.train.rows import TrainingRow, read_training_rows, rows_of, write_training_rows

ANSWER = """[Explanation]:
The effusion is on the other side.

[Clinically Significant Errors]:
(a) False report of a finding in the candidate: 0.
(b) Missing a finding present in the reference: 0.
(c) Misidentification of a finding's anatomic location/position: 1. The effusion is on the right, not on the left
(d) Misassessment of the severity of a finding: 0.
(e) Mentioning a comparison that isn't in the reference: 0.
(f) Omitting a comparison detailing a change from a prior study: 0.

[Clinically Insignificant Errors]:
None.

[Matched Findings]:
2. Effusion; clear lungs"""
ROW = {
    "id": "side:1",
    "study": "1",
    "split": "train",
    "metric": "green",
    "reference": "Small right effusion. Clear lungs.",
    "prediction": "Small left effusion. Clear lungs.",
    "answer": ANSWER,
    "counts": {"significant": {"wrong_location": 1}, "insignificant": {}, "matched": 2},
    "teacher": "injected",
    "heuristic": "side",
}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def without(name):
    return {key: value for key, value in ROW.items() if key != name}


def test_a_file_reads_back_as_it_was_written(tmp_path):
    rows = [TrainingRow(**ROW), TrainingRow(**{**ROW, "id": "side:1b", "context": {"age": "75"}})]
    write_training_rows(tmp_path / "train.jsonl", rows)
    assert read_training_rows(tmp_path / "train.jsonl") == rows
    assert "context" not in json.loads((tmp_path / "train.jsonl").read_text("utf-8").splitlines()[0])


def test_errors_of_both_kinds_are_added_up():
    counts = {"significant": {"wrong_location": 1}, "insignificant": {"false_finding": 2}, "matched": 0}
    assert TrainingRow(**{**ROW, "counts": counts}).counts.errors == 3


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (without("answer"), "'answer' is missing"),
        ({**ROW, "reference": " "}, "'reference'"),
        ({**ROW, "extra": 1}, "'extra'"),
        ({**ROW, "split": "dev"}, "split must be one of train, validation, test, got 'dev'"),
        ({**ROW, "metric": "bleu"}, "metric must be one of green, crimson, fineradscore, got 'bleu'"),
        ({**ROW, "counts": {"significant": {"wrong_side": 1}, "matched": 2}}, "green has no category 'wrong_side'"),
        ({**ROW, "counts": {"significant": {"wrong_location": 0}, "matched": 2}}, "significant.wrong_location"),
        ({**ROW, "counts": {"matched": 2}}, "'counts' are not what green reads in 'answer'"),
        ({**ROW, "answer": "no idea"}, "green cannot read 'answer'"),
        ({**ROW, "context": {"weight": "80"}}, "unknown field of context 'weight'"),
        ({**ROW, "study": "2"}, "the id 'side:1' occurs twice"),
        ({**ROW, "id": "b", "split": "test"}, "study '1' is in the splits train and test"),
    ],
)
def test_a_wrong_row_is_one_line_with_its_place(tmp_path, row, problem):
    with pytest.raises(InputError) as error:
        read_training_rows(write(tmp_path / "train.jsonl", ROW, row))
    assert str(error.value).startswith(f"{tmp_path / 'train.jsonl'}: line 2: ")
    assert problem in str(error.value)
    assert "effusion" not in str(error.value).lower()


def test_rows_of_two_metrics_do_not_mix(tmp_path):
    counts = {"significant": {}, "insignificant": {}, "matched": None}
    other = {**ROW, "id": "b", "metric": "fineradscore", "answer": "{}", "counts": counts}
    with pytest.raises(InputError, match="the metric is fineradscore, that of the first row green"):
        read_training_rows(write(tmp_path / "train.jsonl", ROW, other))


def test_an_empty_file_and_no_file_are_errors(tmp_path):
    with pytest.raises(InputError, match="has no rows"):
        read_training_rows(write(tmp_path / "train.jsonl"))
    with pytest.raises(InputError, match="no such file: make one with `radeval train annotate`"):
        read_training_rows(tmp_path / "other.jsonl")


def test_an_empty_split_is_an_error():
    assert rows_of([TrainingRow(**ROW)], "train") == [TrainingRow(**ROW)]
    with pytest.raises(InputError, match="the split 'validation' is empty"):
        rows_of([TrainingRow(**ROW)], "validation")


def test_crimson_counts_an_error_as_significant_if_the_finding_is_acted_on():
    answer = {
        "reference_findings": [
            {"id": "R1", "finding": "pneumothorax", "clinical_significance": "urgent"},
            {"id": "R2", "finding": "scar", "clinical_significance": "not_actionable_not_urgent"},
            {"id": "R3", "finding": "effusion", "clinical_significance": "actionable_not_urgent"},
        ],
        "predicted_findings": [{"id": "P1", "finding": "effusion", "clinical_significance": "actionable_not_urgent"}],
        "matched_findings": [{"ref_id": "R3", "pred_id": "P1"}],
        "errors": {
            "false_findings": [],
            "missing_findings": ["R1", "R2"],
            "attribute_errors": [{"ref_id": "R3", "pred_id": "P1", "severity": "negligible", "error_types": []}],
        },
    }
    counts = FORMS["crimson"].counts_in("a", "b", json.dumps(answer))
    assert counts.significant == {"missing_findings": 1}
    assert counts.insignificant == {"missing_findings": 1, "attribute_errors": 1}
    assert counts.matched == 1


def test_fineradscore_counts_a_correction_as_significant_if_it_is_actionable():
    entry = {"corrections": "Right effusion.", "comments": "side", "error category": [3]}
    answer = {
        "0": {**entry, "clinical severity": "Urgent error"},
        "1": {**entry, "clinical severity": "Not actionable", "error category": [4, 5]},
    }
    counts = FORMS["fineradscore"].counts_in("a", "Left effusion. Mild edema.", json.dumps(answer))
    assert counts.significant == {"wrong_location": 1}
    assert counts.insignificant == {"wrong_severity": 1, "false_comparison": 1}
    assert counts.matched is None
