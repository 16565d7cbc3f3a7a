import numpy as np
import pytest
from bench_fixtures import rated, result, rows_of

from radeval_core.bench.expert_data import MEASURES, rated_pairs
from radeval_core.bench.published import _entries, beside_measured, counts_beside_measured, published_values
from radeval_core.registry import metric_value
from radeval_core.stats.agreement import study_resamples

REXVAL = {"dataset": "rexval", "config": "all", "split": "test"}
HELD_OUT = {"dataset": "rexval", "config": "split", "split": "test"}


def test_every_row_has_a_known_metric_and_a_value_inside_its_interval():
    for entries in _entries().values():
        for entry in entries:
            for row in entry["values"]:
                if entry["coefficient"] == "candidates":
                    # the printed total is of unrounded means
                    assert len(row["means"]) == 7 and sum(row["means"][:6]) == pytest.approx(row["means"][6], abs=0.004)
                    continue
                assert row["metric"] is None or metric_value(row["metric"])
                assert row.get("measure", "errors") in MEASURES or entry["coefficient"] in (
                    "counts",
                    "answers",
                    "entities",
                )
                assert row["ci95"] is None or row["ci95"][0] < row["value"] < row["ci95"][1]


def test_values_match_the_papers():
    rows = [*published_values(REXVAL, "kendall"), *published_values(HELD_OUT, "kendall")]
    found = {(r["paper"], r["label"], r["measure"], r["pairs"]): r["value"] for r in rows}
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
    counts = {"green": {"mae_significant_by_category": known, "categories": {"wrong_location": {"accuracy": known}}}}
    results = {"green": result("green", [1])}
    results["green"].signature = "green|config:radllama2-7b|x"
    rows = [row for row in counts_beside_measured(counts, results, REXVAL) if row["label"] == "GREEN (RadLLaMA-2)"]
    by = {row["measure"]: row for row in rows}
    assert by["mae_significant_by_category"]["value"] == 1.54
    assert by["mae_significant_by_category"]["measured"] == known and by["mae_significant_by_category"]["comparable"]
    assert by["accuracy wrong_location"]["value"] == 0.60 and by["accuracy wrong_location"]["measured"] == known
    assert by["mae_insignificant_by_category"]["measured"] is None and by["accuracy false_finding"]["measured"] is None
    assert counts_beside_measured(counts, results, {"file": "x.jsonl"}) == []


def test_own_files_have_no_published_values():
    data = rated_pairs(rows_of(rated(0, {"errors": 1})), "d", {"file": "rexval.jsonl"})
    assert beside_measured({}, data, np.empty((0, 1))) == []
    assert published_values({"dataset": "rate_eval", "config": "sentence_level"}, "kendall") == []


def test_200_pairs_stand_beside_200_pairs_and_40_beside_40():
    assert {row["pairs"] for row in published_values(REXVAL, "kendall")} == {200}
    assert {row["pairs"] for row in published_values(HELD_OUT, "kendall")} == {40}
    assert published_values({**HELD_OUT, "split": "train"}, "kendall") == []


def measured_with(config, provenance=REXVAL, metric="green"):
    rows = rows_of(*(rated(i, {"errors": i}) for i in range(4)))
    scored = result(metric, [4, 3, 2, 1], error_count=[0, 1, 2, 3])
    scored.signature = f"{metric}|config:{config}|refs:1"
    found = beside_measured({metric: scored}, rated_pairs(rows, "d", provenance), study_resamples(range(4)))
    return {row["label"]: (row["comparable"], row["why_not"]) for row in found if row["metric"] == metric}


def test_only_the_papers_model_on_the_papers_pairs_compares():
    assert measured_with("radllama2-7b")["GREEN"] == (True, "")
    assert measured_with("http:gpt-4")["GREEN-GPT-4"] == (True, "")
    assert measured_with("radllama2-7b")["GREEN-GPT-4"][0] is False
    assert measured_with("embedded")["GREEN"] == (False, "measured with embedded, published with radllama2-7b")
    held_out = measured_with("http:gpt-4", HELD_OUT, "fineradscore")
    assert held_out["FineRadScore (GPT-4)"][0] is False and "other 40 pairs" in held_out["FineRadScore (GPT-4)"][1]


def test_figure_3_and_table_5_of_ratescore():
    sentences = {"dataset": "rate_eval", "config": "sentence_level", "split": "test"}
    figure = {row["label"]: row["value"] for row in published_values(sentences, "pearson")}
    assert figure["RaTEScore"] == 0.54 and figure["SPICE"] == 0.40 and len(figure) == 8
    paragraphs = {**sentences, "config": "paragraph_level"}
    for kind, value in (("pearson", 0.653), ("kendall", 0.462), ("spearman", 0.608)):
        assert {row["label"]: row["value"] for row in published_values(paragraphs, kind)}["RaTEScore"] == value
    rows = rows_of(*(rated(i, {"rating": i}) for i in range(4)))
    found = beside_measured(
        {"ratescore": result("ratescore", [1, 2, 3, 5])},
        rated_pairs(rows, "d", paragraphs),
        study_resamples(range(4)),
    )
    ours = {row["coefficient"]: row["measured"]["value"] for row in found if row["label"] == "RaTEScore"}
    assert ours["kendall"] == ours["spearman"] == pytest.approx(1) and 0.9 < ours["pearson"] < 1
    assert next(row for row in found if row["label"] == "METEOR")["measured"] is None
