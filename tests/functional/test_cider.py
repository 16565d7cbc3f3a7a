import math

import pytest

from radeval_core import load
from radeval_core.errors import InputError
from radeval_core.functional.cider import DocumentFrequencies, cider_d, count_ngrams, ngram_vectors, self_score, words


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Heart size: NORMAL.", ["heart", "size", "normal"]),
        ("a 2.5 x 3 cm mass", ["a", "2.5", "x", "3", "cm", "mass"]),
        ("follow-up of patient's T1/T2", ["follow-up", "of", "patient's", "t1/t2"]),
        ("...", []),
        ("Ödem, 左肺", ["ödem", "左肺"]),
        ("___ XXXX", ["xxxx"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_ngrams_up_to_four_words():
    counts = count_ngrams("a b a b")
    assert counts["a",] == 2 and counts["a", "b"] == 2 and counts["a", "b", "a", "b"] == 1
    assert sum(counts.values()) == 4 + 3 + 2 + 1


def frequencies(*documents):
    found = DocumentFrequencies()
    for document in documents:
        found.add([document])
    return found


def test_document_frequencies():
    found = frequencies("a b", "a c", "a a")
    assert found.weight(("a",)) == 0.0  # in every document
    assert found.weight(("b",)) == pytest.approx(math.log(3))
    assert found.weight(("unseen",)) == pytest.approx(math.log(3))  # counts as one document
    found.add(["b", "b c"])  # the references of one pair are one document
    assert found.documents == 4 and found.counts["b",] == 2


def test_hand_worked():
    # Two documents: "a b" and "c d". All words are in one of two, so every weight is log 2.
    found = frequencies("a b", "c d")
    weigh = lambda text: ngram_vectors(text, found)  # noqa: E731
    # "a c" against "a b": one of two unigrams in common, cosine 1/2; no bigram; 3- and 4-grams do not exist.
    assert cider_d(weigh("a c"), [weigh("a b")]) == pytest.approx(10 * 0.5 / 4)
    # "a b" against itself: unigrams and bigrams agree, longer ones do not exist.
    assert cider_d(weigh("a b"), [weigh("a b")]) == pytest.approx(10 * 2 / 4)
    # Two more words: the same common unigrams over longer vectors, times exp(-4 / 72).
    # unigrams: (log2)^2 * 2 / (log2 * 2 * log2 * sqrt 2) = 1 / sqrt 2; bigrams: 1 of 3: 1 / sqrt 3
    expected = 10 / 4 * (1 / math.sqrt(2) + 1 / math.sqrt(3)) * math.exp(-4 / 72)
    assert cider_d(weigh("a b c d"), [weigh("a b")]) == pytest.approx(expected)
    # The mean over references.
    assert cider_d(weigh("a b"), [weigh("a b"), weigh("c d")]) == pytest.approx(10 * 2 / 4 / 2)


def test_repeated_words_are_clipped():
    found = frequencies("a b", "c d")
    once, thrice = ngram_vectors("a", found), ngram_vectors("a a a", found)
    # min(3, 1) * 1 / (3 * 1), times exp(-4 / 72)
    assert cider_d(thrice, [once]) == pytest.approx(10 / 4 * (1 / 3) * math.exp(-4 / 72))


def test_a_single_reference_scores_zero_and_warns(caplog):
    assert load("cider").compute(["clear lungs"], ["clear lungs"])["cider"] == 0.0
    assert "with a single reference every score is 0" in caplog.text


def test_a_given_corpus_replaces_the_references():
    corpus = ["the lungs are clear today", "the heart is very large", "no effusion or pneumothorax seen"]
    result = load("cider", corpus=corpus).compute(["the heart is very large"], ["the heart is very large"])
    assert result["cider"] == pytest.approx(10)
    assert "|df:corpus-" in result["signature"]
    other = load("cider", corpus=corpus[:2]).compute(["the heart"], ["the heart"])
    assert other["signature"] != result["signature"]


def test_an_earlier_call_does_not_leak_into_the_next():
    metric = load("cider")
    first = metric.compute(["a b c d", "e f g h"], ["a b c x", "e f g h"])
    assert metric.compute(["a b c d", "e f g h"], ["a b c x", "e f g h"]) == first


def test_the_error_names_a_bad_corpus():
    with pytest.raises(InputError, match=r"option cider\.corpus must be a list, got 'one string'"):
        load("cider", corpus="one string").compute(["a"], ["a"])
    with pytest.raises(InputError, match="corpus of cider is empty"):
        load("cider", corpus=[]).compute(["a"], ["a"])
    with pytest.raises(InputError, match=r"corpus\[1\] must be a string, got None"):
        load("cider", corpus=["a", None]).compute(["a"], ["a"])


@pytest.mark.parametrize(
    "text, expected",
    [
        ("left pleural effusion seen", 10.0),
        ("left pleural effusion", 7.5),  # no sequence of four words
        ("effusion", 2.5),
        ("...", 0.0),
        ("clear lungs", 0.0),  # in every document, so without weight
    ],
)
def test_a_report_with_itself_scores_10_less_a_quarter_per_length_without_weight(text, expected):
    found = frequencies(f"{text} clear lungs", "clear lungs", "other clear lungs")
    vectors = ngram_vectors(text, found)
    assert self_score(vectors) == pytest.approx(expected)
    assert cider_d(vectors, [vectors]) == pytest.approx(expected)
