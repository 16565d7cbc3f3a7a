"""Reports are split into words by the rules of each model."""

import pytest

from radeval_core.annotators.radgraph_words import word_rules, words_v1, words_xl

V1 = [
    ("", "None"),
    (" \n\t", ""),
    ("Heart size normal.", "Heart size normal ."),
    ("effusion,no pneumothorax/edema", "effusion , no pneumothorax / edema"),
    ("left-sided (small) opacity: new!?", "left-sided ( small ) opacity : new ! ?"),
    ('2.5 cm; 50% "XXXX"', '2 . 5 cm; 50% "XXXX"'),
    ("FINDINGS:\nclear\u00a0lungs\r\n\r\nok", "FINDINGS : clear lungs ok"),
    ("...", ". . ."),
    ("左肺 Ödem→", "左肺 Ödem→"),
]

XL = [
    ("", "None"),
    (" \n\t", ""),
    ("\\n", ""),
    ("Heart size normal.", "Heart size normal ."),
    ("left-sided (small) opacity: new!?", "left - sided ( small ) opacity : new !?"),
    ("2.5 cm; 50%", "2 . 5 cm ; 50 %"),
    ("a\\nb\\fc\\u2122d\ne", "a b c d e"),
    ('the \\"mass\\"', "the `` mass ``"),
    ('the "mass"', 'the " mass "'),
    ("(small). 5%. 5%, (5%) 'so.'", "( small ) . 5 % . 5 % , ( 5 % ) ' so . '"),
    ("(5%).", "( 5 % ) ."),
    ("and/or./?", "and / or ./?"),
    ("end/. ok", "end /. ok"),
    ("XXXX_1", "XXXX_1"),
    ("左肺 Ödem→", "左肺 Ödem →"),
]


@pytest.mark.parametrize(("text", "words"), V1)
def test_words_of_radgraph(text, words):
    assert " ".join(words_v1(text)) == words


@pytest.mark.parametrize(("text", "words"), XL)
def test_words_of_radgraph_xl(text, words):
    assert " ".join(words_xl(text)) == words


def test_only_the_first_model_has_its_own_rules():
    assert word_rules("radgraph") is words_v1
    assert {word_rules(kind) for kind in ("radgraph-xl", "modern-radgraph-xl", "echograph")} == {words_xl}
