"""The embedded judges rank candidates by clinical principles; see principle_cases.yaml."""

from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from radeval_core import load

CASES = [
    {"principle": principle, **case}
    for principle, cases in yaml.safe_load(Path(__file__).with_name("principle_cases.yaml").read_text("utf-8")).items()
    for case in cases
]
#: metric -> module, key of its scores, direction, cases it must rank right
JUDGES = {
    "green": ("green", "scores", 1, 61),
    "green.weighted": ("green", "weighted_scores", 1, 133),
    "crimson": ("crimson", "scores", 1, 129),
    "fineradscore": ("fineradscore", "scores", -1, 120),
}


def ranked(case, scores):
    """Return whether the scores of a case are in the expected order; higher is better."""
    if case.get("equal"):
        return len({round(score, 9) for score in scores}) == 1
    return all(better > worse for better, worse in pairwise(scores))


@pytest.mark.parametrize("judge", JUDGES)
def test_candidates_are_ranked_by_principle(judge):
    module, key, sign, floor = JUDGES[judge]
    pairs = [(candidate, case["reference"]) for case in CASES for candidate in case["candidates"]]
    found = iter(load(module).compute([c for c, _ in pairs], [r for _, r in pairs])[key])
    wrong = [case for case in CASES if not ranked(case, [sign * next(found) for _ in case["candidates"]])]
    assert len(CASES) - len(wrong) >= floor, [f"{case['principle']}: {case['reference']}" for case in wrong]


def test_there_are_many_cases_of_many_principles():
    assert len(CASES) >= 100
    assert len({case["principle"] for case in CASES}) >= 15
