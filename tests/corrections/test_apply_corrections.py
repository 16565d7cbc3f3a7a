"""Corrections applied to a report."""

import pytest

from radeval_core.corrections.apply import apply_corrections
from radeval_core.corrections.types import Correction

REPORT = "FINDINGS: Large heart. Tube 3.5 cm above the carina.\n\nIMPRESSION: Clear lungs"


def change(line, action, after=""):
    return Correction(line, action, "", after, "Not actionable", (), "")


@pytest.mark.parametrize(
    "corrections, expected",
    [
        ([], REPORT),
        ([change(1, "delete")], "FINDINGS: Large heart.\n\nIMPRESSION: Clear lungs"),
        ([change(0, "delete")], "FINDINGS: Tube 3.5 cm above the carina.\n\nIMPRESSION: Clear lungs"),
        ([change(0, "rewrite", "FINDINGS: Normal heart")],
         "FINDINGS: Normal heart. Tube 3.5 cm above the carina.\n\nIMPRESSION: Clear lungs"),
        ([change(2, "rewrite", "Opacity.")], "FINDINGS: Large heart. Tube 3.5 cm above the carina.\n\nOpacity."),
        ([change(None, "insert", "Old fracture")], f"{REPORT}. Old fracture."),
        ([change(None, "insert", "One."), change(None, "insert", "Two.")], f"{REPORT}. One. Two."),
    ],
)  # fmt: skip
def test_apply(corrections, expected):
    assert apply_corrections(REPORT, corrections) == expected


def test_an_empty_report_becomes_the_inserted_text():
    assert apply_corrections(" ", [change(None, "insert", "Clear lungs")]) == "Clear lungs."


def test_a_report_without_its_lines_is_empty():
    assert apply_corrections("Pneumonia. Effusion.", [change(0, "delete"), change(1, "delete")]) == ""
