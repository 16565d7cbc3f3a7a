"""A board under the names of a published table, and the file of ReXrank."""

import csv
import io

import pytest
from small_benchmark import outcome, write_benchmark

from radeval_core.errors import InputError
from radeval_core.leaderboard.preset_columns import (
    metrics_of_preset,
    missing_columns,
    preset_score,
    preset_values,
    rexrank_csv,
    rexrank_values,
)
from radeval_core.leaderboard.ranking import Ranked
from radeval_core.presets import get_preset

#: the header of the file that ReXrank publishes for IU X-ray
HEADER = (
    "Rank,Date,Model Name,Institution,Model URL,BLEU,BertScore,SembScore,RadGraph,1/RadCliQ-v1,RaTEScore,GREEN,CRIMSON"
)
METRICS = {
    "radcliq": "embedded",
    "bleu.bleu_2_radcliq": "embedded",
    "radcliq.bertscore": "embedded",
    "green": "embedded",
}


@pytest.fixture
def rexrank(tmp_path):
    return write_benchmark(tmp_path / "rexrank", metrics=METRICS)


def result(**metrics):
    """Return a result with these scores and intervals."""
    found = outcome("One", [0.5] * 40)
    row = {"n": 40, "unscored": 0, "higher_is_better": True, "signature": "x"}
    shown = {name.replace("__", "."): {**row, "score": score, "ci95": ci} for name, (score, ci) in metrics.items()}
    return type(found)(**{**vars(found), "metrics": shown, "date": "2026-05-06T07:08:09+00:00"})


def column(rexrank, name):
    return next(value for value in preset_values(rexrank, get_preset("rexrank")) if value.name == name)


def test_radcliq_is_shown_as_1_divided_by_its_mean_with_the_direction_turned(rexrank):
    value = column(rexrank, "1/RadCliQ-v1")
    assert value.higher_is_better and value.source == "radcliq"  # RadCliQ itself: lower is better
    assert preset_score(result(radcliq=(0.8, [0.5, 1.0])), value) == {"score": 1.25, "ci95": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("score", "interval", "expected"),
    [
        (0.5, [-0.1, 1.0], {"score": 2.0, "ci95": None}),
        (0.0, [-0.5, 0.5], {"score": None, "ci95": None}),
        (-0.2, [-0.5, -0.1], {"score": None, "ci95": None}),
        (None, None, {"score": None, "ci95": None}),
    ],
)
def test_1_divided_by_a_number_that_is_not_positive_has_no_value(score, interval, expected, rexrank):
    assert preset_score(result(radcliq=(score, interval)), column(rexrank, "1/RadCliQ-v1")) == expected


def test_columns_are_marked_as_comparable_or_not(rexrank):
    found = {v.name: v.comparable for v in rexrank_values(rexrank)}
    assert found["BLEU"] and not found["GREEN"] and not found["CRIMSON"]


def test_columns_that_the_benchmark_does_not_compute_are_named(rexrank):
    assert missing_columns(rexrank, rexrank_values(rexrank)) == ["SembScore", "RadGraph", "RaTEScore", "CRIMSON"]


def test_a_benchmark_without_any_column_says_what_to_build(tmp_path):
    other = write_benchmark(tmp_path / "other", metrics={"rouge": "embedded"})
    with pytest.raises(
        InputError, match=r"none of the numbers of the preset rexrank.*benchmark build … --preset rexrank"
    ):
        preset_values(other, get_preset("rexrank"))


def test_the_file_has_rexranks_columns_in_its_order(rexrank):
    scored = result(
        radcliq=(0.8, None), bleu__bleu_2_radcliq=(0.2, None), radcliq__bertscore=(0.4, None), green=(0.5, None)
    )
    text = rexrank_csv([Ranked(1, scored)], rexrank)
    assert text.splitlines() == [HEADER, "1,2026,One,,https://example.org,0.200,0.400,,,1.250,,0.500,"]


def test_a_name_that_a_spreadsheet_would_run_is_text(rexrank):
    scored = result(green=(0.5, None))
    named = type(scored)(**{**vars(scored), "system": type(scored.system)("=1+1", "https://example.org", "none")})
    (row,) = csv.DictReader(io.StringIO(rexrank_csv([Ranked(None, named)], rexrank)))
    assert (row["Model Name"], row["Rank"]) == ("'=1+1", "")


def test_numbers_over_the_corpus_cannot_be_metrics_of_a_benchmark():
    preset = get_preset("chexbert-14")
    with pytest.raises(InputError, match=r"preset chexbert-14 has numbers without a score per study.*macro F1"):
        metrics_of_preset(preset, preset.values, {})
