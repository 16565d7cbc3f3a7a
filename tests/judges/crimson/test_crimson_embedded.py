"""The embedded judge of `crimson`: levels of findings without a context, and types of attribute errors."""

import pytest
import yaml

from radeval_core import load
from radeval_core.findings import FindingsParser
from radeval_core.findings.claims import read_claims
from radeval_core.functional.crimson import ERROR_TYPES, LEVELS
from radeval_core.judges.crimson import significance as module
from radeval_core.judges.crimson.embedded import analyse
from radeval_core.judges.crimson.significance import significance

PARSER = FindingsParser()
URGENT, ACTIONABLE, MINOR, EXPECTED = LEVELS


@pytest.mark.parametrize(
    "report, level",
    [
        ("Large right pneumothorax.", URGENT),
        ("Right pneumothorax.", URGENT),
        ("Small right pneumothorax.", ACTIONABLE),
        ("Possible right pneumothorax.", ACTIONABLE),
        ("Free air under the diaphragm.", URGENT),
        ("Endotracheal tube in the right main bronchus.", URGENT),
        ("Endotracheal tube 4 cm above the carina.", MINOR),
        ("Large pericardial effusion.", URGENT),
        ("Pericardial effusion.", ACTIONABLE),
        ("Right lower lobe pneumonia.", ACTIONABLE),
        ("Moderate left pleural effusion.", ACTIONABLE),
        ("Trace left pleural effusion.", MINOR),
        ("Mass in the left upper lobe.", ACTIONABLE),
        ("Cardiomegaly.", ACTIONABLE),
        ("Left rib fracture.", ACTIONABLE),
        ("Old left rib fracture.", MINOR),
        ("Left rib fracture, unchanged.", MINOR),
        ("Bibasilar atelectasis.", MINOR),
        ("Calcified granuloma in the left apex.", MINOR),
        ("Unchanged calcified granuloma in the left apex.", EXPECTED),
        ("Aortic calcification.", MINOR),
        ("Mild degenerative changes of the spine.", EXPECTED),
        ("Azygos fissure.", EXPECTED),
        ("Sternotomy wires.", MINOR),
    ],
)
def test_levels_follow_the_authors_examples(report, level):
    (claim,) = read_claims(PARSER.parse(report))
    assert significance(claim, report) == level


def test_the_table_names_only_findings_of_the_lexicon():
    text = module.resources.files("radeval_core.judges.crimson").joinpath("significance.yaml").read_text("utf-8")
    content = yaml.safe_load(text)
    lists = [
        *content["findings"].values(),
        *(content[k] for k in ("lower_if_mild", "lower_if_old", "urgent_if_severe")),
    ]
    assert [name for names in lists for name in names if name not in PARSER.lexicon.entries] == []
    assert {*content["lexicon"].values(), *content["kinds"].values(), *content["findings"]} <= set(LEVELS)


def errors(reference, candidate):
    found = analyse(PARSER.parse(reference), PARSER.parse(candidate), None).evaluation["errors"]["attribute_errors"]
    return [(error["error_types"], error["severity"]) for error in found]


@pytest.mark.parametrize(
    "reference, candidate, expected",
    [
        ("Small left effusion.", "Small right effusion.", [(["location"], "significant")]),
        ("Left lower lobe pneumonia.", "Left upper lobe pneumonia.", [(["location"], "significant")]),
        ("Small left effusion.", "Large left effusion.", [(["severity"], "significant")]),
        ("Nodule of 6 mm.", "Nodule of 30 mm.", [(["measurement"], "significant")]),
        ("Nodule of 6 mm.", "Nodule of 9 mm.", [(["measurement"], "negligible")]),
        ("Possible left pneumonia.", "Left pneumonia.", [(["certainty"], "negligible")]),
        ("Increased left effusion.", "Decreased left effusion.", [(["temporal"], "significant")]),
        ("Unchanged left effusion.", "Left effusion.", [(["temporal"], "negligible")]),
        ("Small left effusion.", "Small left effusion.", []),
    ],
)
def test_attribute_errors_have_a_type_and_a_severity(reference, candidate, expected):
    assert errors(reference, candidate) == expected
    assert all(kind in ERROR_TYPES for kinds, _ in expected for kind in kinds)


def scores(reference, *candidates, contexts=None):
    return load("crimson").compute(list(candidates), [reference] * len(candidates), contexts=contexts)["scores"]


def test_normal_statements_earn_nothing():
    long = "No effusion. No pneumothorax. Normal heart. The bones are intact. Normal mediastinum."
    assert scores("Right lower lobe pneumonia.", "Clear lungs.", long) == [0.0, 0.0]
    assert scores("Clear lungs. Normal heart.", "No acute abnormality.", long) == [1.0, 1.0]


def test_more_false_findings_are_worse_also_if_nothing_matches():
    one, two = scores("Clear lungs.", "Large pneumothorax.", "Large pneumothorax. Free air under the diaphragm.")
    assert two < one < 0


def test_a_larger_error_of_size_costs_more():
    near, far, farther = scores("Nodule of 6 mm.", "Nodule of 9 mm.", "Nodule of 14 mm.", "Nodule of 50 mm.")
    assert 1 > near > far > farther > 0


def test_one_side_of_two_is_half_right():
    assert scores("Moderate bilateral pleural effusions.", "Moderate left pleural effusion.") == [0.5]
