"""The commands: plans, errors in one line, and the way from reports to a trained reader."""

import json

import pytest
from tiny_training import ENCODER, write_sentences

from radeval_core.cli.app import main


@pytest.fixture
def rows(tmp_path):
    return str(write_sentences(tmp_path / "rows.jsonl"))


def train(*options):
    return main(["train", "ner", "--encoder", str(ENCODER), "--device", "cpu", *options])


def test_a_dry_run_prints_the_plan_and_writes_nothing(rows, tmp_path, capsys):
    out = tmp_path / "out"
    assert train("--base", str(ENCODER), "--data", rows, "--out", str(out), "--batch", "16", "--dry-run", "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["rows"] == {"train": 48, "dev": 6, "test": 6} and plan["steps"] == 30
    assert plan["seconds"] >= 0 and plan["memory_bytes"] > 0 and not out.exists()


@pytest.mark.parametrize(
    "options, message",
    [
        (["--base", "debertav3"], "did you mean 'deberta-v3'"),
        (["--base", str(ENCODER), "--scheme", "crf"], "unknown scheme 'crf'"),
        (["--base", str(ENCODER), "--steps", "0"], "--steps must be at least 1"),
        (["--base", str(ENCODER), "--sources", "z"], "unknown source 'z'"),
        (["--base", str(ENCODER), "--sources", "x", "--ablate"], "--sources or --ablate"),
        (["--base", str(ENCODER), "--encoder-pooling", "max"], "unknown pooling 'max'"),
        (["--base", str(ENCODER), "--data", "missing.conll"], "missing.conll: no such file"),
    ],
)
def test_wrong_options_are_one_line(rows, tmp_path, capsys, options, message):
    assert train("--data", rows, "--out", str(tmp_path / "out"), *options) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_an_ablation_trains_each_source_and_goes_on_where_it_stopped(rows, tmp_path, capsys):
    options = ["--base", str(ENCODER), "--data", rows, "--steps", "2", "--batch", "16", "--out", str(tmp_path / "out")]
    assert train(*options, "--ablate", "--quiet") == 0
    written = {path.parent.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*/run.json")}
    assert set(written) == {"x", "y", "all"}
    capsys.readouterr()
    assert train(*options, "--ablate") == 0
    assert written == {path.parent.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*/run.json")}
    shown = capsys.readouterr().out
    assert "table 6" in shown and "rows.jsonl: x)" in shown


@pytest.mark.e2e
def test_from_reports_to_a_reader_of_ratescore(tmp_path, capsys):
    reports = tmp_path / "reports.jsonl"
    texts = ["No pleural effusion or pneumothorax.", "Right lower lobe consolidation.", "Lungs are clear."]
    lines = [{"id": f"s{n}", "text": f"{texts[n % 3]} {texts[(n + 1) % 3]}"} for n in range(12)]
    # distinct sentences: the same one is kept once
    lines = [{**line, "text": line["text"].replace(".", " " * (n + 1) + ".")} for n, line in enumerate(lines)]
    reports.write_text("".join(json.dumps(line) + "\n" for line in lines))
    sentences, out = str(tmp_path / "sentences.jsonl"), str(tmp_path / "reader")
    small = ["--encoder", str(ENCODER), "--device", "cpu", "--quiet"]
    assert main(["train", "propose", str(reports), "--out", sentences, *small]) == 0
    assert train("--base", str(ENCODER), "--data", sentences, "--out", out, "--steps", "2", "--batch", "8", "-q") == 0
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": 1, "prediction": texts[0], "reference": texts[1]}) + "\n")
    scores = str(tmp_path / "scores.jsonl")
    command = ["score", str(pairs), "--metrics", "ratescore", "--config", f"ratescore={out}", "--out", scores, "--json"]
    capsys.readouterr()
    assert main(command) == 0
    assert "model:reader/ner@" in json.loads(capsys.readouterr().out)["ratescore"]["signature"]
