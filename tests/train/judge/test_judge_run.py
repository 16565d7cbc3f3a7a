"""A tiny judge trained for three steps: it loads as a config, goes on after a kill, and stops on a signal."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys

import pytest
from judge_run import arguments, judge_row, make_base, write_rows

from radeval_core.cli.app import main

pytestmark = pytest.mark.e2e

#: the run kills itself, as the system would, right after its first checkpoint is whole
KILLED = """
import os, signal, sys
from radeval_core.cli.app import main
from radeval_core.train.run_folder import RunFolder
whole = RunFolder.mark_whole
def mark_and_die(self, step):
    whole(self, step)
    os.kill(os.getpid(), signal.SIGKILL)
RunFolder.mark_whole = mark_and_die
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_base(tmp_path_factory.mktemp("base"), context=900)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("data") / "train.jsonl")


@pytest.fixture(scope="module")
def trained(base, data, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "judge"
    assert main([*arguments(base, data, out, "--save-steps", "1", "--lora-dropout", "0.1"), "--quiet"]) == 0
    return out


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


def record(folder):
    return json.loads((folder / "run.json").read_text())


def test_the_trained_judge_loads_as_a_config_and_its_record_is_no_part_of_its_identity(trained, tmp_path, capsys):
    from radeval_core.judges.backends.transformers_backend import open_causal_lm

    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": 1, "prediction": "Left effusion.", "reference": "Right effusion."}))
    main(["score", str(pairs), "--metrics", "green", "--config", f"green={trained}", "--json", "--quiet"])
    assert "judge@" in capsys.readouterr().out
    before = open_causal_lm(str(trained))[2]
    text = (trained / "run.json").read_text()
    (trained / "run.json").write_text(text.replace("\n", "\n\n"))
    assert open_causal_lm(str(trained))[2] == before
    (trained / "run.json").write_text(text)


def test_the_weights_moved_and_have_the_layout_of_the_base(base, trained):
    from safetensors.numpy import load_file

    old, new = load_file(base / "model.safetensors"), load_file(trained / "model.safetensors")
    assert old.keys() == new.keys()
    changed = {name for name in old if not (old[name] == new[name]).all()}
    assert changed and all("proj" in name for name in changed)


def test_the_run_says_what_happened(trained):
    run = record(trained)
    assert run["settings"]["metric"] == "green"
    assert run["results"]["steps"] == 3
    assert run["results"]["rows"] == {"train": 6, "validation": 2, "test": 2}
    assert run["results"]["judges"]["trained"]["figures"]["pairs"] == 2
    log = [json.loads(line) for line in (trained / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in log if "loss" in line] == [1, 2, 3]
    assert any("readable" in line for line in log) and any("eval_loss" in line for line in log)
    assert not (trained / "checkpoints").exists()
    assert (trained / "curves.png").exists()
    card = (trained / "README.md").read_text()
    assert "rules put into reports" in card and "learning_rate" in card


def test_held_out_answers_are_private(trained):
    path = trained / "answers.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["side:8", "side:9"]


def test_a_killed_run_goes_on_and_ends_with_the_same_weights(base, data, trained, tmp_path):
    out = tmp_path / "judge"
    given = [*arguments(base, data, out, "--save-steps", "1", "--lora-dropout", "0.1"), "--quiet"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *given], capture_output=True, text=True, timeout=240)
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    assert [folder.name for folder in (out / "checkpoints").iterdir()] == ["checkpoint-1"]
    assert main(given) == 0
    assert weights(out) == weights(trained)


def test_sigterm_ends_the_run_after_its_step_and_the_same_command_goes_on(
    base, data, trained, tmp_path, monkeypatch, caplog
):
    from radeval_core.train.run_folder import RunFolder

    out = tmp_path / "judge"
    given = [*arguments(base, data, out, "--save-steps", "1", "--lora-dropout", "0.1"), "--quiet"]
    log = RunFolder.log

    def log_and_stop(self, step, values):
        log(self, step, values)
        if step == 1 and "loss" in values:
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "log", log_and_stop)
        assert main(given) != 0
    assert "results" not in record(out)
    finished = tmp_path / "finished"
    shutil.copytree(out, finished)
    assert main(given) == 0
    assert weights(out) == weights(trained)
    assert main([*arguments(base, data, finished, "--save-steps", "1", "--lora-dropout", "0.1"), "--finish"]) == 0
    assert record(finished)["results"]["steps"] == 2
    assert weights(finished) != weights(trained)


def test_a_complete_run_is_not_overwritten(base, data, trained, capsys):
    assert main([*arguments(base, data, trained, "--save-steps", "1", "--lora-dropout", "0.1"), "--quiet"]) == 2
    assert "has a run that is complete" in capsys.readouterr().err


def test_all_weights_and_packing(data, tmp_path):
    (tmp_path / "base").mkdir()
    base, out = make_base(tmp_path / "base", context=1800), tmp_path / "full"
    given = arguments(base, data, out, "--full", "--packing", "--checkpointing", "--test-rows", "1")
    assert main([*given, "--quiet"]) == 0
    assert record(out)["results"]["steps"] == 2  # six rows in three sequences, two of them per step
    assert weights(out) != weights(base)


def test_a_dry_run_prints_the_plan_and_writes_nothing(base, data, tmp_path, capsys):
    assert main([*arguments(base, data, tmp_path / "run"), "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["steps"] == 3 and plan["rows"]["train"] == 6
    assert plan["trained_parameters"] < plan["parameters"]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        ([judge_row(1, "train")], (), "the split 'validation' is empty"),
        ([judge_row(1, "train", answer="no")], (), "line 1: green cannot read 'answer'"),
        (None, ("--max-tokens", "50"), "rows have more than 50 tokens with their answer: 'side:0'"),
        (None, ("--batch", "0"), "--batch must be at least 1"),
        (None, ("--base", "/no/such/model"), "/no/such/model"),
    ],
)
def test_bad_input_is_one_line(base, tmp_path, rows, more, message, capsys):
    path = write_rows(tmp_path / "train.jsonl", rows)
    assert main([*arguments(base, path, tmp_path / "run"), *more]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert message in error and "effusion" not in error


def test_a_disk_without_space_is_one_line_before_the_start(base, data, tmp_path, monkeypatch, capsys):
    from radeval_core.train import run_folder

    monkeypatch.setattr(run_folder.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10})())
    assert main([*arguments(base, data, tmp_path / "run"), "--quiet"]) != 0
    assert "free some space, or give --out on another disk" in capsys.readouterr().err


def test_a_page_about_the_run(trained, tmp_path):
    page = tmp_path / "report.html"
    assert main(["train", "report", str(trained), "--html", str(page), "--quiet"]) == 0
    html = page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    for part in ("Curves", "wrong location", "Cost per 1,000 pairs", "Where teacher and judge differ", "side:8"):
        assert part in html
    assert "<script" not in html and "http" not in html.split("</style>")[1]


def test_only_the_model_its_card_and_its_curves_are_published(trained, capsys):
    (trained / "checkpoints" / "checkpoint-3").mkdir(parents=True)
    (trained / "checkpoints" / "checkpoint-3" / "model.safetensors").write_bytes(b"")
    (trained / "train.jsonl").write_text("{}")
    assert main(["hub", "publish-model", str(trained), "--dry-run"]) == 0
    assert set(capsys.readouterr().out.split()) == {
        "README.md", "config.json", "curves.png", "generation_config.json", "model.safetensors", "run.json",
        "tokenizer.json", "tokenizer_config.json", "chat_template.jinja",
    }  # fmt: skip
