"""A whole run on generated films, in a few steps: results, resuming, the metric that reads the detector, bad bases."""

import json
import shutil
import signal

import pytest

from radeval_core.cli import main
from radeval_core.errors import CheckpointError, InputError
from radeval_core.findings.atlas import region_names

pytestmark = pytest.mark.slow
#: the small detector on small images
QUICK = {"base": "small", "recipe": "small", "size": 64, "batch": 4, "steps": 3, "eval_steps": 3, "device": "cpu"}


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global DetectorOptions, DetectorRun, RegionDetector, StoppedRun, load_file, make_tiny_detector, torch
    import torch
    from safetensors.torch import load_file

    from radeval_core.annotators.region_detector import RegionDetector
    from radeval_core.train.detector.run import DetectorOptions, DetectorRun
    from radeval_core.train.loop import StoppedRun
    from tiny_detector import make_tiny_detector


def start(table, out, **changes):
    run = DetectorRun(DetectorOptions(data=table, **(QUICK | changes)))
    return run.train(out, run.plan(), progress=False)


@pytest.fixture(scope="module")
def trained(table, tmp_path_factory):
    """Return the folder of a run of three steps, and its results."""
    out = tmp_path_factory.mktemp("run") / "detector"
    return out, start(table, out)


@pytest.fixture(scope="module")
def tiny_detr(tmp_path_factory):
    """Return a DETR with two labels that are not regions."""
    return make_tiny_detector(tmp_path_factory.mktemp("detr"), labels=["cat", "remote"])


def test_the_results_stand_beside_what_the_detector_must_beat(trained):
    _, results = trained
    assert results["films"] == {"train": 16, "validation": 4}
    assert list(results["validation"]) == [
        "before training",
        "mean box of the training films",
        "standard atlas",
        "trained",
    ]
    mean = results["validation"]["mean box of the training films"]
    assert 0 < mean["ap"] < mean["ap50"] < 1
    assert set(results["by_region"]) == set(results["regions"]) == set(region_names())


def test_the_folder_has_the_model_the_log_the_curves_and_the_card(trained):
    out, results = trained
    files = {path.name for path in out.iterdir() if not path.name.startswith(".")}
    assert files == {
        *("config.json", "model.safetensors", "preprocessor_config.json"),
        *("run.json", "log.jsonl", "curves.png", "README.md"),
    }
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in log if "eval_ap" in line] == [0, 3]
    assert {"step", "loss", "learning_rate"} <= set(log[1])
    assert json.loads((out / "run.json").read_text())["results"] == results
    card = (out / "README.md").read_text()
    assert "pipeline_tag: object-detection" in card and "--config ffl_rq=detector" in card
    assert f"{results['validation']['mean box of the training films']['ap50']:.3f}" in card


def test_the_labels_are_the_regions(trained):
    config = json.loads((trained[0] / "config.json").read_text())
    assert list(config["id2label"].values()) == list(region_names())


def test_scoring_finds_the_boxes_that_were_measured(trained, table):
    from radeval_core.train.detector.trainer import detections

    out, _ = trained
    run = DetectorRun(DetectorOptions(data=table, **(QUICK | {"base": str(out)})))
    films = run.splits["validation"]
    batches = [run.base.processor(images=_open(film), return_tensors="pt")["pixel_values"] for film in films]
    run.base.model.eval()
    with torch.inference_mode():
        answer = run.base.model(torch.cat(batches))
    measured = detections(run.base, films, answer.logits, answer.pred_boxes)
    used = RegionDetector(str(out), "cpu", threshold=0.0, progress=False).detect([film.image for film in films])
    for boxes, found in zip(used, measured, strict=True):
        best = {}
        for region, box, _ in sorted(found, key=lambda one: -one.score):
            best.setdefault(region, box)
        assert boxes and boxes == {region: pytest.approx(box, abs=1e-3) for region, box in best.items()}


def _open(film):
    from radeval_core.engine.images import open_image

    return open_image(film.image, film.where)


