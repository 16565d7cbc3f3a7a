"""CRIMSON's formula on hand-worked evaluations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.functional.crimson import LEVELS, credit, crimson

levels = st.lists(st.sampled_from(list(LEVELS)), max_size=6)


def findings(letter, own):
    return [{"id": f"{letter}{i}", "clinical_significance": level} for i, level in enumerate(own)]


def evaluation(references=(), predictions=(), matched=0, false=(), errors=()):
    """Return an evaluation in which the first `matched` findings match and the other references are missing."""
    return {
        "reference_findings": findings("R", references),
        "predicted_findings": findings("P", predictions),
        "matched_findings": [{"ref_id": f"R{i}", "pred_id": f"P{i}"} for i in range(matched)],
        "errors": {
            "false_findings": [f"P{i}" for i in false],
            "missing_findings": [f"R{i}" for i in range(matched, len(references))],
            "attribute_errors": [{"ref_id": name, "severity": severity} for name, severity in errors],
        },
    }


@pytest.mark.parametrize(
    "weight, errors, expected",
    [
        (1.0, 0.0, 1.0),
        (1.0, 0.5, 2 / 3),  # a significant error leaves two thirds of an urgent finding,
        (0.5, 0.5, 0.25),  # half of an actionable one,
        (0.25, 0.5, 0.25 / 3),  # and a third of one that is not
        (0.0, 0.5, 0.0),
        (0.0, 0.0, 0.0),
    ],
)
def test_credit_shrinks_with_the_weight_of_attribute_errors(weight, errors, expected):
    assert credit(weight, errors) == pytest.approx(expected)


@pytest.mark.parametrize(
    "given_evaluation, expected",
    [
        # everything found: (1 + 0.5) / 1.5
        (evaluation(["urgent", "actionable_not_urgent"], ["urgent", "actionable_not_urgent"], 2), 1.0),
        # the urgent one found, the actionable one missed: 1 / 1.5
        (evaluation(["urgent", "actionable_not_urgent"], ["urgent"], 1), 0.6667),
        # everything missed, nothing false: 0 / 1.5, no better than a normal report
        (evaluation(["urgent", "actionable_not_urgent"]), 0.0),
        # correct 0.5, false 0.25: (0.5 - 0.25) / 0.5
        (evaluation(["actionable_not_urgent"], ["actionable_not_urgent", "not_actionable_not_urgent"], 1, [1]), 0.5),
        # correct 0.5, false 1: x = 0.5, -0.5 / 1.5
        (evaluation(["actionable_not_urgent"], ["actionable_not_urgent", "urgent"], 1, [1]), -0.3333),
        # one significant attribute error on an actionable finding: 0.5 * 0.5 / 1 = 0.25, of 0.5
        (evaluation(["actionable_not_urgent"], ["urgent"], 1, errors=[("R0", "significant")]), 0.5),
        (evaluation(["actionable_not_urgent"], ["urgent"], 1, errors=[("R0", "negligible")]), 1.0),
        # a normal report, and two urgent findings invented: x = 2, -2 / 3
        (evaluation([], ["urgent", "urgent"], 0, [0, 1]), -0.6667),
        (evaluation([], []), 1.0),
        # expected findings weigh nothing either way
        (evaluation(["benign_expected"], ["benign_expected"], 0, [0]), 1.0),
    ],
)
def test_the_score_by_hand(given_evaluation, expected):
    assert crimson(given_evaluation).score == expected


def test_the_weight_of_attribute_errors_can_be_given():
    one = evaluation(["urgent"], ["urgent"], 1, errors=[("R0", "significant")])
    # 1 * 1 / (1 + 1)
    assert crimson(one, lambda error: 1.0).score == 0.5


@pytest.mark.parametrize("broken", [None, [], "text", {"errors": []}, {"matched_findings": [{}]}])
def test_what_is_no_evaluation_is_an_error(broken):
    with pytest.raises(ValueError, match="evaluation"):
        crimson(broken)


@given(levels, levels)
def test_the_score_is_above_minus_1_and_another_false_finding_never_helps(references, invented):
    matched = len(references) // 2
    predictions = [*references[:matched], *invented]
    false = list(range(matched, len(predictions)))
    score = crimson(evaluation(references, predictions, matched, false)).score
    more = crimson(evaluation(references, [*predictions, "urgent"], matched, [*false, len(predictions)])).score
    assert -1 < score <= 1
    assert more < score
