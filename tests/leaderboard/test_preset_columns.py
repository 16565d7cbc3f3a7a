"""A board under the names of a published table, and the file of ReXrank."""

import csv
import io
import json

import pytest
from small_benchmark import jsonl, outcome, write_benchmark

from radeval_core.cli import main
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


def test_the_commands_show_and_export_the_columns(tmp_path, capsys):
    two = write_benchmark(tmp_path / "two", metrics={"green": "embedded", "bleu.bleu_2_radcliq": "embedded"})
    board = ["--benchmark", str(two.folder), "--store", str(tmp_path / "store")]
    for name, kind in (("Mine", "system"), ("Copy", "oracle")):
        (tmp_path / f"{name}.jsonl").write_bytes(jsonl(name=name, kind=kind))
        assert main(["leaderboard", "submit", str(tmp_path / f"{name}.jsonl"), *board]) == 0
    assert main(["leaderboard", "score", *board]) == 0
    capsys.readouterr()
    assert main(["leaderboard", "show", *board, "--preset", "rexrank"]) == 0
    out = capsys.readouterr().out
    assert "1/RadCliQ-v1 ↑" in out and "not computed by small: BERTScore" in out and "oracle" in out
    assert main(["leaderboard", "show", *board, "--preset", "rexrank", "--json"]) == 0
    columns = {column["name"]: column for column in json.loads(capsys.readouterr().out)["preset"]["columns"]}
    assert columns["BLEU-2"]["comparable"] and not columns["GREEN"]["comparable"]
    assert len(columns["GREEN"]["scores"]) == 2 and set(columns["RaTEScore"]["scores"].values()) == {None}
    assert (
        main(["leaderboard", "export", "--format", "rexrank", "--out", str(tmp_path / "b.csv"), *board, "--json"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["not_comparable"] == ["GREEN"]
    header, row = (tmp_path / "b.csv").read_text().splitlines()  # the oracle is left out
    assert header == HEADER and row.startswith("1,20") and ",Mine,," in row


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["export", "Mine", "--format", "rexrank", "--out", "b.csv"], "leave out SYSTEM and --source"),
        (["export", "--format", "rexrank", "--out", "b.txt"], "must end in .csv"),
        (["export", "--out", "folder"], "name a system: radeval leaderboard export SYSTEM --out DIR"),
        (["show", "--preset", "rexrankk"], "did you mean 'rexrank'"),
    ],
)
def test_a_wrong_command_says_what_to_type(arguments, expected, small, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "store").mkdir()
    assert main(["leaderboard", *arguments, "--benchmark", str(small.folder), "--store", "store"]) == 2
    err = capsys.readouterr().err
    assert expected in err and len(err.splitlines()) == 1
