"""Places that the lexicon keeps in one region: apart, the same, or one within the other."""

import pytest

from radeval_core.findings import parse
from radeval_core.findings.claims import read_claims
from radeval_core.findings.compare import compare
from radeval_core.findings.fine_places import apart


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ("hepatic_flexure", "splenic_flexure", True),
        ("mitral_valve", "aortic_valve", True),
        ("mitral_valve", "cardiac_valve", False),  # one is a kind of the other
        ("gluteal_region", "buttock", False),  # two names of one place
        ("femoral_shaft", "femur", False),
        ("unheard_of", "femur", False),  # UBERON has no such name
    ],
)
def test_apart(one, other, expected):
    assert apart((one,), (other,)) is expected is apart((other,), (one,))


def test_another_place_of_one_region_is_a_wrong_location():
    differences = compare(parse("Polyp in the hepatic flexure."), parse("Polyp in the splenic flexure.")).differences
    assert [(d.category, d.about) for d in differences] == [
        ("wrong_location", "colonic polyp: splenic flexure for hepatic flexure")
    ]


def test_two_places_of_one_region_are_two_claims():
    assert len(read_claims(parse("Polyp in the hepatic flexure. Polyp in the splenic flexure."))) == 2
    assert len(read_claims(parse("Polyp in the hepatic flexure. The polyp is in the colon."))) == 1
