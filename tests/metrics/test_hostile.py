"""Hostile reports: no exception, no score outside its rule. `tools/soak_hostile.py` runs many more."""

import random

import pytest
from hypothesis import HealthCheck, given, settings

from hostile_checks import check_pairs, check_reading, cider_identities, is_valid
from hostile_reports import UNICODE_TROUBLE, hostile_pairs, pair

TEXT_METRICS = ["bleu", "rouge", "cider", "green", "crimson", "fineradscore", "ffl_rq", "chexbert_f1", "radgraph_f1"]
MODEL_METRICS = ["ratescore", "bertscore", "radcliq"]


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile_pairs())
def test_a_pair_breaks_nothing(reports):
    assert not check_pairs([reports], TEXT_METRICS, order=False)
    assert not check_reading(reports[0])


@pytest.mark.parametrize(
    "metrics, number", [(TEXT_METRICS, 60), pytest.param(MODEL_METRICS, 15, marks=pytest.mark.e2e)]
)
def test_many_pairs_break_nothing(metrics, number):
    drawn = random.Random(14)
    assert not check_pairs([pair(drawn) for _ in range(number)], metrics)


@pytest.mark.parametrize("kind", UNICODE_TROUBLE)
def test_unicode_trouble_breaks_nothing(kind):
    trouble = UNICODE_TROUBLE[kind]
    plain = "There is a 3 mm nodule in the left upper lobe. No pleural effusion."
    texts = [
        trouble,
        f"{trouble} {plain}",
        plain.replace(" ", trouble),
        plain.replace("3", trouble),
        plain[:9] + trouble,
    ]
    assert not check_pairs(
        [(text, plain) for text in texts], ["rouge", "green", "crimson", "fineradscore", "radgraph_f1"]
    )
    for text in texts:
        assert not check_reading(text)


def test_there_are_24_kinds_of_unicode_trouble():
    assert len(UNICODE_TROUBLE) == len(set(UNICODE_TROUBLE.values())) == 24


def test_cider_of_a_report_with_itself_follows_from_its_ngrams():
    drawn = random.Random(3)
    texts = [text for _ in range(40) for text in pair(drawn) if is_valid((text, text))]
    assert not cider_identities(["Effusion.", "No effusion.", "Left pleural effusion.", "...", *texts])
