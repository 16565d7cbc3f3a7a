"""`temporal_f1` beside RadEval's `temporal`, on fixtures that ship here."""

import json
from pathlib import Path

import numpy as np

from radeval_core import load
from radeval_core.functional.temporal_f1 import change_words

CASES = json.loads((Path(__file__).parent / "temporal" / "outputs.json").read_text("utf-8"))["pairs"]
#: RadEval adds 1e-10 to counts, so its 1 is 0.99999999995 and its 0 up to 2e-10
EPSILON = 3e-10


def texts(reference):
    return reference if isinstance(reference, list) else [reference]


def test_words_alone_equal_radeval():
    result = load("temporal_f1", config="words").compute(
        [case["prediction"] for case in CASES], [texts(case["reference"]) for case in CASES]
    )
    np.testing.assert_allclose(result["scores"], [case["f1"] for case in CASES], atol=EPSILON, rtol=0)
    assert result["unscored"] == 0


def test_the_words_equal_radeval():
    for case in CASES:
        assert sorted(change_words(case["prediction"])) == case["prediction_words"]
        assert sorted(frozenset().union(*map(change_words, texts(case["reference"])))) == case["reference_words"]


def test_the_default_leaves_out_only_what_the_parser_cannot_read():
    result = load("temporal_f1").compute(
        [case["prediction"] for case in CASES], [texts(case["reference"]) for case in CASES]
    )
    scored = ~np.isnan(result["scores"])
    assert 0 < (~scored).sum() < 15
    theirs = np.array([case["f1"] for case in CASES])
    np.testing.assert_allclose(np.array(result["scores"])[scored], theirs[scored], atol=EPSILON, rtol=0)
