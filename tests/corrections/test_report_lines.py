"""Lines are cut as in the paper: at a period that is not next to a digit and not the end of the report."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.corrections.lines import line_at, split_lines

CASES = [
    ("The heart is normal. Lungs are clear.", ["The heart is normal.", "Lungs are clear."]),
    ("Tube ends 3.5 cm above the carina. No effusion", ["Tube ends 3.5 cm above the carina.", "No effusion"]),
    ("1. Pneumonia. 2. Effusion.", ["1. Pneumonia.", "2. Effusion."]),
    ("Fracture at T8. No effusion. Normal heart.", ["Fracture at T8. No effusion.", "Normal heart."]),
    ("Seen by Dr. Smith. Normal.", ["Seen by Dr.", "Smith.", "Normal."]),
    ("Approx. 2 cm nodule.", ["Approx.", "2 cm nodule."]),
    ("Normal heart\nClear lungs. No effusion.\n", ["Normal heart\nClear lungs.", "No effusion."]),
    ("Clear lungs.No effusion.", ["Clear lungs.", "No effusion."]),
    ("Clear lungs.5 mm nodule.", ["Clear lungs.5 mm nodule."]),
    ("Is there an effusion? Yes! Small.", ["Is there an effusion? Yes! Small."]),
    ("Clear lungs... No effusion. .", ["Clear lungs...", "No effusion. ."]),
    (". . Clear lungs. ", [". . Clear lungs."]),
    ("Normal", ["Normal"]),
    ("...", ["..."]),
    (" \n", []),
    ("", []),
]


@pytest.mark.parametrize("report, lines", CASES)
def test_lines(report, lines):
    assert [line.text for line in split_lines(report)] == lines


def test_lines_are_numbered_from_0():
    assert [line.number for line in split_lines("A. B. C.")] == [0, 1, 2]


@given(st.text(alphabet="ab 12.\n-", max_size=60))
def test_every_character_belongs_to_a_line(report):
    lines = split_lines(report)
    if report.strip():
        assert "".join(report[line.start : line.end] for line in lines) == report
        assert all(
            line_at(lines, position).number == line.number for line in lines for position in (line.start, line.end - 1)
        )


@given(st.lists(st.sampled_from(["Clear lungs", "Tube 3.5 cm above", "No. 7 rib", "Old"]), max_size=5))
def test_the_cuts_equal_those_of_the_papers_expression(pieces):
    report = ". ".join(pieces)
    cut = [piece for piece in re.split(r"(?<!\d)\.(?!\d|$)", report) if piece.strip()]
    assert [line.text.rstrip(".") for line in split_lines(report)] == [piece.strip() for piece in cut]
