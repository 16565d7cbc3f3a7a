"""Corrections applied to a report."""

import pytest

from radeval_core.judges.fineradscore.analysis import Correction
from radeval_core.judges.fineradscore.apply import apply_corrections

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


def test_an_empty_report_becomes_what_is_inserted():
    assert apply_corrections(" ", [change(None, "insert", "Clear lungs")]) == "Clear lungs."


def test_a_report_of_deleted_lines_is_empty():
    assert apply_corrections("Pneumonia. Effusion.", [change(0, "delete"), change(1, "delete")]) == ""
