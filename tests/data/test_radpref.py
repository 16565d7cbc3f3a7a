"""RadPref's cases: errors and ratings of three radiologists, and bad input."""

import json

import pytest
from invented_sources import radpref, radpref_case

from radeval_core.data.radpref import DATASET, category
from radeval_core.errors import InputError


def read(tmp_path, *cases):
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(list(cases)), encoding="utf-8")
    return DATASET.read(path)["cases"]["test"]


def test_bench_rows_by_hand(tmp_path):
    (case,) = read(tmp_path, radpref_case(4))
    poor, good = DATASET.configs["cases"].bench(case)
    assert (poor["id"], good["id"], poor["study"], good["study"]) == ("case4/C1", "case4/C2", "case4", "case4")
    assert poor["prediction"] == "Right effusion. Large nodule on the right."
    assert good["reference"] == "Left pneumothorax of 4 cm."
    assert poor["expert"] == {
        "errors": [3, 1, 2],
        "significant_errors": [3, 0, 0],
        "rating": [1, 3, 2],
        "categories": {
            "false_finding": {"significant": [1, 0, 0], "insignificant": [0, 1, 0]},
            "missing_finding": {"significant": [1, 0, 0], "insignificant": [0, 0, 0]},
            "wrong_location": {"significant": [1, 0, 0], "insignificant": [0, 0, 0]},
            "wrong_severity": {"significant": [0, 0, 0], "insignificant": [0, 0, 1]},
        },
    }
    assert good["expert"]["errors"] == [0, 0, 0]
    assert good["expert"]["rating"] == [5, 5, 5]


def test_errors_are_the_wrong_and_missing_findings(tmp_path):
    """The expected count comes straight from the publisher's objects."""
    cases = [radpref_case(n) for n in range(5)]
    rows = [row for case in read(tmp_path, *cases) for row in DATASET.configs["cases"].bench(case)]
    for row, (case, side) in zip(rows, [(c, s) for c in cases for s in ("C1", "C2")], strict=True):
        notes = [radiologist[side] for radiologist in case["radiologists"]]
        assert row["expert"]["errors"] == [len(n["finding_errors"]) + len(n["missing_findings"]) for n in notes]
        assert row["expert"]["rating"] == [n["rating"] for n in notes]


@pytest.mark.parametrize(
    ("kind", "attributes", "expected"),
    [
        ("false", [], "false_finding"),
        ("missing", [], "missing_finding"),
        ("attribute", ["severity"], "wrong_severity"),
        ("attribute", ["measurement", "severity"], "wrong_severity"),
        ("attribute", ["severity", "location"], "wrong_location"),
        ("attribute", ["overinterpretation"], None),
        ("attribute", ["unspecific", "location"], "wrong_location"),
    ],
)
def test_an_error_has_at_most_one_category(kind, attributes, expected):
    assert category({"kind": kind, "attributes": [{"name": name} for name in attributes]}) == expected


def test_the_source_may_be_a_folder_with_the_file(tmp_path):
    file = radpref(tmp_path)
    assert DATASET.read(tmp_path) == DATASET.read(file)
    (tmp_path / "another.json").write_text("[]")
    with pytest.raises(InputError, match=r"expected one .json file, found 2"):
        DATASET.read(tmp_path)


def spoil(case, *keys, value):
    target = case
    for key in keys[:-1]:
        target = target[key]
    target[keys[-1]] = value


C1 = ("radiologists", 1, "C1")


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("ground_truth_report",), " ", "'ground_truth_report' must be a non-empty text"),
        (("radiologists",), [], "expected 3 radiologists, got 0"),
        ((*C1, "rating"), 6, "radiologist 2: C1: 'rating' must be a whole number from 1 to 5, got 6"),
        ((*C1, "rating"), True, "radiologist 2: C1: 'rating' must be a whole number"),
        ((*C1, "finding_errors"), [], "radiologist 2: C1: 'finding_errors' must be an object"),
        ((*C1, "finding_errors", "0", "error_type"), "odd",
         "C1: finding 0: 'error_type' must be one of false, attribute"),
        ((*C1, "finding_errors", "0", "clinical_significance"), "grave",
         "'clinical_significance' must be one of urgent"),
        ((*C1, "missing_findings", "x"), {"clinical_significance": "urgent"}, "missing finding x: expected the number"),
        ((*C1, "finding_errors", "0"), {"error_type": "attribute", "attributes": {}}, "'attributes' is empty"),
        ((*C1, "finding_errors", "0"), {"error_type": "attribute", "attributes": {"colour": "significant"}},
         "'attribute' must be one of location"),
        ((*C1, "finding_errors", "0"), {"error_type": "attribute", "attributes": {"location": "bad"}},
         "'location' must be one of significant, negligible"),
        (("C2_findings",), [1], "'C2_findings' must be a list of texts"),
        (("PatientAge",), 60, "'PatientAge' must be a text"),
    ],
)  # fmt: skip
def test_a_wrong_layout_is_refused_with_the_row(tmp_path, keys, value, message):
    case = radpref_case(1)
    spoil(case, *keys, value=value)
    with pytest.raises(InputError, match=f"cases.json: row 2: .*{message}"):
        read(tmp_path, radpref_case(0), case)
