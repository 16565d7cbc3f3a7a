"""Faster R-CNN checkpoints in torchvision's layout: tiny random weights, a known answer, and torchvision's outputs."""

import argparse
import json

import pytest
from PIL import Image

from radeval_core import load
from radeval_core.errors import CheckpointError
from radeval_core.findings.atlas import region_names
from tiny_faster_rcnn import film, say_everywhere, tiny_weights

NARROW = (8, 8, 16, 16)
LEFT_LUNG = region_names().index("left lung")


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global FasterRcnnDetector, checkpoint, network, region_detector, save_file, torch
    import torch
    from safetensors.torch import save_file

    from radeval_core.annotators import faster_rcnn as network
    from radeval_core.annotators import faster_rcnn_checkpoint as checkpoint
    from radeval_core.annotators.region_detector import FasterRcnnDetector, region_detector


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a detector that sees the left lung on the whole film."""
    weights = say_everywhere(tiny_weights(0, NARROW), LEFT_LUNG + 1)
    torch.save(weights, tmp_path / "best.pth")
    (tmp_path / "classes.txt").write_text("\n".join(region_names()) + "\n")
    (tmp_path / "detector.json").write_text('{"min_size": 64, "max_size": 96}')
    return tmp_path


def seen(folder, size=(40, 30)):
    (found,) = region_detector.__wrapped__(str(folder), "cpu", 0.5, False).detect([Image.new("L", size)])
    return found


def test_the_best_boxes_are_torchvisions(root):
    fixture = json.loads((root / "tests/parity/faster_rcnn/torchvision_0.28.0.json").read_text())
    for case in fixture["cases"]:
        settings = network.ImageSettings(case["min_size"], case["max_size"])
        with torch.inference_mode():
            found = network.detect(tiny_weights(case["seed"]), film(case["shape"], case["seed"] + 1), settings)
        expected = torch.tensor(case["best"])
        assert (found.boxes - expected[:, :4]).abs().max() < 0.01
        assert (found.scores - expected[:, 4]).abs().max() < 1e-4


def test_a_known_answer_in_pixels_of_the_film(folder):
    assert seen(folder) == {"left lung": pytest.approx((0, 0, 40, 30), abs=1e-3)}


@pytest.mark.parametrize("key", ["model", "model_state_dict", "state_dict"])
def test_weights_under_the_keys_of_training_scripts(folder, key):
    weights = torch.load(folder / "best.pth")
    content = {key: {f"module.{name}": tensor for name, tensor in weights.items()}, "epoch": 3}
    torch.save(content | {"args": argparse.Namespace(lr=0.02), "optimizer": {"state": {}}}, folder / "best.pth")
    assert list(seen(folder)) == ["left lung"]


def test_names_of_older_torchvision(folder):
    weights = torch.load(folder / "best.pth")
    old = [name for name in weights if "fpn" in name or "rpn.head.conv" in name]
    older = weights | {name.replace(".0.weight", ".weight").replace(".0.bias", ".bias"): weights[name] for name in old}
    older = {name: tensor for name, tensor in older.items() if name not in old}
    older = {name.replace("rpn.head.conv.0.", "rpn.head.conv."): tensor for name, tensor in older.items()}
    assert "rpn.head.conv.weight" in older and "backbone.fpn.inner_blocks.0.weight" in older
    torch.save(older, folder / "best.pth")
    assert list(seen(folder)) == ["left lung"]


def test_safetensors_and_names_as_json_with_the_background(folder):
    save_file(torch.load(folder / "best.pth"), folder / "model.safetensors")
    (folder / "best.pth").unlink()
    (folder / "classes.txt").unlink()
    names = ["__background__", *(name.replace(" ", "_").upper() for name in region_names())]
    (folder / "labels.json").write_text(json.dumps(dict(enumerate(names))))
    assert list(seen(folder)) == ["left lung"]


def test_the_metric_takes_the_folder(folder):
    metric = load("ffl_rq", str(folder), device="cpu", images=[Image.new("L", (40, 30))], progress=False)
    result = metric.compute(["Opacity in the left lung."], ["Opacity in the left lung."], detailed=True)
    assert result["miou"] == 1 and f"|model:{folder.name}@" in result["signature"]
    assert result["details"][0]["prediction"][0]["boxes"] == {"left lung": pytest.approx([0, 0, 40, 30], abs=1e-3)}


def test_another_class_file_gives_another_name_in_signatures(folder):
    before = FasterRcnnDetector(str(folder), "cpu", progress=False).model_name
    (folder / "classes.txt").write_text("\n".join(reversed(region_names())))
    assert FasterRcnnDetector(str(folder), "cpu", progress=False).model_name != before


def test_a_pickle_cannot_run_code(folder):
    class Evil:
        def __reduce__(self):
            return print, ("run",)

    torch.save({"model": Evil()}, folder / "best.pth")
    with pytest.raises(CheckpointError, match=r"best\.pth: cannot be read as weights without running code from it"):
        seen(folder)


def change(folder, **files):
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda f: (f / "classes.txt").unlink(), "has no names of classes: add classes.txt, one region per line"),
        (
            lambda f: change(f, classes__txt="left lung\n"),
            "1 names of classes, but the model has 36, or 37 with the back",
        ),
        (
            lambda f: change(f, classes__txt="\n".join(["cat", *region_names()[1:]])),
            "is not a detector of Chest ImaGenome",
        ),
        (lambda f: change(f, detector__json='{"min": 3}'), "detector.json: expected a JSON object with image_mean"),
        (
            lambda f: change(f, detector__json='{"min_size": "a"}'),
            "detector.json: expected a JSON object with image_mean",
        ),
        (lambda f: change(f, other__pt="x"), "has several files of weights"),
        (lambda f: torch.save({"a": 3}, f / "best.pth"), "expected a state dict"),
        (
            lambda f: torch.save({"a": torch.zeros(1)}, f / "best.pth"),
            "'backbone.body.conv1.weight' is missing: it is not a",
        ),
    ],
)
def test_an_unusable_folder_is_refused(folder, spoil, message):
    spoil(folder)
    with pytest.raises(CheckpointError, match=message):
        seen(folder)
