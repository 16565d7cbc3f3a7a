"""`meteor`, by hand."""

import numpy as np
import pytest

from radeval_core import load
from radeval_core.functional.meteor import COUNTS, MAX_WORDS, align, count, meteor, words


def test_words():
    assert words("Small 2.5-cm nodule (T12/L1), it's 1,000 ml.") == (
        ["small", "2.5", "cm", "nodule", "(", "t12", "/", "l1", ")", ",", "it", "'", "s", "1,000", "ml", "."]
    )


def pairs(prediction, reference):
    return [(m.prediction, m.reference, m.module) for m in align(prediction.split(), reference.split())]


@pytest.mark.parametrize(
    "prediction, reference, expected",
    [
        ("a b c", "a b c", [(0, 0, 0), (1, 1, 0), (2, 2, 0)]),
        ("effusions left", "left effusion", [(0, 1, 1), (1, 0, 0)]),
        # the second `no` continues the run: fewer chunks, the same number of matches
        ("no edema", "no x no edema", [(0, 2, 0), (1, 3, 0)]),
        ("a", "b", []),
    ],
)
def test_alignment(prediction, reference, expected):
    assert pairs(prediction, reference) == expected


def test_a_score_by_hand():
    # prediction: 4 words, 1 function word; reference: 4 and 2. Matches: effusion (content) and no (function), 2 chunks.
    # P = (.75 + .25) / (.75·3 + .25) = .4; R = 1 / (.75·2 + .25·2) = .5; F = .4·.5 / (.85·.4 + .15·.5) = .2 / .415
    # penalty = .6 · (2 / 2)^.2 = .6
    left, right = ["no", "left", "x", "effusion"], ["effusion", "is", "y", "no"]
    counts = count(left, right, align(left, right))
    assert counts[:8].tolist() == [4, 4, 1, 2, 1, 1, 1, 1] and counts[-3:].tolist() == [2, 2, 2]
    assert meteor(counts) == pytest.approx(0.4 * 0.2 / 0.415)


def test_nothing_in_common_and_perfect_pairs():
    assert meteor(np.zeros(COUNTS)) == 0
    result = load("meteor").compute(
        ["Clear lungs.", "Small effusion.", "x", "", "..."], ["Clear lungs.", "Small effusion.", "y", "z", ""]
    )
    assert result["scores"] == [1, 1, 0, 0, 0]
    identical = load("meteor").compute(["Clear lungs.", "Small effusion."], ["Clear lungs.", "Small effusion."])
    assert identical["meteor"] == 1


def test_the_corpus_score_is_not_the_mean():
    result = load("meteor").compute(["a b c d", "x"], ["a b c d", "y"])
    # sums: 5 words on both sides, `a` is a function word, 4 matches, no chunk
    whole = 0.75 * 4 + 0.25
    assert result["mean"] == 0.5 and result["meteor"] == pytest.approx((0.75 * 3 + 0.25) / whole)


def test_the_best_of_several_references_counts():
    assert load("meteor").compute(["clear lungs"], [["effusion", "clear lungs", ""]])["scores"] == [1]


def test_long_reports_are_cut_and_still_aligned():
    text = " ".join(f"w{i}" for i in range(MAX_WORDS + 10))
    result = load("meteor").compute([text], [text], detailed=True)
    assert result["scores"] == [1] and result["details"][0]["words"]["prediction"] == MAX_WORDS
