"""Only a complete run is published, and only its model, card, curves and record."""

import json

import pytest

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
