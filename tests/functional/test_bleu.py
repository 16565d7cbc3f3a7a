import math

import pytest

from radeval_core.functional.bleu import radcliq_bleu2, radcliq_tokens


def test_tokens():
    assert radcliq_tokens("Clear lungs. No 2.5 cm mass.") == ["clear", "lungs", ".", "no", "2", ".5", "cm", "mass", "."]
    assert radcliq_tokens(" a  b .\nc") == ["a", "b", ".\nc"]  # no empty tokens; a line break separates nothing


@pytest.mark.parametrize(
    "prediction, references, expected",
    [
        ("a b c", ["a b c"], 1.0),
        ("a b", ["a c"], math.sqrt(1 / 2 * 0.1 / 1)),  # one unigram of two; no bigram: its count is 0.1
        ("a b c", ["a b d"], math.sqrt(2 / 3 * 1 / 2)),
        ("a b", ["a b c d"], math.exp(1 - 4 / 2)),  # perfect but short
        ("a b c d", ["a b"], math.sqrt(2 / 4 * 1 / 3)),  # long: no bonus, no penalty
        ("a a a", ["a"], math.sqrt(1 / 3 * 0.1 / 2)),  # a repeated word counts only as often as in the reference
        ("a", ["a"], math.sqrt(1 * 0.1)),  # no bigram is possible: its count is also 0.1
        ("a b", ["c d"], 0.0),
        ("", ["a"], 0.0),
        ("a", [""], 0.0),
        ("", [""], 0.0),
        ("a b", ["a x", "y b"], math.sqrt(1 * 0.1)),  # unigrams from either reference
        ("a b c", ["a b", "a b c d"], math.sqrt(1 * 1)),  # 2 and 4 are equally near 3: the shorter counts
    ],
)
def test_hand_worked(prediction, references, expected):
    assert radcliq_bleu2(prediction, references) == pytest.approx(expected, abs=1e-12)
