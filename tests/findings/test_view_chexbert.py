"""CheXbert's labels differ from ours in known ways; `radeval parse` keeps ours."""

import pytest

from radeval_core.findings import parse
from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.views.chexbert import chexbert_habits, chexbert_labels
from radeval_core.findings.views.chexpert import chexpert_labels, observation_names

#: text, observation, CheXbert's label, our label
CASES = [
    # anything abnormal, and any device, switches No Finding off
    ("Degenerative changes of the spine.", "No Finding", None, 1),
    ("Calcified granuloma in the right base.", "No Finding", None, None),
    ("The aorta is tortuous.", "No Finding", None, 1),
    ("Pacemaker in place.", "No Finding", None, 1),
    ("Possible scoliosis.", "No Finding", None, 1),
    ("The lungs are clear. No effusion.", "No Finding", 1, 1),
    # what is no lesion, device, effusion or opacity
    ("Calcified granuloma in the right base.", "Lung Lesion", None, 1),
    ("Nodule in the right base.", "Lung Lesion", 1, 1),
    ("Surgical clips in the right axilla.", "Support Devices", None, 1),
    ("Sternotomy wires are intact.", "Support Devices", None, 1),
    ("Right internal jugular catheter.", "Support Devices", 1, 1),
    ("Blunting of the left costophrenic angle.", "Pleural Effusion", None, 1),
    ("Fluid in the right horizontal fissure.", "Pleural Effusion", None, 1),
    ("Small left pleural effusion.", "Pleural Effusion", 1, 1),
    ("Scarring in the left lung base.", "Lung Opacity", None, 1),
    ("Airspace disease in the left base.", "Lung Opacity", 1, 1),
    # signs of edema
    ("Pulmonary vascular congestion.", "Edema", 1, 1),
    ("Pulmonary vascular congestion without pulmonary edema.", "Edema", 0, 1),
    ("Prominent pulmonary vasculature.", "Edema", None, 1),
    # healed fractures
    ("Deformity of the left 6th rib.", "Fracture", 1, None),
    ("Pectus excavatum deformity.", "Fracture", None, None),
]
#: hedged findings and alternatives are uncertain
UNCERTAIN = {
    "Probable small pleural effusion.": "Pleural Effusion",
    "Opacity compatible with scarring and/or atelectasis.": "Atelectasis",
    "Atelectasis versus pneumonia.": "Pneumonia",
}


@pytest.mark.parametrize(("text", "observation", "chexbert", "ours"), CASES)
def test_label(text, observation, chexbert, ours):
    report = parse(text)
    labels = (chexbert_labels(report)[observation], chexpert_labels(report, named_only=True)[observation])
    assert labels == (chexbert, ours)


@pytest.mark.parametrize("text", UNCERTAIN)
def test_hedged_findings_and_alternatives_are_uncertain(text):
    assert chexbert_labels(parse(text))[UNCERTAIN[text]] == -1


def test_a_hedge_holds_for_its_sentence_only():
    assert chexbert_labels(parse("Probable nodule. Atelectasis."))["Atelectasis"] == 1


def test_labels_have_the_published_order():
    assert tuple(chexbert_labels(parse("Clear lungs."))) == observation_names()


def test_every_listed_finding_is_in_the_lexicon():
    entries = load_lexicon().entries
    for habit in chexbert_habits().observations.values():
        assert {*habit.findings, *habit.signs, *(habit.in_regions or {})} <= set(entries)
