"""CheXpert-14 labels of hand-written reports."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.findings import parse
from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.views.chexpert import chexpert_labels, observations

NAMES = [
    "Enlarged Cardiomediastinum", "Cardiomegaly", "Lung Opacity", "Lung Lesion", "Edema", "Consolidation", "Pneumonia",
    "Atelectasis", "Pneumothorax", "Pleural Effusion", "Pleural Other", "Fracture", "Support Devices", "No Finding",
]  # fmt: skip
WORDS = "no possible left pleural effusion pneumonia opacity . , heart is enlarged normal lungs are clear PICC"


def labels(text: str) -> dict[str, int | None]:
    return chexpert_labels(parse(text))


def given_labels(text: str) -> dict[str, int]:
    """Return the labels that are not blank."""
    return {name: label for name, label in labels(text).items() if label is not None}


def test_names_in_published_order():
    assert list(observations()) == NAMES
    assert list(labels("Pneumothorax.")) == NAMES


def test_every_finding_behind_an_observation_is_in_the_lexicon():
    assert {name for names in observations().values() for name in names} <= set(load_lexicon().entries)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The mediastinum is widened.", {"Enlarged Cardiomediastinum": 1}),
        ("Mild cardiomegaly.", {"Cardiomegaly": 1}),
        ("The heart is enlarged.", {"Cardiomegaly": 1}),
        ("Reticular opacities.", {"Lung Opacity": 1}),
        ("Right upper lobe nodule.", {"Lung Lesion": 1}),
        ("Pulmonary edema.", {"Edema": 1}),
        ("Left lower lobe consolidation.", {"Consolidation": 1}),
        ("Possible pneumonia.", {"Pneumonia": -1}),
        ("Bibasilar atelectasis.", {"Atelectasis": 1}),
        ("Left apical pneumothorax.", {"Pneumothorax": 1}),
        ("Small right pleural effusion.", {"Pleural Effusion": 1}),
        ("Pleural thickening.", {"Pleural Other": 1}),
        ("Right rib fracture.", {"Fracture": 1}),
        ("No effusion or pneumothorax.", {"Pneumothorax": 0, "Pleural Effusion": 0, "No Finding": 1}),
        ("Pneumothorax has resolved.", {"Pneumothorax": 0, "No Finding": 1}),
    ],
)
def test_one_statement(text, expected):
    assert given_labels(text) == expected


def test_whole_report():
    text = "Mild cardiomegaly. Small left pleural effusion. No pneumothorax. Possible pneumonia. PICC in the SVC."
    assert labels(text) == dict.fromkeys(NAMES) | {
        "Cardiomegaly": 1,
        "Pleural Effusion": 1,
        "Pneumothorax": 0,
        "Pneumonia": -1,
        "Support Devices": 1,
    }


def test_the_more_certain_mention_counts():
    assert labels("Possible pneumonia. Pneumonia in the left lower lobe.")["Pneumonia"] == 1
    assert labels("No pneumonia on the right. Possible pneumonia on the left.")["Pneumonia"] == -1


@pytest.mark.parametrize("text", ["", "The lungs are clear.", "Endotracheal tube in place.", "No pneumonia."])
def test_no_finding_if_only_devices_are_present(text):
    assert labels(text)["No Finding"] == 1


@pytest.mark.parametrize("text", ["Pneumonia.", "Possible pneumonia.", "Rib fracture. Endotracheal tube in place."])
def test_no_finding_is_blank_if_a_finding_is_present_or_possible(text):
    assert labels(text)["No Finding"] is None


def test_normal_statements_deny_what_they_exclude():
    found = labels("Heart size is normal. The lungs are clear.")
    assert [found[name] for name in ("Cardiomegaly", "Consolidation", "Pneumonia", "Atelectasis")] == [0, 0, 0, 0]
    assert found["Fracture"] is None


def test_a_stated_finding_wins_over_an_implied_absence():
    assert labels("Left lower lobe atelectasis. The lungs are otherwise clear.")["Atelectasis"] == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Calcified granuloma.", "Lung Lesion"),
        ("Compression fracture of T8.", "Fracture"),
        ("PICC in the SVC.", "Support Devices"),
        ("Enlarged cardiac silhouette.", "Cardiomegaly"),
    ],
)
def test_kinds_of_a_finding_count(text, name):
    assert labels(text)[name] == 1


@settings(max_examples=100)
@given(st.one_of(st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join), st.text(max_size=200)))
def test_any_text(text):
    found = labels(text)
    assert list(found) == NAMES
    assert set(found.values()) <= {1, 0, -1, None}
    assert found["No Finding"] in (1, None)
    positive = any(found[name] in (1, -1) for name in NAMES[:-2])
    assert (found["No Finding"] is None) == positive
