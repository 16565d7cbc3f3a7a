"""`meteor` beside METEOR 1.5, on fixtures that ship here: counts and scores of its own program."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from radeval_core import load
from radeval_core.functional.meteor import meteor, without_perfect_chunk

RECORDED = json.loads((Path(__file__).parent / "meteor" / "outputs.json").read_text("utf-8"))
PAIRS = RECORDED["pairs"]
SCORES = np.array([pair["score"] for pair in PAIRS])


def texts():
    return [pair["prediction"] for pair in PAIRS], [pair["reference"] for pair in PAIRS]


def test_the_formula_equals_meteor_1_5():
    counts = np.array([without_perfect_chunk(np.array(pair["counts"])) for pair in PAIRS])
    np.testing.assert_allclose(meteor(counts), SCORES, atol=1e-12)
    assert meteor(counts.sum(axis=0)) == pytest.approx(RECORDED["corpus"], abs=1e-12)


def test_words_and_function_words_are_counted_as_in_meteor_1_5():
    found = load("meteor").compute(*texts(), detailed=True)["details"]
    theirs = [pair["counts"][:2] for pair in PAIRS]
    ours = [[row["words"]["prediction"], row["words"]["reference"]] for row in found]
    assert ours == theirs


def test_without_synonyms_and_paraphrases_the_scores_are_close():
    ours = np.array(load("meteor").compute(*texts())["scores"])
    reports = np.array([len(pair["prediction"]) > 60 for pair in PAIRS])
    assert reports.sum() == 15
    assert np.abs(ours - SCORES)[reports].max() < 0.1
    assert kendalltau(ours[reports], SCORES[reports]).statistic > 0.9
