"""Errors by finding over several pairs, counted by hand."""

from radeval_core.findings.compare import compare
from radeval_core.findings.error_table import errors_by_finding
from radeval_core.findings.parser import parse

PAIRS = [
    # the effusion is missed, a nodule is invented
    ("Small left pleural effusion.", "There is a nodule in the right upper lobe."),
    # the effusion is on the wrong side
    ("Small left pleural effusion.", "Small right pleural effusion."),
    # right
    ("Moderate left pleural effusion.", "Moderate left pleural effusion."),
    # a pneumothorax is missed
    ("Large right pneumothorax.", "The lungs are clear."),
]


def table(pairs):
    return errors_by_finding(compare(parse(reference), parse(candidate)) for reference, candidate in pairs)


def test_missing_false_and_wrong_by_hand():
    found = {about.finding: about for about in table(PAIRS)}
    effusion = found["pleural_effusion"]
    assert (effusion.stated, effusion.missing, effusion.false, effusion.wrong, effusion.total) == (3, 1, 0, 1, 2)
    assert (found["pneumothorax"].stated, found["pneumothorax"].missing) == (1, 1)
    (invented,) = [about for about in found.values() if about.false]
    assert invented.stated == 0 and "nodule" in invented.finding


def test_the_finding_with_most_significant_errors_comes_first():
    found = table(PAIRS)
    assert found[0].finding == "pleural_effusion"
    assert [about.significant for about in found] == sorted((about.significant for about in found), reverse=True)


def test_findings_without_an_error_are_left_out():
    assert table([PAIRS[2]]) == []
