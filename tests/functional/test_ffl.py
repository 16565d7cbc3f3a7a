"""FFL F1, MIOU and RQ, worked by hand."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.findings.types import Finding
from radeval_core.functional.ffl import (
    Agreement,
    Grounded,
    Pattern,
    PlaceMatch,
    agreement,
    match_places,
    miou,
    pattern_of,
    prefixes,
    report_quality,
    union_iou,
)

LEFT = (5.0, 0.0, 9.0, 10.0)
RIGHT = (0.0, 0.0, 4.0, 10.0)


def effusion(side=None, severity=None, present=True, anatomy=("pleura",)):
    return Pattern("abnormality", present, "pleural_effusion", anatomy, side, severity)


def finding(**fields):
    given_fields = {
        "finding": "pleural_effusion", "kind": "abnormality", "polarity": "present", "anatomy": ("pleura",),
        "laterality": None, "severity": None, "measurements": (), "change": None, "significance": "actionable",
        "start": 0, "end": 8, "text": "effusion", "sentence_start": 0, "sentence_end": 8,
    }  # fmt: skip
    return Finding(**given_fields | fields)


# --- patterns


def test_prefixes_end_at_modifier_boundaries():
    assert prefixes(effusion("left", "mild")) == {
        "core": "abnormality|yes|pleural_effusion",
        "anatomy": "abnormality|yes|pleural_effusion|pleura|left",
        "all": "abnormality|yes|pleural_effusion|pleura|left|mild",
    }


def test_a_missing_modifier_leaves_its_field_empty():
    pattern = Pattern("device", False, "chest_tube")
    assert str(pattern) == prefixes(pattern)["all"] == "device|no|chest_tube|||"


@pytest.mark.parametrize(
    "fields, pattern",
    [
        ({}, "abnormality|yes|pleural_effusion|pleura||"),
        ({"laterality": "left", "severity": "mild"}, "abnormality|yes|pleural_effusion|pleura|left|mild"),
        ({"polarity": "uncertain"}, "abnormality|yes|pleural_effusion|pleura||"),
        ({"polarity": "absent"}, "abnormality|no|pleural_effusion|pleura||"),
        ({"laterality": "bilateral"}, "abnormality|yes|pleural_effusion|pleura|bilateral|"),
        ({"polarity": "absent", "laterality": "bilateral"}, "abnormality|no|pleural_effusion|pleura||"),
        ({"polarity": "absent", "laterality": "left"}, "abnormality|no|pleural_effusion|pleura|left|"),
        ({"anatomy": ("lower_lobe", "lingula")}, "abnormality|yes|pleural_effusion|lingula,lower_lobe||"),
        ({"anatomy": ()}, "abnormality|yes|pleural_effusion|||"),
        ({"change": "new", "measurements": (4.0,), "implied": True}, "abnormality|yes|pleural_effusion|pleura||"),
    ],
)
def test_the_pattern_of_a_finding(fields, pattern):
    assert str(pattern_of(finding(**fields))) == pattern


# --- F1

CARDIOMEGALY = Pattern("abnormality", True, "cardiomegaly", ("heart",))
NO_PNEUMOTHORAX = Pattern("abnormality", False, "pneumothorax", ("pleura",))


@pytest.mark.parametrize(
    "granularity, expected",
    [
        # prediction {effusion, cardiomegaly, no pneumothorax}, reference {effusion, no pneumothorax}: 2 common
        ("core", Agreement(2 / 3, 2 / 2, 2 * 2 / (3 + 2))),
        # prediction {right effusion, left effusion, …}: 4 against 2; left effusion and no pneumothorax agree
        ("anatomy", Agreement(2 / 4, 2 / 2, 2 * 2 / (4 + 2))),
        # the left effusion is mild in one and moderate in the other: only no pneumothorax agrees
        ("all", Agreement(1 / 4, 1 / 2, 2 * 1 / (4 + 2))),
    ],
)
def test_agreement_at_each_granularity(granularity, expected):
    prediction = [effusion("left", "mild"), effusion("right", "mild"), CARDIOMEGALY, NO_PNEUMOTHORAX]
    reference = [effusion("left", "moderate"), NO_PNEUMOTHORAX]
    assert agreement(prediction, reference, granularity) == pytest.approx(expected)


def test_presence_is_part_of_the_core():
    assert agreement([effusion()], [effusion(present=False)], "core").f1 == 0


def test_a_repeated_finding_counts_once():
    twice = [effusion("left"), effusion("left"), NO_PNEUMOTHORAX]
    assert agreement(twice, [effusion("left")], "all") == pytest.approx(Agreement(1 / 2, 1, 2 / 3))


def test_nothing_found():
    assert agreement([], [], "all") == Agreement(1, 1, 1)
    assert agreement([], [effusion()], "all") == agreement([effusion()], [], "core") == Agreement(0, 0, 0)


# --- boxes


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ((0, 0, 2, 2), (0, 0, 2, 2), 1),
        ((0, 0, 2, 2), (1, 1, 3, 3), 1 / 7),  # 1 common of 4 + 4 - 1
        ((0, 0, 4, 4), (1, 1, 3, 3), 4 / 16),  # one inside the other
        ((0, 0, 2, 2), (2, 0, 4, 2), 0),  # they touch
        ((0, 0, 1, 1), (5, 5, 6, 6), 0),
        ((0, 0, 1, 3), (0, 1, 1, 4), 2 / 4),
    ],
)
def test_two_boxes(one, other, expected):
    assert union_iou((one,), (other,)) == union_iou((other,), (one,)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    "one, other, expected",
    [
        # both lungs against the left one: 40 of 80
        ((LEFT, RIGHT), (LEFT,), 40 / 80),
        # where two boxes of one place overlap, the area counts once: 2*4 + 2*4 - 4 = 12, of which 4 in the other
        (((0, 0, 4, 2), (0, 0, 2, 4)), ((0, 0, 2, 2),), 4 / 12),
        # a box inside another adds nothing
        (((0, 0, 4, 4), (1, 1, 2, 2)), ((0, 0, 4, 4),), 1),
        # two halves are the whole
        (((0, 0, 2, 4), (2, 0, 4, 4)), ((0, 0, 4, 4),), 1),
        # a cross against its centre: 3 + 3 - 1 = 5 cells, 1 common
        (((0, 1, 3, 2), (1, 0, 2, 3)), ((1, 1, 2, 2),), 1 / 5),
        ((), (LEFT,), 0),
    ],
)
def test_iou_of_unions(one, other, expected):
    assert union_iou(one, other) == union_iou(other, one) == pytest.approx(expected, abs=1e-15)


BOX = st.tuples(*[st.integers(0, 6)] * 2, *[st.integers(1, 5)] * 2).map(
    lambda v: (float(v[0]), float(v[1]), float(v[0] + v[2]), float(v[1] + v[3]))
)
PLACE = st.lists(BOX, min_size=1, max_size=4).map(tuple)


def cells(place):
    return {
        (x, y) for x1, y1, x2, y2 in place for x in range(int(x1), int(x2)) for y in range(int(y1), int(y2))
    }  # fmt: skip


@settings(max_examples=200)
@given(PLACE, PLACE)
def test_iou_of_unions_equals_counting_cells(one, other):
    ours, theirs = cells(one), cells(other)
    assert union_iou(one, other) == pytest.approx(len(ours & theirs) / len(ours | theirs), abs=1e-12)
    assert union_iou(one, one) == 1.0


@settings(max_examples=100)
@given(PLACE, PLACE, st.floats(0.01, 1000))
def test_iou_does_not_depend_on_the_unit(one, other, factor):
    def scaled(place):
        return tuple(tuple(v * factor for v in box) for box in place)

    assert union_iou(scaled(one), scaled(other)) == pytest.approx(union_iou(one, other), rel=1e-6)


# --- MIOU


def test_miou_matches_patterns_of_the_same_core():
    # left effusion matches left effusion with 1.0; the right one has no match: 2*1 / (2 + 1)
    prediction = [Grounded(effusion("right"), (RIGHT,)), Grounded(effusion("left"), (LEFT,))]
    reference = [Grounded(effusion("left"), (LEFT,))]
    assert match_places(prediction, reference) == [PlaceMatch(1, 0, 1.0)]
    assert miou(prediction, reference) == miou(reference, prediction) == pytest.approx(2 / 3)


def test_miou_of_bilateral_and_one_side():
    prediction = [Grounded(effusion("bilateral"), (LEFT, RIGHT))]
    assert miou(prediction, [Grounded(effusion("left"), (LEFT,))]) == pytest.approx(2 * 0.5 / 2)


def test_another_finding_or_presence_at_the_same_place_does_not_match():
    here = [Grounded(effusion(), (LEFT,))]
    assert miou(here, [Grounded(CARDIOMEGALY, (LEFT,))]) == 0
    assert miou(here, [Grounded(effusion(present=False), (LEFT,))]) == 0


def test_the_matching_has_the_largest_total():
    # overlaps  a-x 3/5 (of 4 + 4 - 3), a-y 1/7; b-x 1, b-y 0.
    # Greedy by rows would take a-x = 0.6 and b-y = 0; the best is a-y + b-x.
    a, b, x, y = (0, 0, 4, 1), (1, 0, 5, 1), (1, 0, 5, 1), (-3, 0, 1, 1)
    prediction = [Grounded(effusion("left"), (a,)), Grounded(effusion("right"), (b,))]
    reference = [Grounded(effusion("left"), (x,)), Grounded(effusion("right"), (y,))]
    assert match_places(prediction, reference) == [PlaceMatch(0, 1, pytest.approx(1 / 7)), PlaceMatch(1, 0, 1.0)]
    assert miou(prediction, reference) == pytest.approx(2 * (1 + 1 / 7) / 4)


def test_patterns_that_differ_in_severity_are_one_place():
    mild_and_severe = [Grounded(effusion("left", s), (LEFT,)) for s in ("mild", "severe", None)]
    assert miou(mild_and_severe, [Grounded(effusion("left", "moderate"), (LEFT,))]) == 1.0


def test_patterns_without_boxes_are_left_out():
    fracture = Grounded(Pattern("abnormality", True, "fracture", ("femur",)), ())
    here = Grounded(effusion("left"), (LEFT,))
    assert miou([here, fracture], [here]) == 1.0
    assert miou([fracture], [here]) == 0.0
    assert math.isnan(miou([fracture], [fracture])) and math.isnan(miou([fracture], []))
    assert miou([], []) == 1.0


@pytest.mark.parametrize("n", [1, 2, 3, 7, 11])
def test_miou_of_a_report_with_itself_is_exactly_one(n):
    rng = random.Random(n)
    report = []
    for i in range(n):
        x, y = rng.random(), rng.random()
        report.append(Grounded(effusion(anatomy=(f"region_{i}",)), ((x, y, x + rng.random(), y + 0.3), LEFT)))
    assert miou(report, report) == 1.0


# --- RQ


def test_report_quality_is_the_average_of_table_2():
    assert report_quality(0.440, 0.487) == pytest.approx(0.463, abs=6e-4)
    assert report_quality(0.391, 0.357) == pytest.approx(0.374, abs=6e-4)
    assert report_quality(0.326, 0.368) == pytest.approx(0.347, abs=6e-4)


def test_report_quality_without_places_is_f1():
    assert report_quality(0.25, math.nan) == 0.25
