"""Our findings as upper labels of SRR-BERT."""

import pytest

from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.parser import FindingsParser
from radeval_core.findings.views.srrbert import (
    LABEL_SETS,
    label_names,
    label_rules,
    parent_of,
    read_rules,
    srr_labels,
    unseen_labels,
    without_status,
)

PARSER = FindingsParser()
CASES = {
    "Small left pleural effusion.": {"Pleural Effusion (Present)"},
    "No pneumothorax.": {"Pneumothorax (Absent)"},
    "Possible pneumonia.": {"Consolidation (Uncertain)"},
    "Opacity in the right upper lobe.": {"Air space opacity (Present)"},
    "Perihilar opacity.": {"Focal air space opacity (Present)"},
    "Mild pulmonary edema.": {"Diffuse air space opacity (Present)"},
    "Edema.": {"Diffuse air space opacity (Present)"},
    "Bone marrow edema of the humerus.": set(),
    "Nodule in the left lung.": {"Solitary masslike opacity (Present)"},
    "Multiple pulmonary nodules.": {"Multiple masslike opacities (Present)"},
    "Mass in the liver.": set(),
    "Right PICC with its tip in the SVC.": {"Support Devices (Present)"},
    "Hilar lymphadenopathy.": {"Lung Finding (Present)"},
    "Mediastinal lymphadenopathy.": {"Mediastinal mass (Present)"},
    "Tortuous aorta.": {"Widened aortic contour (Present)"},
    "Calcification of the aorta.": {"Vascular finding (Present)"},
    "Hydropneumothorax.": {"Pleural finding (Present)"},
    "Compression fracture of T8.": {"Fracture (Present)"},
    "Free air under the diaphragm.": {"Subdiaphragmatic gas (Present)"},
    "The heart is normal in size.": {"Widened cardiac silhouette (Absent)"},
    "The lungs are clear.": {"No Finding"},
    "Normal chest.": {"No Finding"},
    "The lungs are clear. No pneumothorax.": {"No Finding", "Pneumothorax (Absent)"},
    "Dextroscoliosis.": set(),
    "": set(),
}


@pytest.mark.parametrize("text", CASES)
def test_labels(text):
    assert set(srr_labels(PARSER.parse(text))) == CASES[text]


def test_a_label_names_its_mentions():
    found = srr_labels(PARSER.parse("No pleural effusion. Effusion is not seen on the left."))
    assert {mention.polarity for mention in found["Pleural Effusion (Absent)"]} == {"absent"}


def test_both_statuses_can_occur_in_one_report():
    assert set(srr_labels(PARSER.parse("Left pneumothorax. No right pneumothorax."))) == {
        "Pneumothorax (Present)",
        "Pneumothorax (Absent)",
    }


def test_the_numbers_of_published_labels():
    assert [len(label_names(name)) for name in LABEL_SETS] == [163, 55, 73, 25]


def test_every_leaf_has_an_upper_label():
    assert {parent_of(leaf) for leaf in label_names("leaves")} <= set(label_names("upper"))


def test_a_status_is_no_part_of_the_name():
    assert without_status("Edema (Absent)") == "Edema"
    assert without_status("Mass/Solitary lung mass") == "Mass/Solitary lung mass"
    assert parent_of("Edema (Uncertain)") == "Diffuse air space opacity"
    assert parent_of("Widened cardiac silhouette") == ""


def test_the_labels_that_cannot_be_seen():
    assert set(unseen_labels()) == {"Upper abdominal finding", "Masslike opacity", "Segmental collapse"}


def test_every_name_in_the_table_is_in_the_lexicon():
    lexicon = load_lexicon()
    for rule in label_rules().values():
        assert rule.findings | set(rule.places) <= set(lexicon.entries)
        assert rule.unless.union(*rule.places.values()) <= set(lexicon.regions)


@pytest.mark.parametrize("entry", [{"Pneumotorax": {}}, {"Pneumothorax": {"several": "Pneumotorax"}}])
def test_a_label_outside_the_list_names_file_and_row(entry):
    with pytest.raises(ValueError, match=r"table\.yaml, row 2: 'Pneumotorax' is not an upper label"):
        read_rules({"Fracture": {}, **entry}, "table.yaml")
