"""Whole reports: sections, sentences that refer to each other, and what normal statements imply."""

import pytest

from radeval_core.findings import imagenome_regions, parse
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.lexicon_files import COMPILED, fingerprint, load_lexicon, read_sources


def stated(text):
    return [(f.finding, f.polarity) for f in parse(text).stated if f.kind != "normality"]


def implied(text):
    return {f.finding for f in parse(text).findings if f.implied and f.polarity == "absent"}


REPORT = """EXAM: Chest radiograph
INDICATION: Cough, rule out pneumonia.
COMPARISON: Effusion on the prior study.
FINDINGS:
Small left pleural effusion. The lungs are
otherwise clear.
IMPRESSION:
1. Small left effusion
2. No pneumothorax"""


def test_only_findings_and_impression_are_read():
    assert stated(REPORT) == [
        ("pleural_effusion", "present"),
        ("pleural_effusion", "present"),
        ("pneumothorax", "absent"),
    ]


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("EXAM: Chest radiograph. Emphysema is present.", [("emphysema", "present")]),
        ("EXAM:\nChest radiograph.\nEmphysema is present.", [("emphysema", "present")]),
        ("EXAM: Chest radiograph. Emphysema. IMPRESSION: Emphysema.", [("emphysema", "present")] * 2),
        # if the findings have a heading, nothing before it is read
        ("EXAM: Chest radiograph. Effusion. FINDINGS: Emphysema.", [("emphysema", "present")]),
        ("EXAM: Radiograph. PROCEDURE: Drainage of effusion. Emphysema.", [("emphysema", "present")]),
        ("EXAM: Chest radiograph. INDICATION: Effusion. Pneumonia.", []),
        ("HISTORY: Effusion. Pneumonia.", []),
    ],
)
def test_the_body_follows_the_title_of_a_study(report, expected):
    assert stated(report) == expected


def test_sections_are_named():
    assert [(s.section, s.text) for s in parse(REPORT).sentences] == [
        ("findings", "Small left pleural effusion."),
        ("findings", "The lungs are\notherwise clear."),
        ("impression", "Small left effusion"),
        ("impression", "No pneumothorax"),
    ]


def test_a_stated_finding_removes_its_implied_absence():
    assert "nodule" in implied("The lungs are clear.")
    assert "nodule" not in implied("Left nodule. The lungs are otherwise clear.")
    assert "opacity" not in implied("Left basal atelectasis. The lungs are otherwise clear."), (
        "atelectasis is an opacity"
    )


def test_no_acute_disease_excludes_only_urgent_and_actionable_findings():
    assert {"pneumonia", "pneumothorax"} <= implied("No acute cardiopulmonary disease.")
    assert "cardiomegaly" not in implied("No acute cardiopulmonary disease.")
    assert "cardiomegaly" in implied("Normal chest.")


def test_this_takes_the_place_of_the_finding_before():
    finding = parse("Opacity in the right lower lobe. This may represent pneumonia.").findings[-1]
    assert (finding.finding, finding.laterality, finding.anatomy) == ("pneumonia", "right", ("lower_lobe",))


def test_a_specific_device_implies_the_general_one():
    found = [(f.finding, f.implied) for f in parse("Right PICC in the SVC.").findings]
    assert found == [("picc", False), ("catheter", True)]


@pytest.mark.parametrize(
    "text, names",
    [
        ("Left lower lobe opacity.", {"left lower lung zone"}),
        ("Bibasilar atelectasis.", {"left lower lung zone", "right lower lung zone"}),
        ("Cardiomegaly.", {"cardiac silhouette"}),
        ("Blunted right costophrenic angle.", {"right costophrenic angle"}),
        ("ETT above the carina.", {"carina"}),
        ("Meniscal tear.", set()),
    ],
)
def test_imagenome_regions(text, names):
    (finding,) = [f for f in parse(text).stated if f.kind != "normality"]
    assert set(imagenome_regions(finding, load_lexicon())) == names


def test_the_compiled_lexicon_matches_the_yaml_files():
    """Run `python tools/compile_lexicon.py` after editing the lexicon."""
    import json

    data = json.loads(COMPILED.read_text("utf-8"))
    assert data["fingerprint"] == fingerprint()
    assert Lexicon.from_json(data).to_json() == read_sources().to_json()
