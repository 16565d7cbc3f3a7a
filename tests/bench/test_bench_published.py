import numpy as np
import pytest
from bench_fixtures import rated, result, rows_of

from radeval_core.bench.expert_data import MEASURES, rated_pairs
from radeval_core.bench.published import _entries, beside_measured, counts_beside_measured, published_values
from radeval_core.registry import get_spec
from radeval_core.stats.agreement import study_resamples

REXVAL = {"dataset": "rexval", "config": "pairs", "split": "test"}


def test_every_row_has_a_known_metric_and_a_value_inside_its_interval():
    for entries in _entries().values():
        for entry in entries:
            for row in entry["values"]:
                metric, _, part = row["metric"].partition(".")
                assert not part or part in get_spec(metric).parts
                assert row.get("measure", "errors") in MEASURES or entry["coefficient"] == "counts"
                assert row["ci95"] is None or row["ci95"][0] < row["value"] < row["ci95"][1]


def test_values_match_the_papers():
    found = {
        (r["paper"], r["label"], r["measure"], r["pairs"]): r["value"] for r in published_values(REXVAL, "kendall")
    }
    assert found["RadCliQ", "RadGraph F1", "significant_errors", 200] == 0.531
    assert found["RadCliQ", "RadCliQ", "errors", 40] == 0.615
    assert found["GREEN", "GREEN", "errors", 200] == 0.63
    assert found["RaTEScore", "RaTEScore", "errors", 200] == 0.527
    assert found["FineRadScore", "FineRadScore (GPT-4)", "errors", 40] == 0.701


def test_measured_values_next_to_published_ones():
    rows = rows_of(*(rated(i, {"errors": e, "significant_errors": 0}) for i, e in enumerate([0, 1, 2, 3])))
    data = rated_pairs(rows, "d", REXVAL)
    results = {
        "green": result("green", [4, 3, 2, 1], error_count=[0, 1, 2, 3]),
        "radgraph_f1": result("radgraph_f1", [1, 2, 3, 4], combined=[4, 3, 1, 2]),
    }
    by = {(r["label"], r["measure"]): r["measured"] for r in beside_measured(results, data, study_resamples(range(4)))}
    assert by["GREEN", "errors"]["value"] == pytest.approx(1)
    assert by["error counts of GREEN", "errors"]["value"] == pytest.approx(1)  # fewer errors are better
    assert by["RadGraph F1", "errors"]["value"] == pytest.approx(4 / 6)  # the part the paper measured
    assert by["F1 RadGraph", "errors"]["value"] == pytest.approx(-1)  # the headline
    assert by["RadGraph F1", "significant_errors"]["value"] is None  # all equal
    assert by["BERTScore", "errors"] is None  # not run


def test_measured_counts_next_to_published_ones():
    known = {"value": 2.0, "ci95": None, "n": 3}
    counts = {"green": {"mae_significant": known, "categories": {"wrong_location": {"accuracy": known}}}}
    by = {row["measure"]: row for row in counts_beside_measured(counts, REXVAL)}
    assert by["mae_significant"]["value"] == 1.54 and by["mae_significant"]["measured"] == known
    assert by["accuracy wrong_location"]["value"] == 0.60 and by["accuracy wrong_location"]["measured"] == known
    assert by["mae_insignificant"]["measured"] is None and by["accuracy false_finding"]["measured"] is None
    assert counts_beside_measured(counts, {"file": "x.jsonl"}) == []


def test_own_files_have_no_published_values():
    data = rated_pairs(rows_of(rated(0, {"errors": 1})), "d", {"file": "rexval.jsonl"})
    assert beside_measured({}, data, np.empty((0, 1))) == []
    assert published_values({"dataset": "rate_eval", "config": "sentence_level"}, "kendall") == []
