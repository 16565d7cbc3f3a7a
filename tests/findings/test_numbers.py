"""How many lesions: read from numbers, articles and plurals, and compared as ranges."""

import pytest

from radeval_core.error_categories import WRONG_SEVERITY
from radeval_core.findings import parse
from radeval_core.findings.compare import compare
from radeval_core.findings.numbers import NUMBERS, same_number
from radeval_core.findings.rows import finding_row


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Two right upper lobe nodules.", "two"),
        ("2 nodules in the right lung.", "two"),
        ("There are at least 3 liver lesions.", "three"),
        ("A couple of tiny nodules.", "two"),
        ("A 5 mm nodule.", "one"),
        ("Single liver metastasis.", "one"),
        ("Solitary pulmonary nodule.", None),  # a form of the lexicon, without a number of its own
        ("A few scattered nodules.", "few"),
        ("Several renal cysts.", "several"),
        ("Multiple rib fractures.", "multiple"),
        ("Pulmonary nodules.", "multiple"),
        ("Another nodule in the left lobe.", "multiple"),
        ("Innumerable brain metastases.", "numerous"),
        ("The nodule is stable.", None),
        ("3 mm nodules.", "multiple"),
        ("Left second rib fracture.", None),
        ("T2 hyperintense liver lesion.", None),
        ("No nodules.", None),
        ("Bilateral effusions.", None),
        ("A small effusion.", None),
        ("Two left chest tubes.", "two"),
    ],
)
def test_number(text, number):
    assert {f.number for f in parse(text).stated} == {number}


def test_every_number_equals_itself_and_any_unknown_one():
    assert all(same_number([n], [n]) and same_number([n], []) for n in NUMBERS)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("two", "three", False),
        ("one", "multiple", False),
        ("two", "multiple", True),
        ("two", "few", True),
        ("two", "several", False),
        ("few", "numerous", False),
        ("several", "numerous", True),
    ],
)
def test_numbers_are_the_same_if_their_ranges_meet(one, other, same):
    assert same_number([one], [other]) is same_number([other], [one]) is same


@pytest.mark.parametrize(
    ("reference", "candidate", "significant"),
    [
        ("Two nodules in the right lung.", "Three nodules in the right lung.", True),
        ("A nodule in the right lung.", "Multiple nodules in the right lung.", True),
        ("Single rib fracture.", "Several rib fractures.", True),
        ("Two thyroid nodules.", "Three thyroid nodules.", False),
        ("Several cysts in the left kidney.", "A cyst in the left kidney.", False),
    ],
)
def test_a_wrong_number_is_an_error_of_degree(reference, candidate, significant):
    (difference,) = compare(parse(reference), parse(candidate)).differences
    assert (difference.category, difference.significant) == (WRONG_SEVERITY, significant)


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Two nodules in the right lung.", "Multiple nodules in the right lung."),
        ("Nodules in the right lung.", "A few nodules in the right lung."),
        ("Nodule in the right lung.", "Two nodules in the right lung."),
        ("Two nodules in the right lung.", "A nodule in the right lung. Another nodule in the right lung."),
    ],
)
def test_numbers_that_can_agree_are_no_difference(reference, candidate):
    assert compare(parse(reference), parse(candidate)).differences == ()


def test_the_number_is_in_the_rows():
    assert finding_row(parse("Two nodules.").stated[0])["number"] == "two"
