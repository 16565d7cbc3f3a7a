"""Where doubt and denial begin and end: alternatives, labels, numbered items, and denials without a place."""

import pytest

from radeval_core.findings import parse


def stated(text: str) -> set[tuple[str, str, str | None]]:
    return {(f.finding, f.polarity, f.laterality) for f in parse(text).stated if f.kind != "normality"}


def denied(text: str) -> set[str]:
    return {f.finding for f in parse(text).findings if f.implied and f.polarity == "absent"}


@pytest.mark.parametrize(
    "alternatives",
    ["is either pneumonia or aspiration", "may be pneumonia or aspiration", ", pneumonia versus aspiration"],
)
def test_alternatives_are_uncertain_and_in_one_place(alternatives):
    found = stated(f"Right lower lobe opacity {alternatives}.")
    assert found == {
        ("opacity", "present", "right"),
        ("pneumonia", "uncertain", "right"),
        ("aspiration", "uncertain", "right"),
    }


@pytest.mark.parametrize("place", ["on either side", "in either lung", "at either lung base"])
def test_either_before_a_place_means_both_sides(place):
    assert stated(f"No consolidation {place}.") == {("consolidation", "absent", "bilateral")}


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("? RLL pneumonia.", "uncertain"),
        ("RLL ?pneumonia.", "uncertain"),
        ("Fever, ? pneumonia", "uncertain"),
        ("COMPLICATIONS: None PNEUMONIA: small", "present"),
        ("COMPLICATIONS: None 1) PNEUMONIA", "present"),
        ("Effusion: None. Pneumonia: large", "present"),
        ("We do not know the cause of the pneumonia.", "present"),
        ("The patient is not known to have pneumonia.", "absent"),
        ("Pneumonia: None.", "absent"),
        ("Effusion: present PNEUMONIA: none", "absent"),
        ("We favour aspiration over pneumonia.", "uncertain"),
        ("Aspiration is favored over pneumonia.", "uncertain"),
    ],
)
def test_polarity_of_pneumonia(text, polarity):
    assert {p for name, p, _ in stated(text) if name == "pneumonia"} == {polarity}


def test_a_denied_label_does_not_reach_the_field_before_it():
    assert ("pleural_effusion", "present", None) in stated("Effusion: present PNEUMONIA: none")


@pytest.mark.parametrize("text", ["Dense tissue may obscure small masses.", "Motion could mask a small nodule."])
def test_what_could_be_hidden_is_not_stated(text):
    assert stated(text) == set()


def test_a_question_still_ends_a_sentence():
    assert [s.text for s in parse("Is there a mass? No mass is seen.").sentences] == [
        "Is there a mass?",
        "No mass is seen.",
    ]


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        ("CT of her head showed no acute lesion.", {"intracranial_hemorrhage"}, {"pneumonia"}),
        ("MRI BRAIN:\nNo abnormality.", {"intracranial_hemorrhage"}, {"pneumonia"}),
        ("EXAM: CT abdomen.\nNo acute abnormality.", {"free_air"}, {"pneumonia"}),
        ("EXAM: Chest radiograph.\nNo acute abnormality.", {"pneumonia"}, set()),
        ("CXR\nNo acute abnormality.", {"pneumonia"}, set()),
        ("Small left effusion. No acute disease.", {"pneumonia"}, set()),
        ("Gallstones. No acute disease.", {"free_air"}, {"pneumonia"}),
        ("Chest film shows no acute disease.", {"pneumonia"}, set()),
    ],
)
def test_a_sweeping_denial_is_about_what_the_study_shows(text, some, none):
    assert some <= denied(text)
    assert not none & denied(text)


@pytest.mark.parametrize(
    "text", ["SKIN: Warm and moist without lesion.", "No acute abnormality.", "Scoliosis. No lesion."]
)
def test_a_sweeping_denial_about_an_unknown_part_denies_nothing(text):
    assert denied(text) == set()
