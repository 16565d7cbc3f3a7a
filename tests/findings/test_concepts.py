"""Pairs of findings that are easily taken for each other, and what is not a finding."""

import pytest

from radeval_core.findings import parse
from radeval_core.findings.claims import read_claims
from radeval_core.findings.compare import compare
from score_modality_cases import measure, rates, read_cases

NAMES = ("modality_cases", "reading_cases", "blind_cases")


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


@pytest.mark.parametrize(
    ("name", "cases", "precision", "recall"),
    # measured with tools/score_modality_cases.py, less about one case each
    [("modality_cases", 101, 0.965, 0.96), ("reading_cases", 156, 0.96, 0.94), ("blind_cases", 40, 0.82, 0.78)],
)
def test_precision_and_recall(name, cases, precision, recall):
    groups = read_cases(name)
    right, wrong, missed = map(sum, zip(*measure(groups).values(), strict=True))
    assert sum(map(len, groups.values())) == cases
    assert rates((right, wrong, missed)) >= (precision, 0.0)
    assert rates((right, wrong, missed))[1] >= recall


def test_the_cases_of_all_files_differ():
    texts = [case["text"] for name in NAMES for cases in read_cases(name).values() for case in cases]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Simple cyst in the upper pole of the left kidney.", "renal_cyst"),
        ("Flow-limiting stenosis of the left renal artery.", "renal_artery_stenosis"),
        ("Chronic right parietal infarct.", "chronic_infarct"),
        ("A pigtail catheter is in the pelvis.", "catheter"),
        ("A pigtail catheter is in the left pleural space.", "chest_tube"),
        ("Degenerative changes of the spine and shoulders.", "degenerative_change"),
    ],
)
def test_a_finding_is_named_by_its_place(text, finding):
    assert [f.finding for f in parse(text).stated] == [finding]


@pytest.mark.parametrize("text", ["Thyroid vascularity is increased.", "Scattered fibroglandular densities."])
def test_words_of_another_part_of_the_body_state_nothing(text):
    assert not [f for f in parse(text).stated if f.kind != "normality"]


@pytest.mark.parametrize("text", ["BI-RADS 4.", "BIRADS-4", "BI-RADS category 4a", "BI-RADS Category: 4 (suspicious)"])
def test_a_category_is_read_in_every_spelling(text):
    assert [f.finding for f in parse(text).stated] == ["birads_4"]


def test_another_category_is_another_finding():
    (difference,) = compare(parse("BI-RADS 5."), parse("BI-RADS 2.")).differences
    assert difference.significant and difference.about == "birads 2 for birads 5"


def test_the_size_of_an_organ_is_no_size_of_a_finding():
    (found,) = parse("Right kidney: 11 cm, mild hydronephrosis.").stated
    assert found.measurements == ()


def test_a_size_before_a_finding_is_its_size():
    (found,) = parse("Left upper lobe 9 mm nodule.").stated
    assert found.measurements == (9.0,)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Dissection extends from the left subclavian artery to the iliac bifurcation.", None),
        ("Mass extends from the left hilum to the left apex.", "left"),
    ],
)
def test_only_two_ends_on_one_side_are_a_side(text, side):
    assert [f.laterality for f in parse(text).stated] == [side]


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("There is also a smaller opacity.", None),
        ("The nodule is smaller.", "decreased"),
        ("A larger mass than before.", "increased"),
    ],
)
def test_a_comparative_of_two_lesions_is_no_change(text, change):
    assert [f.change for f in parse(text).stated] == [change]
