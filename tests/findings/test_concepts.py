"""Pairs of findings that are easily taken for each other, and what is not a finding."""

from pathlib import Path

import pytest
import yaml

from radeval_core.findings import parse
from radeval_core.findings.claims import read_claims
from radeval_core.findings.compare import compare

CASES = yaml.safe_load((Path(__file__).parent / "modality_cases.yaml").read_text("utf-8"))
#: measured with tools/score_modality_cases.py, less one case each
PRECISION, RECALL = 0.92, 0.90


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Enlarged right paratracheal node.", "lymphadenopathy"),
        ("Enlarged mediastinal lymph nodes.", "lymphadenopathy"),
        ("FDG-avid left axillary lymph nodes.", "axillary_lymphadenopathy"),
        ("The mediastinum is enlarged.", "mediastinal_widening"),
        ("Aortic dissection.", "dissection"),
        ("Prior right lumpectomy.", "lumpectomy"),
        ("Osteoporosis.", "osteoporosis"),
        ("The placenta is low-lying.", "low_lying_placenta"),
        ("Reversal of the normal cervical lordosis.", "loss_of_lordosis"),
        ("Fatty infiltration of the liver.", "hepatic_steatosis"),
        ("Diffuse fatty infiltration.", "fatty_infiltration"),
        ("A nodule in the left lobe of the thyroid.", "thyroid_nodule"),
        ("Right heart strain.", "right_heart_strain"),
        ("Filling defect in the left pulmonary artery.", "pulmonary_embolism"),
    ],
)
def test_only_this_finding_is_stated(text, finding):
    assert [(f.finding, f.polarity) for f in parse(text).stated] == [(finding, "present")]


def test_an_enlarged_node_has_the_place_of_its_group():
    (found,) = parse("Enlarged right paratracheal node.").stated
    assert (set(found.anatomy), found.laterality) == ({"lymph_node", "upper_mediastinum"}, "right")


def test_loss_of_the_normal_shape_is_no_normal_statement():
    assert not [f for f in parse("Effacement of the normal sulci.").findings if f.kind == "normality"]


@pytest.mark.parametrize("text", ["Left breast mass, 5 cm from the nipple.", "Left breast mass 5 cm FN."])
def test_a_distance_from_a_landmark_is_no_size(text):
    assert [f.measurements for f in parse(text).stated] == [()]


@pytest.mark.parametrize("text", ["Disc bulge at L4-L5.", "Disc bulge at L4-5.", "L4/5: disc bulge."])
def test_a_disc_is_one_level(text):
    assert [claim.levels for claim in read_claims(parse(text))] == [{"L4-L5"}]


def test_bulges_of_two_discs_are_two_claims():
    assert len(read_claims(parse("L3-L4: Disc bulge. L4-L5: Disc bulge."))) == 2


def test_neighbouring_discs_differ():
    assert compare(parse("L3-L4: Disc bulge."), parse("L4-L5: Disc bulge.")).differences


def test_fractures_of_neighbouring_vertebrae_are_levels_of_their_own():
    (claim,) = read_claims(parse("L1-L2 compression fractures."))
    assert claim.levels == {"L1", "L2"}


def test_precision_and_recall_over_eleven_modalities():
    right = wrong = missed = 0
    for case in (case for cases in CASES.values() for case in cases):
        report = parse(case["text"])
        said = {(f.finding, f.polarity, f.laterality) for f in report.stated if f.kind != "normality"}
        wanted = {tuple(expected[:3]) for expected in case["expect"]}
        denied = {f.finding for f in report.findings if f.implied and f.polarity == "absent"}
        right += len(said & wanted)
        wrong += len(said - wanted) + len(denied & set(case.get("not_denied", ())))
        missed += len(wanted - said)
    assert right / (right + wrong) >= PRECISION
    assert right / (right + missed) >= RECALL
