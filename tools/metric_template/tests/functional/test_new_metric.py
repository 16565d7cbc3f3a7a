"""`new_metric`, by hand."""

import pytest

from radeval_core import load
from radeval_core.functional.new_metric import jaccard, words


def test_words_are_distinct_and_in_lower_case():
    assert words("No effusion, no edema.") == {"no", "effusion", ",", "edema", "."}
    assert words("No effusion, no edema.", punctuation=False) == {"no", "effusion", "edema"}


@pytest.mark.parametrize(
    "one, other, expected",
    [("ab", "ab", 1), ("ab", "bc", 1 / 3), ("ab", "cd", 0), ("", "a", 0), ("", "", 0)],
)
def test_the_overlap_of_two_sets(one, other, expected):
    assert jaccard(set(one), set(other)) == pytest.approx(expected)


def test_scores_by_hand():
    # no, effusion of no, effusion, "."; the same; nothing to match
    result = load("new_metric").compute(["No effusion", "a b", ""], ["no effusion .", ["b c", "a b"], "a"], True)
    assert result["scores"] == pytest.approx([2 / 3, 1, 0])
    assert result["new_metric"] == pytest.approx(5 / 9)
    assert result["details"][0] == {"common": ["effusion", "no"], "added": [], "missing": ["."]}
    assert "|config:embedded|tok:words-lc|punctuation:yes|refs:1-2|metric:1|" in result["signature"]


def test_punctuation_can_be_left_out():
    assert load("new_metric", punctuation=False).compute(["No effusion"], ["no effusion."])["scores"] == [1.0]