def test_the_detector_scores_a_pair_with_a_film(trained, table, tmp_path, capsys):
    out, _ = trained
    image = table.parent / json.loads(table.read_text().splitlines()[0])["image"]
    pair = {"prediction": "Left effusion.", "reference": "Small left pleural effusion.", "image": str(image)}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair) + "\n")
    command = ["score", str(tmp_path / "pairs.jsonl"), "--metrics", "ffl_rq", "--config", f"ffl_rq={out}"]
    assert main([*command, "--out", str(tmp_path / "scores.jsonl"), "--json", "-q", "--device", "cpu"]) == 0
    assert "model:detector@" in json.loads(capsys.readouterr().out)["ffl_rq"]["signature"]


def test_a_stopped_run_goes_on_and_ends_with_the_same_weights(trained, table, tmp_path, monkeypatch):
    """Trainer would drop the tensors of this architecture that are stored under older names."""
    from radeval_core.train.detector.trainer import DetectorTrainer

    step, count = DetectorTrainer.training_step, iter(range(100))

    def stopped_step(self, *args, **kwargs):
        if next(count) == 1:
            signal.raise_signal(signal.SIGTERM)
        return step(self, *args, **kwargs)

    out = tmp_path / "stopped"
    with monkeypatch.context() as patch:
        patch.setattr(DetectorTrainer, "training_step", stopped_step)
        with pytest.raises(StoppedRun, match="SIGTERM stopped the run after step 2 of 3"):
            start(table, out)
    assert (out / "checkpoints" / "checkpoint-2" / "whole").is_file() and not (out / "model.safetensors").exists()
    start(table, out)
    ours, theirs = (load_file(folder / "model.safetensors") for folder in (out, trained[0]))
    assert ours.keys() == theirs.keys()
    for name, weights in theirs.items():
        torch.testing.assert_close(ours[name], weights, rtol=1e-4, atol=1e-5)


def test_a_run_does_not_go_on_with_other_settings(trained, table):
    with pytest.raises(InputError, match=r"another flip: 0\.0, now 0\.5"):
        start(table, trained[0], flip=0.5)


def test_a_detr_gets_new_heads_and_learns_from_films_of_several_shapes(tiny_detr, table, tmp_path):
    run = DetectorRun(DetectorOptions(data=table, **(QUICK | {"base": str(tiny_detr), "size": None, "steps": 1})))
    plan = run.plan()
    assert any("30 queries, but a film has 36 regions" in note for note in plan.notes)
    before = {name: weights.clone() for name, weights in run.base.model.named_parameters()}
    run.train(tmp_path / "out", plan, progress=False)
    moved = {name for name, weights in run.base.model.named_parameters() if not torch.equal(before[name], weights)}
    assert any("backbone" in name for name in moved) and any("class_labels_classifier" in name for name in moved)
    assert RegionDetector(str(tmp_path / "out"), "cpu", progress=False).regions[0] == region_names()[0]


def test_the_backbone_learns_at_its_own_rate(tiny_detr, table, tmp_path):
    from radeval_core.train.detector.trainer import DetectorTrainer
    from radeval_core.train.run_folder import RunFolder

    run = DetectorRun(DetectorOptions(data=table, **(QUICK | {"base": str(tiny_detr), "recipe": "detr"})))
    films = run.splits["train"]
    trainer = DetectorTrainer(run.base, run._arguments(RunFolder(tmp_path, {})), films, films, 0.1, 0.0)
    groups = trainer.create_optimizer().param_groups
    assert sorted({group["lr"] for group in groups}) == pytest.approx([5e-6, 5e-5])
    slow = sum(w.numel() for group in groups if group["lr"] < 1e-5 for w in group["params"])
    backbone = [w for name, w in run.base.model.named_parameters() if "backbone" in name and w.requires_grad]
    assert slow == sum(w.numel() for w in backbone)


def test_a_yolos_is_trained_without_masks(table, tmp_path):
    folder = make_tiny_detector(tmp_path / "yolos", "yolos", labels=["cat"])
    assert start(table, tmp_path / "out", base=str(folder), steps=1)["steps"] == 1


def test_a_detector_of_regions_keeps_its_own_order_of_labels(table, tmp_path):
    labels = [region.upper().replace(" ", "_") for region in reversed(region_names())]
    folder = make_tiny_detector(tmp_path / "regions", labels=labels)
    run = DetectorRun(DetectorOptions(data=table, **(QUICK | {"base": str(folder)})))
    assert run.base.labels == {region: i for i, region in enumerate(reversed(region_names()))}
    stored = load_file(folder / "model.safetensors")
    (key,) = (key for key in stored if key.endswith("class_labels_classifier.weight"))
    assert torch.equal(run.base.model.class_labels_classifier.weight, stored[key])


