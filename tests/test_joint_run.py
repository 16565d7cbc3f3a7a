"""Pairs of several runs scored at once give each run the result it has alone."""

import random

import numpy as np
import pytest

from radeval_core import api
from radeval_core.joint_run import run_jointly
from radeval_core.pairs import Pair
from radeval_core.registry import get_spec, metric_names
from radeval_core.runner import run

ENCODERS = {"bertscore", "radcliq", "ratescore"}


def make_runs(example_pairs, several=False):
    """Return runs of 1, 5 and 9 pairs, made of the sentences of the sample pairs; one prediction is empty."""
    draw = random.Random(7)
    sentences = [text for row in example_pairs for text in row["reference"].split(". ")]

    def report():
        return ". ".join(draw.sample(sentences, draw.randint(1, 6))) + "."

    runs = [[Pair(report(), (report(),), i) for i in range(size)] for size in (1, 5, 9)]
    runs[1][2] = Pair("", (report(),), 2)
    if several:
        runs[2][0] = Pair(report(), (report(), report()), 0)
    return runs


def plain(result):
    out = api.plain_result(result)
    return out | {"ci95": result.ci95()}


def alone(runs, make, detailed=True):
    found = []
    for pairs in runs:
        scorer = make()
        found.append(run(lambda pairs=pairs: pairs, [scorer], detailed)[1][scorer.spec.name])
    return found


@pytest.mark.parametrize("metric", metric_names())
def test_every_run_gets_the_result_it_has_alone(metric, example_pairs):
    runs = make_runs(example_pairs, get_spec(metric).multi_reference)
    make = lambda: api.make_scorer(metric, None, api.make_resources(progress=False), {})  # noqa: E731
    together = run_jointly(runs, make, detailed=True)
    for one, other in zip(together, alone(runs, make), strict=True):
        if metric in ENCODERS:  # a model's last digits depend on its batches
            np.testing.assert_allclose(one.scores, other.scores, atol=1e-6)
            assert one.signature == other.signature
        else:
            np.testing.assert_equal(plain(one), plain(other))


@pytest.mark.parametrize(
    ("metric", "options"), [("green", {"summary": False}), ("bleu", {"lowercase": True}), ("cider", {})]
)
def test_options_hold_for_every_run(metric, options, example_pairs):
    runs = make_runs(example_pairs)
    make = lambda: api.make_scorer(metric, None, api.make_resources(progress=False), dict(options))  # noqa: E731
    for one, other in zip(run_jointly(runs, make), alone(runs, make, False), strict=True):
        np.testing.assert_equal(plain(one), plain(other))


def test_runs_longer_than_a_chunk_are_put_together_again(example_pairs, monkeypatch):
    from radeval_core import runner

    monkeypatch.setattr(runner, "CHUNK_PAIRS", 4)
    runs = make_runs(example_pairs)
    make = lambda: api.make_scorer("rouge", None, api.make_resources(progress=False), {})  # noqa: E731
    for one, other in zip(run_jointly(runs, make), alone(runs, make, False), strict=True):
        np.testing.assert_equal(plain(one), plain(other))


def test_boxes_of_one_run_are_not_in_the_signature_of_another(example_pairs):
    runs = make_runs(example_pairs)
    runs[0] = [Pair(p.prediction, p.references, p.id, boxes={"left lung": [0, 0, 10, 10]}) for p in runs[0]]
    make = lambda: api.make_scorer("ffl_rq", None, api.make_resources(progress=False), {})  # noqa: E731
    together = run_jointly(runs, make)
    assert "given-" in together[0].signature and "given-" not in together[1].signature
    for one, other in zip(together, alone(runs, make, False), strict=True):
        np.testing.assert_equal(plain(one), plain(other))


def test_failures_of_a_judge_are_counted_per_run(example_pairs):
    """The outcomes of a scorer are split by run: here every second pair has none."""
    from radeval_core.metrics.rouge import SCORER

    class Judging(SCORER):
        @property
        def outcomes(self):
            return self._seen

        def prepare(self):
            super().prepare()
            self._seen = []

        def score(self, pairs, detailed):
            self._seen += [["", "HTTP 500: the server failed"][pair.id % 2] for pair in pairs]
            return super().score(pairs, detailed)

    make = lambda: Judging(SCORER.spec.default_config, api.make_resources(progress=False))  # noqa: E731
    one, five, nine = run_jointly(make_runs(example_pairs), make)
    assert (one.judged, one.failures) == (1, {})
    assert (five.judged, five.failures) == (3, {"HTTP 500: the server failed": 2})
    assert (nine.judged, nine.failures) == (5, {"HTTP 500: the server failed": 4})
