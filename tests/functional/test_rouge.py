import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from radeval_core import load
from radeval_core.functional.rouge import lcs_precision_recall_f1
from radeval_core.metrics import rouge

tokens = st.lists(st.sampled_from("abcd"), max_size=90)


@pytest.mark.parametrize(
    "prediction, reference, common",
    [("a", "b", 0), ("abc", "abc", 3), ("abc", "cba", 1), ("abcbdab", "bdcaba", 4), ("aaaa", "aa", 2)],
)
def test_hand_worked_common_words(prediction, reference, common):
    precision, recall, _ = lcs_precision_recall_f1(prediction, reference)
    assert (precision, recall) == (common / len(prediction), common / len(reference))


@pytest.mark.parametrize("prediction, reference", [("", ""), ("a", ""), ("", "a")])
def test_a_text_without_a_word_scores_0(prediction, reference):
    assert lcs_precision_recall_f1(prediction, reference) == (0, 0, 0)


def test_hand_worked_scores():
    # common: "no effusion seen"; 3 of 4 predicted words, 3 of 5 reference words
    p, r, f = lcs_precision_recall_f1(["no", "large", "effusion", "seen"], ["no", "pleural", "effusion", "is", "seen"])
    assert (p, r, f) == (0.75, 0.6, pytest.approx(2 * 0.75 * 0.6 / 1.35))


@given(tokens, tokens)
def test_equal_to_rouge_score(left, right):
    theirs = RougeScorer(["rougeL"]).score(" ".join(right), " ".join(left))["rougeL"]
    assert lcs_precision_recall_f1(left, right) == pytest.approx(tuple(theirs), abs=1e-12)


@given(tokens, tokens)
def test_swapping_the_texts_swaps_precision_and_recall(left, right):
    assert lcs_precision_recall_f1(left, right)[:2] == lcs_precision_recall_f1(right, left)[1::-1]


def test_long_reports_are_affordable():
    # a table with one cell per pair of words would have 128 million cells
    words = [f"w{i}" for i in range(16_000)]
    assert lcs_precision_recall_f1(words, words[1::2])[:2] == (0.5, 1.0)


def test_the_best_reference_counts():
    result = load("rouge").compute(["a b c"], [["x y", "a b c", "a"]], detailed=True)
    assert result["scores"] == [1.0] and result["rouge2"] == 1.0
    assert result["details"][0]["rougeL"] == {"precision": 1.0, "recall": 1.0, "truncated": False}


def test_rouge_l_of_a_long_report_equals_that_of_rouge_score():
    words = [f"w{i % 97}" for i in range(1_500)]
    prediction, reference = " ".join(words), " ".join(reversed(words))
    expected = RougeScorer(["rougeL"]).score(reference, prediction)["rougeL"].fmeasure
    result = load("rouge").compute([prediction], [reference], detailed=True)
    assert result["rougeL"] == pytest.approx(expected, abs=1e-12)
    assert result["details"][0]["rougeL"]["truncated"] is False


def test_rouge_l_reads_the_tokens_that_the_signature_names(monkeypatch):
    monkeypatch.setattr(rouge, "LCS_TOKENS", 3)
    predictions, references = ["a b c x x x", "a b c"], ["a b c y", "c b a"]
    result = load("rouge").compute(predictions, references, detailed=True)
    assert result["scores"] == [1.0, pytest.approx(1 / 3)]  # of a long report, only the first three are compared
    assert [detail["rougeL"]["truncated"] for detail in result["details"]] == [True, False]
    assert result["rouge1_scores"][0] == pytest.approx(0.6)  # 3 of 6 and 3 of 4: all words
    assert "|lcs_tokens:3|" in result["signature"]


def test_of_several_references_a_long_one_is_marked_if_it_counts(monkeypatch):
    monkeypatch.setattr(rouge, "LCS_TOKENS", 3)
    short, long = "a b c", "a b c d"
    result = load("rouge").compute(["a b c", "a b c"], [[short, "x y z u"], ["x y", long]], detailed=True)
    assert result["scores"] == [1.0, 1.0]
    assert [detail["rougeL"]["truncated"] for detail in result["details"]] == [False, True]


def test_no_report_is_longer_than_what_rouge_l_compares():
    signature = load("rouge").compute(["a"], ["a"])["signature"]
    assert "|lcs_tokens:50000|" in signature
