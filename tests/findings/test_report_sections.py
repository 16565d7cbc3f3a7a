"""A section of a report, and the rule for reports without headings."""

import pytest

from radeval_core.findings.parser import FindingsParser
from radeval_core.findings.report_sections import EMPTY, FOUND, MISSING, SECTIONS, WHOLE, section_text

BOTH = "FINDINGS: Heart is normal.\nLungs: clear.\n\nIMPRESSION:\n1. No acute disease.\n2. Old fracture."
CASES = [
    (BOTH, "findings", "Heart is normal.\nLungs: clear.", FOUND),
    (BOTH, "impression", "No acute disease.\n2. Old fracture.", FOUND),
    (BOTH, "both", "Heart is normal.\nLungs: clear.\nNo acute disease.\n2. Old fracture.", FOUND),
    # no heading at all: taken whole, whatever is asked for
    ("Small effusion. No pneumothorax.", "findings", "Small effusion. No pneumothorax.", WHOLE),
    ("Small effusion. No pneumothorax.", "impression", "Small effusion. No pneumothorax.", WHOLE),
    # headings, but not this one: empty
    ("IMPRESSION: Normal chest.", "findings", "", MISSING),
    ("FINDINGS: Clear.", "impression", "", MISSING),
    # what has no heading of its own is the body
    ("INDICATION: Cough.\nThe lungs are clear.", "findings", "The lungs are clear.", FOUND),
    ("INDICATION: Cough.\nThe lungs are clear.", "impression", "", MISSING),
    ("The lungs are clear.\nIMPRESSION: Normal.", "findings", "The lungs are clear.", FOUND),
    # but not the title of the study
    ("CHEST PA AND LATERAL\nFINDINGS: Clear.\nIMPRESSION: Normal.", "findings", "Clear.", FOUND),
    # other sections are left out of both
    (
        "INDICATION: Cough.\nFINDINGS: Clear.\nIMPRESSION: Normal.\nRECOMMENDATION: CT.",
        "both",
        "Clear.\nNormal.",
        FOUND,
    ),
    # a second heading of the same section
    ("FINDINGS: Clear.\nIMPRESSION: Normal.\nADDENDUM: Small nodule.", "findings", "Clear.\nSmall nodule.", FOUND),
    # one heading for both sections
    ("FINDINGS AND IMPRESSION: Normal chest.", "impression", "Normal chest.", FOUND),
    ("Findings/Impression: Normal chest.", "findings", "Normal chest.", FOUND),
    ("", "findings", "", EMPTY),
    (" \n", "impression", " \n", EMPTY),
]


@pytest.fixture(scope="module")
def parser():
    return FindingsParser()


@pytest.mark.parametrize("report, section, text, how", CASES)
def test_sections(parser, report, section, text, how):
    found = section_text(report, section, parser)
    assert (found.text, found.how) == (text, how)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("report", [BOTH, "Small effusion.", "INDICATION: Cough.\nThe lungs are clear."])
def test_a_section_taken_again_stays_the_same(parser, report, section):
    once = section_text(report, section, parser).text
    assert section_text(once, section, parser).text == once
