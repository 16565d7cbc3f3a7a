import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from radeval_core import load
from radeval_core.scores.rouge import lcs_length, lcs_precision_recall_f1

tokens = st.lists(st.sampled_from("abcd"), max_size=90)


@pytest.mark.parametrize(
    "left, right, expected",
    [("", "", 0), ("a", "", 0), ("abc", "abc", 3), ("abc", "cba", 1), ("abcbdab", "bdcaba", 4), ("aaaa", "aa", 2)],
)
def test_hand_worked_lengths(left, right, expected):
    assert lcs_length(left, right) == expected


def test_hand_worked_scores():
    # common: "no effusion seen"; 3 of 4 predicted words, 3 of 5 reference words
    p, r, f = lcs_precision_recall_f1(["no", "large", "effusion", "seen"], ["no", "pleural", "effusion", "is", "seen"])
    assert (p, r, f) == (0.75, 0.6, pytest.approx(2 * 0.75 * 0.6 / 1.35))
    assert lcs_precision_recall_f1(["a"], ["b"]) == (0, 0, 0)


@given(tokens, tokens)
def test_equal_to_rouge_score(left, right):
    theirs = RougeScorer(["rougeL"]).score(" ".join(right), " ".join(left))["rougeL"]
    assert lcs_precision_recall_f1(left, right) == pytest.approx(tuple(theirs), abs=1e-12)


@given(tokens, tokens)
def test_symmetric(left, right):
    assert lcs_length(left, right) == lcs_length(right, left)


def test_long_reports_are_affordable():
    # the table of the textbook method would have 256 million cells
    words = [f"w{i}" for i in range(16_000)]
    assert lcs_length(words, words[1::2]) == 8_000


def test_the_best_reference_counts():
    result = load("rouge").compute(["a b c"], [["x y", "a b c", "a"]], detailed=True)
    assert result["scores"] == [1.0] and result["rouge2"] == 1.0
    assert result["details"][0]["rougeL"] == {"precision": 1.0, "recall": 1.0}