def test_a_base_without_weights_needs_scratch(tiny_detr, table, tmp_path):
    folder = tmp_path / "config"
    shutil.copytree(tiny_detr, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    with pytest.raises(InputError, match="has no weights: to start with random ones, add --scratch"):
        DetectorRun(DetectorOptions(data=table, **(QUICK | {"base": str(folder)})))
    run = DetectorRun(DetectorOptions(data=table, **(QUICK | {"base": str(folder), "scratch": True})))
    assert len(run.base.labels) == 36


def test_an_incomplete_base_is_refused(tiny_detr, table, tmp_path):
    from safetensors.torch import save_file

    folder = shutil.copytree(tiny_detr, tmp_path / "part")
    weights = load_file(folder / "model.safetensors")
    lost = sorted(name for name in weights if "bbox_predictor" in name)
    kept = {name: tensor for name, tensor in weights.items() if name not in lost}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(CheckpointError, match=f"lacks {len(lost)} tensors the detector needs"):
        DetectorRun(DetectorOptions(data=table, **(QUICK | {"base": str(folder)})))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 0}, "--steps must be at least 1"),
        ({"eval_steps": -1}, "--eval-steps must be at least 1"),
        ({"flip": 1.5}, "--flip must be a probability"),
        ({"size": 8}, "--size must be at least 32"),
        ({"batch": 0}, "--batch must be above 0"),
        ({"recipe": "detrr"}, "did you mean 'detr'"),
        ({"device": "tpu"}, "unknown device 'tpu'"),
    ],
)
def test_wrong_options_are_refused(table, changes, message):
    with pytest.raises(InputError, match=message):
        DetectorRun(DetectorOptions(data=table, **(QUICK | changes)))


def test_the_plan_leaves_the_model_as_it_was(table):
    run = DetectorRun(DetectorOptions(data=table, **QUICK))
    before = {name: tensor.clone() for name, tensor in run.base.model.state_dict().items()}
    plan = run.plan()
    assert plan.film_seconds > 0 and plan.seconds(0.0) > 12 * plan.film_seconds  # 3 steps of 4 films, and measuring
    assert all(torch.equal(before[name], tensor) for name, tensor in run.base.model.state_dict().items())


def test_a_size_that_the_detector_cannot_read_is_refused(table):
    run = DetectorRun(DetectorOptions(data=table, **(QUICK | {"size": 70})))
    with pytest.raises(InputError, match=r"cannot read a film of 70 x 70 pixels .*--size, a multiple of"):
        run.plan()


COMMAND = ["train", "detector", "--base", "small", "--recipe", "small", "--size", "64", "--device", "cpu"]


def test_a_dry_run_prints_the_plan_and_writes_nothing(table, tmp_path, capsys):
    out = tmp_path / "out"
    assert main([*COMMAND, "--data", str(table), "--out", str(out), "--steps", "10", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "rows:    16 train, 4 validation" in printed and "steps:   10 (80 films)" in printed
    assert "memory:  about" in printed and "time:    about" in printed
    assert not out.exists()


def test_a_dry_run_as_json_counts_weights_and_films(table, capsys):
    assert main([*COMMAND, "--data", str(table), "--out", "x", "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    # weights, gradients and two moments of AdamW, 4 bytes each, and what 8 films keep for their gradients
    assert plan["memory_bytes"] > 16 * plan["parameters"] + 8 * 64 * 64 * 4
    assert (plan["rows"], plan["steps"]) == ({"train": 16, "validation": 4}, 40)  # 20 epochs of two batches


def test_a_wrong_film_ends_the_command_with_one_line(rows, write, tmp_path, capsys):
    rows[3]["boxes"][0]["region"] = "left lunge"
    assert main([*COMMAND, "--data", str(write(rows)), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "line 4: boxes: unknown region 'left lunge': did you mean 'left lung'?" in error
    assert not (tmp_path / "out").exists()
