"""Training runs of a tiny encoder: both schemes, going on after a signal, and what they write."""

import json
import os
import signal

import pytest
from tiny_training import ENCODER, settings, write_sentences

from radeval_core import load
from radeval_core.errors import CheckpointError, InputError

PAIR = {"predictions": ["The left lung has effusion."], "references": ["The right lung has effusion."]}


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global NerTraining, read_data, run_module, StoppedRun, load_file, save_file
    from safetensors.torch import load_file, save_file

    from radeval_core.train.loop import StoppedRun
    from radeval_core.train.ner import run as run_module
    from radeval_core.train.ner.read_data import read_data
    from radeval_core.train.ner.run import NerTraining


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return read_data(str(write_sentences(tmp_path_factory.mktemp("data") / "rows.jsonl")))


@pytest.fixture(scope="module")
def both(data, tmp_path_factory):
    """Train a reader of each scheme: folder, training and results. A tiny encoder learns these few words quickly."""
    readers = {}
    for scheme in ("iob", "span"):
        out = tmp_path_factory.mktemp(scheme) / "reader"
        training = NerTraining(data, settings(scheme, steps=150, eval_steps=75))
        readers[scheme] = out, training, training.run(out, progress=False)
    return readers


@pytest.fixture(params=["iob", "span"])
def trained(request, both):
    return both[request.param]


def test_the_reader_learns_and_is_measured_as_bench_measures(trained, data):
    from radeval_core.bench.entities import entity_rows
    from radeval_core.train.ner.sentences import entity_data

    out, _, results = trained
    again = entity_rows(entity_data(data.splits["test"]), ["ratescore"], {"ratescore": str(out)}, {"progress": False})
    assert again["ratescore"]["entities"] == results["trained"]["entities"]
    assert results["trained"]["entities"]["Anatomy"]["f1"]["value"] > 0.5
    assert results["embedded"]["entities"]["all"]["f1"]["value"] > 0.5


def test_the_folder_is_a_config_of_ratescore(trained):
    out, training, _ = trained
    found = load("ratescore", str(out)).compute(**PAIR, detailed=True)
    entities = found["details"][0]["prediction"]
    assert entities and 0 <= found["ratescore"] <= 1
    # the words of the report, not the pieces of the vocabulary
    assert all(e["entity"] == PAIR["predictions"][0][e["start"] : e["end"]] for e in entities)
    assert f"encoder:{ENCODER.name}@" in found["signature"] and "model:reader/ner@" in found["signature"]
    assert ("scheme:span" in found["signature"]) == (training.settings.scheme == "span")


def test_the_measure_during_training_is_that_of_the_written_reader(trained, data):
    from radeval_core.bench.entities import ALL, entity_rows
    from radeval_core.train.ner.sentences import entity_data
    from radeval_core.train.run_folder import read_log

    out, _, _ = trained
    logged = [line["eval_f1"] for line in read_log(out) if "eval_f1" in line]
    dev = entity_rows(entity_data(data.splits["dev"]), ["ratescore"], {"ratescore": str(out)}, {"progress": False})
    assert len(logged) == 2
    assert logged[-1] == pytest.approx(dev["ratescore"]["entities"][ALL]["f1"]["value"] or 0.0)


def test_card_curves_and_record(trained):
    out, training, _ = trained
    card = (out / "README.md").read_text("utf-8")
    assert "| Anatomy |" in card and f"scheme {training.settings.scheme}" in card and ENCODER.name in card
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert not (out / "checkpoints").exists()
    assert json.loads((out / "run.json").read_text())["results"]["trained"]["signature"]


def test_the_page_and_the_published_files_of_a_run(trained, tmp_path):
    from radeval_core.cli.app import main
    from radeval_core.train.publish_model import model_files

    out, _, _ = trained
    assert main(["train", "report", str(out), "--html", str(tmp_path / "page.html")]) == 0
    assert "F1" in (tmp_path / "page.html").read_text("utf-8")
    wanted = {"ner/model.safetensors", "ner/config.json", "encoder/model.safetensors", "ratescore.json", "README.md"}
    assert wanted <= set(model_files(out))


def test_a_complete_run_is_not_repeated(trained):
    out, training, _ = trained
    with pytest.raises(InputError, match="has a run that is complete"):
        training.run(out, progress=False)


def test_a_signal_leaves_a_checkpoint_and_the_run_goes_on(data, tmp_path, monkeypatch):
    collate, batches = run_module.collate, []

    def stop_at_third(rows, pad_id):
        batches.append(len(rows))
        if len(batches) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        return collate(rows, pad_id)

    monkeypatch.setattr(run_module, "collate", stop_at_third)
    with pytest.raises(StoppedRun, match=r"SIGTERM stopped the run after step [1-4] of 6"):
        NerTraining(data, settings()).run(tmp_path / "out", progress=False)
    assert len(list((tmp_path / "out" / "checkpoints").iterdir())) == 1
    assert not (tmp_path / "out" / "ner").exists()
    results = NerTraining(data, settings()).run(tmp_path / "out", progress=False)
    whole = NerTraining(data, settings()).run(tmp_path / "whole", progress=False)
    assert results["trained"]["entities"] == whole["trained"]["entities"]
    first, second = (load_file(tmp_path / name / "ner" / "model.safetensors") for name in ("out", "whole"))
    assert all((first[name] == second[name]).all() for name in second)


def test_the_plan_names_what_is_cut_and_lost(data):
    plan = NerTraining(data, settings(max_tokens=8)).plan()
    assert plan.rows == {"train": 48, "dev": 6, "test": 6} and plan.steps == 6
    assert any("longer than 8 tokens" in note for note in plan.notes)
    assert any("entities cannot be learned" in note for note in plan.notes)


def test_a_run_on_one_source_keeps_the_whole_test_split(data):
    part = NerTraining(data, settings(sources=("x",)))
    assert part.plan().rows == {"train": 24, "dev": 3, "test": 6}
    assert part.record()["sources"] == ["x"]


def test_a_base_that_lacks_weights(tmp_path, data):
    import shutil
    from dataclasses import replace

    copy = shutil.copytree(ENCODER, tmp_path / "base")
    tensors = load_file(copy / "model.safetensors")
    name = next(name for name in sorted(tensors) if "attention" in name)
    save_file({key: value for key, value in tensors.items() if key != name}, copy / "model.safetensors")
    given = settings()
    with pytest.raises(CheckpointError, match="is missing or has another shape"):
        NerTraining(data, replace(given, base=replace(given.base, id=str(copy))))


def test_weights_of_a_span_model_are_checked(both, tmp_path):
    import shutil

    copy = shutil.copytree(both["span"][0], tmp_path / "copy")
    file = copy / "ner" / "model.safetensors"
    tensors = load_file(file)
    widths = tensors["widths.weight"]
    for wrong, message in (
        ({key: value for key, value in tensors.items() if key != "widths.weight"}, "lacks 1 tensor"),
        ({**tensors, "extra": widths.clone()}, "has 1 extra tensor"),
        ({**tensors, "widths.weight": widths[:2].clone()}, "must have shape"),
    ):
        save_file(wrong, file)
        with pytest.raises(CheckpointError, match=message):
            load("ratescore", str(copy)).compute(**PAIR)


def test_a_wrong_record_of_the_encoder(both, tmp_path):
    import shutil

    copy = shutil.copytree(both["iob"][0], tmp_path / "copy")
    (copy / "ratescore.json").write_text('{"encoder": "BioLORD"}')
    with pytest.raises(CheckpointError, match=r"ratescore\.json: expected"):
        load("ratescore", str(copy)).compute(**PAIR)
