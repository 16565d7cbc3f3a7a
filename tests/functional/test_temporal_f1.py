"""`temporal_f1`, by hand."""

import math

import pytest

from radeval_core import load
from radeval_core.functional.temporal_f1 import WORDS, change_words, set_f1


def test_there_are_44_words():
    assert len(WORDS) == 44


@pytest.mark.parametrize(
    "text, words",
    [
        ("Stable heart. STABLE lungs.", {"stable"}),
        ("stable-unchanged, new_onset", {"stable", "unchanged", "new"}),
        ("stable/unchanged", set()),  # the mark is deleted and the words become one
        ("newer, renewed", set()),
        ("", set()),
    ],
)
def test_words_of_a_report(text, words):
    assert change_words(text) == words


def test_f1_by_hand():
    assert set_f1({"new", "stable"}, {"new"}) == pytest.approx(2 / 3)  # 2·1 / (2 + 1)
    assert (set_f1(set(), set()), set_f1({"new"}, set()), set_f1(set(), {"new"})) == (1, 0, 0)
    assert set_f1({"new", "worse"}, {"new", "stable"}) == 0.5  # 2·1 / (2 + 2)


def scores(prediction, reference, **options):
    result = load("temporal_f1", **options).compute([prediction], [reference])
    return result["scores"][0], result["aligned_scores"][0]


@pytest.mark.parametrize(
    "prediction, reference, words, aligned",
    [
        # the same words, but each belongs to the other finding
        ("New left effusion. Edema has resolved.", "Left effusion has resolved. New edema.", 1, 0),
        # other words for the same changes
        ("Worsening edema.", "Increased edema.", 0, 1),
        ("The effusion is no longer seen.", "Resolved effusion.", 0, 1),
        # the change of one finding of two: 2·1 / (2 + 2)
        ("New left effusion. Stable nodule.", "New left effusion. New nodule.", 2 / 3, 0.5),
        # the same finding on the other side did not change like that
        ("New right effusion.", "New left effusion.", 1, 0),
        # a denied change is no change of a finding; the words do not see that
        ("No new effusion.", "No effusion.", 0, 1),
        ("No effusion.", "Lungs are clear.", 1, 1),
        ("", "New effusion.", 0, 0),
        ("", "Lungs are clear.", 1, 1),
        ("", "", 1, 1),
    ],
)
def test_scores_by_hand(prediction, reference, words, aligned):
    assert scores(prediction, reference) == pytest.approx((words, aligned))
    assert scores(reference, prediction) == pytest.approx((words, aligned))


def test_two_changes_of_one_finding_are_two():
    # reference: new left, decreased right; candidate: new left, unchanged right: 2·1 / (2 + 2)
    reference = "New left pleural effusion. The right pleural effusion has decreased."
    assert scores("New left pleural effusion. Unchanged right pleural effusion.", reference)[1] == 0.5


def test_several_references_join_their_words_and_the_best_one_aligns():
    result = load("temporal_f1").compute(
        ["New effusion. Stable nodule."], [["New effusion.", "Stable nodule. New effusion."]], detailed=True
    )
    assert result["scores"] == [1] and result["aligned_scores"] == [1]
    assert [change["counted"] for change in result["details"][0]["changes"]] == ["same", "same"]


def test_a_reference_that_cannot_be_read_leaves_the_pair_unscored():
    result = load("temporal_f1").compute(["New effusion.", "New effusion."], [["New effusion.", "xqz flurb"], "Neu."])
    assert all(map(math.isnan, result["scores"])) and result["unscored"] == 2


def test_words_alone_have_no_aligned_part():
    words, aligned = scores("xqz new", "new flurb", config="words")
    assert words == 1 and math.isnan(aligned)


def test_what_is_counted_is_in_the_details():
    result = load("temporal_f1").compute(["New edema. Worse effusion."], ["Resolved edema. New nodule."], True)
    detail = result["details"][0]
    assert (detail["common"], detail["added"], detail["missing"]) == (["new"], ["worse"], ["resolved"])
    counted = {c["finding"]: (c["reference"], c["prediction"], c["counted"]) for c in detail["changes"]}
    assert counted == {
        "pulmonary_edema": ("resolved", "new", "other change"),
        "nodule": ("new", None, "missing"),
        "pleural_effusion": (None, "increased", "added"),
    }
