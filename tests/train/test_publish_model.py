"""Only a complete run is published, and only its model, card, curves and record."""

import json
import os
import subprocess
import sys

import pytest

from hub_server import HubServer
from radeval_core.cli.app import main
from radeval_core.errors import InputError
from radeval_core.train.publish_model import model_files


def make_run(folder, results=None, files=("README.md", "ner/model.safetensors", "ner/config.json")):
    record = {"settings": {"kind": "ner"}} | ({"results": results} if results is not None else {})
    (folder / "run.json").write_text(json.dumps(record))
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder


def test_rows_answers_checkpoints_and_other_files_stay_here(tmp_path):
    secret = ("answers.jsonl", "log.jsonl", "report.html", "train.json", "checkpoints/checkpoint-1/model.safetensors",
              "ner/training_args.bin", ".lock")  # fmt: skip
    make_run(tmp_path, {}, ("README.md", "ner/model.safetensors", "ner/config.json", *secret))
    assert model_files(tmp_path) == ["README.md", "ner/config.json", "ner/model.safetensors", "run.json"]


def test_a_run_that_is_not_complete_is_refused(tmp_path):
    with pytest.raises(InputError, match="has a run that is not complete"):
        model_files(make_run(tmp_path))


def test_a_folder_without_weights_or_card_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"has no \*\.safetensors"):
        model_files(make_run(tmp_path, {}, ("README.md",)))
    with pytest.raises(InputError, match=r"has no run\.json"):
        model_files(tmp_path / "ner")


def test_no_organisation_is_one_line(tmp_path, capsys):
    assert main(["hub", "publish-model", str(make_run(tmp_path, {}))]) == 2
    assert "no organisation: add --org NAME" in capsys.readouterr().err


@pytest.mark.e2e
def test_a_model_is_uploaded_to_a_model_repository(tmp_path):
    run = tmp_path / "my-judge"
    run.mkdir()
    make_run(run, {}, ("README.md", "model.safetensors", "answers.jsonl"))
    (run / "README.md").write_text("---\nlicense: other\n---\n# Judge\n")
    with HubServer(tmp_path / "hub", tokens={"hf_good": {"clinic"}}) as hub:
        settings = {"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_good", "HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": "0"}
        done = subprocess.run(
            [sys.executable, "-m", "radeval_core.cli", "hub", "publish-model", str(run), "--org", "clinic"],
            capture_output=True, text=True, timeout=240, env={**os.environ, **settings},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        found = sorted(file.name for file in hub.model("clinic", "my-judge").iterdir())
    assert found == ["README.md", "model.safetensors", "run.json"]
