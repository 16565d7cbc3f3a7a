import math

import numpy as np
import pytest
from bench_fixtures import rated, result, rows_of
from scipy import stats

from radeval_core.bench.expert_data import rated_pairs
from radeval_core.bench.failure_modes import failure_modes

NAN = float("nan")


def data(counts, studies):
    """Return one candidate per row, with each rater's count of false findings."""
    return rated_pairs(
        rows_of(
            *(
                rated(i, {"categories": {"false_finding": {"significant": c}}}, study)
                for i, (c, study) in enumerate(zip(counts, studies, strict=True))
            )
        ),
        "d.jsonl",
    )


def test_means_by_hand():
    # study 0: candidates 0 and 1; study 1: candidates 2 and 3; study 2 has one candidate
    found = failure_modes(
        {"up": result("up", [1, 2, 1, 2, 5]), "down": result("down", [1, 2, 1, 1, 5], up=False)},
        data([[4, 2], [0, 1], [2, 2], [0, 0], [9, 9]], [0, 0, 1, 1, 2]),
    )
    # `up` chooses 1 and 3; `down` chooses 0, and in study 1 both candidates tie
    assert found["studies"] == 2
    assert found["means"]["errors"]["up"]["false_finding"] == pytest.approx((0 + 1 + 0 + 0) / 4)
    assert found["means"]["significant_errors"]["down"]["false_finding"] == pytest.approx((4 + 2 + 1 + 1) / 4)
    assert found["means"]["errors"]["up"]["wrong_location"] is None  # no rater counted it
    assert len(found["tests"]) == 2 * 6 * 2  # kinds, categories, ordered pairs of metrics


def test_t_test_by_hand():
    # `one` chooses 3 and 5, `other` 1 and 1: means 4 and 1, pooled variance (2 + 0) / 2 = 1, t = 3 / sqrt(1 + 0) = 3
    found = failure_modes(
        {"one": result("one", [1, 0, 1, 0]), "other": result("other", [0, 1, 0, 1])},
        data([3, 1, 5, 1], [0, 0, 1, 1]),
    )
    test = next(t for t in found["tests"] if t["category"] == "false_finding" and t["more"] == "one")
    assert test["p"] == pytest.approx(stats.t.sf(3, df=2)) and test["p_bh"] == pytest.approx(2 * stats.t.sf(3, df=2))
    assert test["fewer"] == "other" and not test["significant"]
    back = next(t for t in found["tests"] if t["category"] == "false_finding" and t["more"] == "other")
    assert back["p"] == pytest.approx(1 - stats.t.sf(3, df=2))


def test_only_clear_differences_are_found():
    rng = np.random.default_rng(1)
    counts = np.column_stack([rng.poisson(2.0, size=(60, 6)), rng.poisson(0.2, size=(60, 6))]).reshape(120, 6)
    studies = np.repeat(np.arange(60), 2).tolist()
    good = np.tile([0.0, 1.0], 60)
    results = {"bad": result("bad", -good), "good": result("good", good), "same": result("same", good * 2)}
    found = failure_modes(results, data(counts.tolist(), studies))
    significant = {(t["errors"], t["category"], t["more"], t["fewer"]) for t in found["tests"] if t["significant"]}
    kinds = ("errors", "significant_errors")
    assert significant == {(k, "false_finding", "bad", other) for k in kinds for other in ("good", "same")}
    # the same p-value from the formula
    one, other = counts[::2].ravel(), counts[1::2].ravel()
    pooled = (one.var(ddof=1) + other.var(ddof=1)) / 2
    t = (one.mean() - other.mean()) / math.sqrt(pooled * 2 / 360)
    p = next(t["p"] for t in found["tests"] if t["more"] == "bad" and t["category"] == "false_finding")
    assert p == pytest.approx(stats.t.sf(t, 718))


def test_studies_that_a_metric_cannot_score_are_skipped():
    results = {"a": result("a", [NAN, 1, 1, 2]), "b": result("b", [1, 2, 1, 2])}
    found = failure_modes(results, data([1, 2, 3, 4], [0, 0, 1, 1]))
    assert found["studies"] == 1 and found["means"]["errors"]["b"]["false_finding"] == 4
    assert all(t["p"] is None and not t["significant"] for t in found["tests"])  # one data point per metric


def test_without_several_candidates_or_categories_there_is_no_section():
    results = {"a": result("a", [1, 2])}
    assert failure_modes(results, data([1, 2], [0, 1])) is None
    assert (
        failure_modes(results, rated_pairs(rows_of(rated(0, {"errors": 1}, 0), rated(1, {"errors": 2}, 0)), "d"))
        is None
    )


def test_candidates_that_the_data_names_are_compared_as_in_table_s3():
    rows = [
        {**rated(i, {"categories": {"false_finding": {"significant": c}}}, study), "candidate": name}
        for i, (c, study, name) in enumerate(
            [([2, 4], 0, "bleu"), ([1, 1], 0, "radgraph"), ([3, 3], 1, "bleu"), ([0, 2], 1, "radgraph"), (9, 2, "bleu")]
        )
        if study < 2
    ]
    # a metric that likes the worse candidates does not change the groups
    found = failure_modes({"green": result("green", [1, 0, 1, 0])}, rated_pairs(rows_of(*rows), "d"))
    assert found["by"] == "candidate" and found["studies"] == 2
    means = found["means"]["errors"]
    assert means["bleu"]["false_finding"] == means["bleu"]["total"] == 3 and means["radgraph"]["false_finding"] == 1
    test = next(t for t in found["tests"] if t["category"] == "false_finding" and t["more"] == "bleu")
    assert test["fewer"] == "radgraph" and test["p"] < 0.05


def test_without_the_column_each_metric_chooses():
    assert failure_modes({"a": result("a", [1, 2])}, data([1, 2], [0, 0]))["by"] == "metric"
