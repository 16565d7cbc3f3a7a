"""A heading such as `LUNGS:` names a topic: it places only what has no place elsewhere."""

import pytest

from radeval_core.findings.parser import parse

#: sentence, finding, its place, its side
CASES = [
    # the heading is the place of what names none and belongs there
    ("Lungs: There is a nodule.", "nodule", ("lung",), None),
    ("HEART: Mildly enlarged.", "cardiomegaly", ("heart",), None),
    ("Lung bases: Atelectasis.", "atelectasis", ("lung_base",), None),
    ("Right lower lobe: Consolidation.", "consolidation", ("lower_lobe",), "right"),
    ("Pericardium: Small effusion.", "pericardial_effusion", ("pericardium",), None),
    ("Mediastinum: Lymphadenopathy.", "lymphadenopathy", ("mediastinum",), None),
    ("Mediastinum: Mass of the lymph nodes.", "mass", ("lymph_node", "mediastinum"), None),
    # these are found in any organ, so the heading says where
    ("Mediastinum: Calcified granuloma.", "calcified_granuloma", ("mediastinum",), None),
    ("Heart: Calcification.", "calcification", ("heart",), None),
    ("Thyroid: Nodule.", "thyroid_nodule", ("thyroid",), None),
    # a finding of another organ keeps its own place
    ("LUNGS: Small left pleural effusion.", "pleural_effusion", ("pleura",), "left"),
    ("LUNGS: No pneumothorax.", "pneumothorax", ("pleura",), None),
    ("LUNGS: Cardiomegaly.", "cardiomegaly", ("heart",), None),
    ("LUNGS: Hiatal hernia.", "hiatal_hernia", ("esophagus",), None),
    ("HEART: Mild pulmonary edema.", "pulmonary_edema", ("lung",), None),
    ("Pleura: Atelectasis.", "atelectasis", ("lung",), None),
    ("LUNGS: Fracture.", "fracture", ("bone",), None),
    ("Mediastinum: Sternotomy wires.", "sternotomy_wires", ("sternum",), None),
    ("LEFT LUNG: Pleural effusion.", "pleural_effusion", ("pleura",), "left"),
    # so does one whose place is written
    ("LUNGS: Left rib fracture.", "fracture", ("rib",), "left"),
    ("LUNGS: Calcification of the aorta.", "calcification", ("aorta",), None),
    ("Heart: Nodule in the right upper lobe.", "nodule", ("upper_lobe",), "right"),
    ("CHEST: Fracture of the left clavicle.", "fracture", ("clavicle",), "left"),
    ("Lungs: Opacity in the right base.", "opacity", ("lung_base",), "right"),
    # a heading never makes a place vaguer
    ("Chest: Opacity.", "opacity", ("lung",), None),
    ("FINDINGS: Chest: Nodule.", "nodule", ("lung",), None),
    ("Mediastinum: Cardiomegaly.", "cardiomegaly", ("heart",), None),
    ("Lungs: Bronchiectasis.", "bronchiectasis", ("bronchus",), None),
    ("Right upper lobe: Nodule in the lung.", "nodule", ("upper_lobe",), "right"),
    # of two topics the one that fits; a heading in the plural says no side
    ("Lungs and heart: Opacity.", "opacity", ("lung",), None),
    ("LUNGS AND PLEURA: Nodule.", "nodule", ("lung",), None),
    ("Lungs/Pleura: Small right effusion.", "pleural_effusion", ("pleura",), "right"),
    ("HEART/MEDIASTINUM: Widened.", "mediastinal_widening", ("mediastinum",), None),
    # outside the chest headings are read as before
    ("Right shoulder: Tear of the tendon.", "tendon_tear", ("shoulder", "tendon"), "right"),
    # a place in a sentence is no heading
    ("In the left lower lobe: Nodule.", "nodule", ("lower_lobe",), "left"),
    ("The lungs show cardiomegaly.", "cardiomegaly", ("lung",), None),
]


@pytest.mark.parametrize(("text", "finding", "anatomy", "side"), CASES)
def test_a_heading_places_only_what_has_no_other_place(text, finding, anatomy, side):
    (found,) = (f for f in parse(text).findings if f.finding == finding)
    assert (tuple(sorted(found.anatomy)), found.laterality) == (anatomy, side)


def test_a_normal_statement_is_about_its_heading():
    read = {f.finding: f.anatomy for f in parse("LUNGS: Clear. HEART: Normal.").findings if f.kind == "normality"}
    assert read == {"normal_lung": ("lung",), "normal_heart": ("heart",)}


@pytest.mark.parametrize("text", ["Small left pleural effusion.", "Cardiomegaly.", "Left rib fracture."])
def test_ffl_rq_is_the_same_with_and_without_a_heading(text):
    from radeval_core import load

    assert load("ffl_rq").compute([f"LUNGS: {text}"], [text])["ffl_rq"] == 1.0
