"""The preference between two candidates."""

import pytest

from radeval_core import load
from radeval_core.errors import InputError
from radeval_core.judges.green.preference import prefer, prefer_all

GREEN = load("green")
REFERENCE = "Small left pleural effusion. No pneumothorax."
RIGHT = "There is a small pleural effusion on the left. No pneumothorax."
WRONG = "Small right pleural effusion. No pneumothorax."


@pytest.mark.parametrize("by", ["green", "error_count", "weighted"])
def test_the_better_candidate_is_preferred_in_either_order(by):
    assert prefer(GREEN, REFERENCE, RIGHT, WRONG, by).choice == "one"
    assert prefer(GREEN, REFERENCE, WRONG, RIGHT, by).choice == "other"
    assert prefer(GREEN, REFERENCE, RIGHT, REFERENCE, by).choice == "equal"


def test_a_preference_says_why():
    preference = prefer(GREEN, REFERENCE, RIGHT, WRONG)
    assert preference.scores[0] == 1.0 > preference.scores[1]
    assert preference.why[0].startswith("No difference.") and "right for left" in preference.why[1]


def test_weights_break_a_tie_of_counts():
    reference = "Mild cardiomegaly. Large left pneumothorax."
    candidates = ("Large left pneumothorax.", "Mild cardiomegaly.")
    assert prefer(GREEN, reference, *candidates).choice == "equal"
    assert prefer(GREEN, reference, *candidates, by="weighted").choice == "one"


def test_a_model_has_no_weights():
    class Model:
        def compute(self, predictions, references, detailed):
            nothing = [float("nan")] * len(predictions)
            return {"green": 1.0, "error_count": 0.0, "weighted_scores": nothing, "scores": [1.0] * len(predictions)}

    with pytest.raises(InputError, match="a model gives no weights: use by='green' or by='error_count'"):
        prefer(Model(), REFERENCE, RIGHT, WRONG, by="weighted")


def test_lists():
    choices = prefer_all(GREEN, [REFERENCE] * 2, [RIGHT, WRONG], [WRONG, WRONG])
    assert [p.choice for p in choices] == ["one", "equal"]


def test_bad_input():
    with pytest.raises(InputError, match="must have the same length: got 1, 2, 1"):
        prefer_all(GREEN, [REFERENCE], [RIGHT, WRONG], [WRONG])
    with pytest.raises(InputError, match="unknown rule of preference 'gren': did you mean 'green'"):
        prefer(GREEN, REFERENCE, RIGHT, WRONG, by="gren")
