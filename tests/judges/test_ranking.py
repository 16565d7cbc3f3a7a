"""The embedded judges rank two candidates as a radiologist would."""

from pathlib import Path

import pytest
import yaml

from radeval_core import load

CASES = yaml.safe_load(Path(__file__).with_name("ranking_cases.yaml").read_text("utf-8"))


def scores(metric, reference, *candidates, part=None):
    result = load(metric).compute(list(candidates), [reference] * len(candidates))
    return result[f"{part}_scores" if part else "scores"]


@pytest.mark.parametrize("case", CASES["better"], ids=lambda case: case["worse"])
def test_the_better_candidate_has_the_better_score(case):
    better, worse = scores("green", case["reference"], case["better"], case["worse"], part="weighted")
    assert better > worse
    better, worse = scores("fineradscore", case["reference"], case["better"], case["worse"])
    assert better <= worse  # a sum of whole severities may tie


@pytest.mark.parametrize("case", CASES["better"], ids=lambda case: case["worse"])
def test_crimson_ranks_them_too(case):
    better, worse = scores("crimson", case["reference"], case["better"], case["worse"])
    assert better > worse


def test_equation_1_ranks_most_of_them_too():
    """It only counts, so it cannot tell a grave error from a slight one: that is what `green.weighted` is for."""
    pairs = [scores("green", case["reference"], case["better"], case["worse"]) for case in CASES["better"]]
    assert sum(better > worse for better, worse in pairs) >= 0.85 * len(pairs)


def test_few_sums_of_severities_tie():
    pairs = [scores("fineradscore", case["reference"], case["better"], case["worse"]) for case in CASES["better"]]
    assert sum(better == worse for better, worse in pairs) <= len(pairs) // 6


@pytest.mark.parametrize("case", CASES["equal"], ids=lambda case: case["reference"])
def test_candidates_that_mean_the_same_have_no_error(case):
    assert scores("green", case["reference"], case["one"], case["other"]) == [1.0, 1.0]
    assert scores("fineradscore", case["reference"], case["one"], case["other"]) == [0.0, 0.0]
    assert scores("crimson", case["reference"], case["one"], case["other"]) == [1.0, 1.0]
