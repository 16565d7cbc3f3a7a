"""RaTE's entity types: the words of findings, normal statements and places."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.findings import parse
from radeval_core.findings.views.rate import TYPES, RateEntity, rate_entities

WORDS = (
    "no small left right pleural effusion heart size is normal are clear lungs pneumonia , . and or possible opacity "
    "lower lobe of the without acute process mildly enlarged XXXX left-sided PICC bibasilar atelectasis"
)
REPORTS = st.lists(st.sampled_from(WORDS.split()), max_size=30).map(" ".join)


def said(text: str) -> list[tuple[str, str]]:
    return [(entity.text, entity.type) for entity in rate_entities(parse(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Thank you for this referral.", []),
        ("Pleural effusion.", [("Pleural effusion", "Abnormality")]),
        ("No pleural effusion.", [("pleural effusion", "Non-Abnormality")]),
        ("Pneumonia.", [("Pneumonia", "Disease")]),
        ("Possible pneumonia.", [("pneumonia", "Disease")]),
        ("No pneumonia.", [("pneumonia", "Non-Disease")]),
        ("There is a PICC in the SVC.", [("PICC", "Abnormality"), ("SVC", "Anatomy")]),
        ("Prior CABG.", [("CABG", "Abnormality")]),
        ("The lungs are clear.", [("lungs", "Anatomy"), ("clear", "Non-Abnormality")]),
        ("Both lungs are clear.", [("Both lungs", "Anatomy"), ("clear", "Non-Abnormality")]),
        ("Heart size is normal.", [("Heart size", "Anatomy"), ("normal", "Non-Abnormality")]),
        ("No acute cardiopulmonary process.", [("acute cardiopulmonary process", "Non-Abnormality")]),
        ("The heart is mildly enlarged.", [("heart", "Anatomy"), ("mildly enlarged", "Abnormality")]),
        (
            "Opacity in the left lower lobe may represent pneumonia.",
            [("Opacity", "Abnormality"), ("left lower lobe", "Anatomy"), ("pneumonia", "Disease")],
        ),
        ("Calcified left hilar granuloma.", [("Calcified left hilar granuloma", "Abnormality")]),
        ("RLL opacity.", [("RLL", "Anatomy"), ("opacity", "Abnormality")]),
    ],
)
def test_sentence(text, expected):
    assert said(text) == expected


def test_report_with_offsets():
    text = "Findings: Heart and mediastinum normal.\nNo effusion."
    assert rate_entities(parse(text)) == (
        RateEntity("Heart", "Anatomy", 10, 15),
        RateEntity("mediastinum", "Anatomy", 20, 31),
        RateEntity("normal", "Non-Abnormality", 32, 38),
        RateEntity("effusion", "Non-Abnormality", 43, 51),
    )


def test_implied_findings_are_not_entities():
    assert any(f.implied for f in parse("The lungs are clear.").findings)
    assert [text for text, _ in said("The lungs are clear.")] == ["lungs", "clear"]


def test_sections_without_findings_have_no_entities():
    assert said("Indication: pneumonia, left lower lobe.") == []


@settings(max_examples=150)
@given(st.one_of(REPORTS, st.text(max_size=200)))
def test_any_text(text):
    entities = rate_entities(parse(text))
    for entity in entities:
        assert entity.type in TYPES
        assert entity.text == text[entity.start : entity.end] != ""
    assert all(one.end <= other.start for one, other in pairwise(entities))
