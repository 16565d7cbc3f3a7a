"""Doubt in the reference survives in the corrections, and empty reports are named."""

import pytest

from radeval_core.findings import parse
from radeval_core.judges.fineradscore.embedded import correct


def corrections(reference: str, candidate: str):
    return correct(parse(reference), parse(candidate)).corrections


@pytest.mark.parametrize(
    ("reference", "candidate", "after"),
    [
        (
            "Mild cardiomegaly, and left basilar opacity could represent atelectasis.",
            "Mild cardiomegaly.",
            "Opacity in the left lung base, possibly atelectasis.",
        ),
        ("Small effusion, possible pneumonia.", "Small effusion.", "Possible pneumonia."),
        ("Left basilar opacity could represent atelectasis.", "", "Left basilar opacity could represent atelectasis."),
        ("Possible left pneumothorax.", "Left pneumothorax.", "Possible left pneumothorax."),
        ("Small effusion, possible pneumonia.", "Small effusion and pneumonia.", "Small effusion. Possible pneumonia."),
    ],
)
def test_what_is_possible_stays_possible(reference, candidate, after):
    (correction,) = corrections(reference, candidate)
    assert correction.after == after


def test_a_missing_possible_finding_is_called_possible():
    (correction,) = corrections("Small effusion, possible pneumonia.", "Small effusion.")
    assert correction.comment == "The candidate does not mention possible pneumonia."


def test_naming_what_an_observation_may_be_is_no_error():
    assert corrections("Left basilar opacity could represent atelectasis.", "Left basilar atelectasis.") == ()


def test_several_lesions_are_inserted_with_their_number():
    (correction,) = corrections("Cardiomegaly and three nodules in the right lung.", "Cardiomegaly.")
    assert correction.after == "Three right nodules."


@pytest.mark.parametrize(
    ("reference", "candidate", "severity"),
    [
        ("Left effusion has increased.", "Left effusion has decreased.", 2),
        ("Worsening pulmonary edema.", "Improved pulmonary edema.", 2),
        ("Left effusion.", "Stable left effusion.", 1),
    ],
)
def test_a_reversed_course_is_more_than_the_lowest_severity(reference, candidate, severity):
    (correction,) = corrections(reference, candidate)
    assert correction.severity == severity


@pytest.mark.parametrize(
    ("reference", "candidate", "start"),
    [
        ("Left effusion.", "", "The candidate is empty"),
        ("", "Left effusion.", "The reference is empty"),
        ("Left effusion.", "Zork.", "The parser reads nothing in the candidate"),
    ],
)
def test_an_empty_report_is_named(reference, candidate, start):
    assert corrections(reference, candidate)[0].comment.startswith(start)
