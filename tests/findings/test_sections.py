"""Headings without an end: which lines of a report without a findings heading are its body."""

import pytest

from radeval_core.findings import parse


def stated(text: str) -> list[tuple[str, str]]:
    return [(f.finding, f.polarity) for f in parse(text).stated if f.kind != "normality"]


HEADINGS = [
    "INDICATION: Cough.", "History: Cough.", "Reason: Cough.", "REASON FOR EXAM: Cough.", "TECHNIQUE: PA view.",
    "COMPARISON: None.", "INDICATION: Cough", "INDICATION:\nCough.", "SIGNED: Dr. A.", "COMPARISON: None",
]  # fmt: skip


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n", "\n \n\n"])
def test_body_after_a_heading_is_read(heading, gap):
    text = f"{heading}{gap}The lungs are clear. Small left effusion."
    assert stated(text) == [("pleural_effusion", "present")]
    assert any(f.finding == "normal_lung" for f in parse(text).findings)


@pytest.mark.parametrize(
    "text",
    [
        "HISTORY: 60-year-old man with\ncough and effusion.",
        "HISTORY: 60-year-old man status post\nlobectomy and effusion.",
        "HISTORY: 60-year-old man, lung cancer with a right pleural effusion that was\ndrained. Now pneumonia.",
        "INDICATION: Cough. Pneumonia.",
        "INDICATION:\nPleural effusion.",
        "HISTORY: Cough\nPleural effusion\nFever",
        "HISTORY: Fever.\n70-year-old woman with known effusion.",
        "INDICATION: Cough.\nEvaluate for pneumonia.",
    ],
)
def test_history_states_no_findings(text):
    assert stated(text) == []


def test_a_findings_heading_keeps_the_sections_before_it():
    text = "HISTORY: Cough.\nThere is a known effusion.\nFINDINGS: No pneumothorax."
    assert stated(text) == [("pneumothorax", "absent")]


def test_a_recommendation_after_the_findings_does_not_end():
    text = "IMPRESSION: Pneumonia.\nRECOMMENDATION: Repeat film.\nEffusion is expected to clear."
    assert stated(text) == [("pneumonia", "present")]


def test_a_report_in_one_line_is_not_empty():
    assert stated("INDICATION: Cough. The lungs are clear. Small left effusion.") == [("pleural_effusion", "present")]


def test_a_body_without_known_words_is_still_read():
    assert [s.text for s in parse("INDICATION: Cough.\nTutto bene oggi.").sentences] == ["Tutto bene oggi."]


@pytest.mark.parametrize(
    "title", ["CT PE PROTOCOL:", "CTA CHEST PE PROTOCOL", "PE Protocol CT:", "EXAM: CT PE protocol"]
)
def test_a_title_states_no_finding(title):
    assert stated(f"{title}\nSmall right effusion.") == [("pleural_effusion", "present")]


def test_a_title_ends_the_section_before_it():
    assert stated("COMPARISON: None.\nCT HEAD: Hydrocephalus.") == [("hydrocephalus", "present")]


def test_a_sentence_about_a_study_is_no_title():
    assert stated("CT chest shows a left effusion") == [("pleural_effusion", "present")]
    assert stated("Left effusion on CT") == [("pleural_effusion", "present")]


def test_the_side_of_a_title_holds_for_the_body():
    found = parse("MRI RIGHT KNEE:\nMedial meniscus tear. No fracture.").stated
    assert [(f.finding, f.laterality) for f in found] == [("meniscal_tear", "right"), ("fracture", "right")]


def test_a_position_in_a_chest_title_is_no_side():
    assert [f.laterality for f in parse("XR CHEST RIGHT LATERAL DECUBITUS\nSmall effusion.").stated] == [None]


def test_the_place_of_a_title_holds_for_the_body():
    found = parse("US THYROID:\nA 14 mm nodule.").stated
    assert [(f.finding, f.anatomy) for f in found] == [("thyroid_nodule", ("thyroid",))]


@pytest.mark.parametrize(("label", "side"), [("Left lobe:", "left"), ("Menisci:", None), ("VASCULATURE:", None)])
def test_only_a_label_with_a_side_gives_one(label, side):
    found = [f for f in parse(f"{label} No mass.").stated if f.kind != "normality"]
    assert [(f.finding, f.laterality) for f in found] == [("mass", side)]
