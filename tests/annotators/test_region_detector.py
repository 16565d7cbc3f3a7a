"""Regions from a detector: tiny random models in the real format, and one with a known answer."""

import json

import numpy as np
import pytest
from PIL import Image

from radeval_core.errors import CheckpointError, InputError, MissingDependencyError
from radeval_core.findings.atlas import check_boxes, region_names


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global load_file, make_tiny_detector, module, RegionDetector, save_file, say_everywhere, torch
    import torch
    from safetensors.torch import load_file, save_file

    from radeval_core.annotators import region_detector as module
    from radeval_core.annotators.region_detector import RegionDetector
    from tiny_detector import make_tiny_detector, say_everywhere


@pytest.fixture(scope="module")
def detr(tmp_path_factory):
    return make_tiny_detector(tmp_path_factory.mktemp("tiny-detr"))


@pytest.fixture(scope="module")
def yolos(tmp_path_factory):
    return make_tiny_detector(tmp_path_factory.mktemp("tiny-yolos"), "yolos")


@pytest.fixture
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def films():
    """Return films of three shapes, so that only some can share a batch."""
    rng = np.random.default_rng(0)
    shapes = [(90, 100), (120, 100), (90, 100), (64, 64), (120, 100)]
    return [Image.fromarray(rng.integers(0, 255, shape, dtype=np.uint8)) for shape in shapes]


def test_a_known_answer_in_pixels_of_the_film(tmp_path):
    make_tiny_detector(tmp_path)
    say_everywhere(tmp_path, region_names().index("svc"), (0.5, 0.25, 0.2, 0.1))
    (found,) = RegionDetector(str(tmp_path), "cpu", progress=False).detect([Image.new("L", (200, 100))])
    # x: (0.5 ± 0.1) * 200, y: (0.25 ± 0.05) * 100
    assert found == {"svc": pytest.approx((80, 20, 120, 30), abs=1e-3)}


def test_a_box_is_clipped_to_the_film(tmp_path):
    make_tiny_detector(tmp_path)
    say_everywhere(tmp_path, region_names().index("right lung"), (0.1, 0.9, 0.4, 0.4))
    (found,) = RegionDetector(str(tmp_path), "cpu", progress=False).detect([Image.new("L", (100, 100))])
    assert found == {"right lung": pytest.approx((0, 70, 30, 100), abs=1e-3)}


@pytest.mark.parametrize("folder", ["detr", "yolos"], indirect=True)
def test_each_film_has_usable_boxes(folder, films):
    found = RegionDetector(str(folder), "cpu", threshold=0.0, progress=False).detect(films)
    assert len(found) == len(films) and all(found)
    for film, boxes in zip(films, found, strict=True):
        assert check_boxes(boxes, film.width, film.height) == boxes
    assert all(len(boxes) > 1 for boxes in found), "several regions per film, or the test shows little"


def test_the_best_score_of_a_region_wins(detr):
    detector = RegionDetector(str(detr), "cpu", threshold=0.0, progress=False)
    svc, spine = region_names().index("svc"), region_names().index("spine")
    result = {
        "scores": torch.tensor([0.3, 0.9, 0.5, 0.95]),
        "labels": torch.tensor([svc, svc, spine, spine]),
        "boxes": torch.tensor([[0, 0, 1, 1], [2, 2, 4, 4], [5, 5, 6, 7], [50, 50, 60, 60]]),
    }
    # the best box of the spine lies outside the film of 10 x 10 and has no area there
    assert detector._best(result, 10, 10) == {"svc": (2, 2, 4, 4), "spine": (5, 5, 6, 7)}


@pytest.mark.parametrize("folder", ["detr", "yolos"], indirect=True)
def test_batches_and_neighbours_change_nothing(folder, films, monkeypatch):
    detector = RegionDetector(str(folder), "cpu", threshold=0.0, progress=False)
    together = detector.detect(films)
    alone = [detector.detect([film])[0] for film in films]
    monkeypatch.setattr(module, "BATCH_IMAGES", 2)
    for other in (alone, detector.detect(films), detector.detect(films[::-1])[::-1]):
        for one, two in zip(together, other, strict=True):
            assert one.keys() == two.keys()
            for region in one:
                assert one[region] == pytest.approx(two[region], abs=1e-3)


def test_it_is_the_same_every_time_and_named_by_its_weights(detr, films):
    one, two = (RegionDetector(str(detr), "cpu", threshold=0.1, progress=False) for _ in range(2))
    assert one.detect(films) == two.detect(films)
    assert one.identity == two.identity
    assert one.identity.startswith(f"regions|{detr.name}@") and one.identity.endswith("|threshold:0.1")


def test_a_high_threshold_finds_nothing(yolos, films):
    assert RegionDetector(str(yolos), "cpu", threshold=0.9999999, progress=False).detect(films[:1]) == [{}]
    with pytest.raises(InputError, match=r"threshold of a detector must be at least 0 and below 1, got 1\.5"):
        RegionDetector(str(yolos), "cpu", threshold=1.5)


def test_paths_and_no_images(detr, films, tmp_path):
    films[0].save(tmp_path / "film.png")
    detector = RegionDetector(str(detr), "cpu", threshold=0.0, progress=False)
    for path in (tmp_path / "film.png", str(tmp_path / "film.png")):
        assert detector.detect([path]) == detector.detect([films[0]])
    assert detector.detect([]) == []
    with pytest.raises(InputError, match=r"^images\[8\]: no such file$"):
        detector.detect([films[0], tmp_path / "other.png"], first=7)


def test_labels_may_differ_in_case_and_underscores(tmp_path, detr, films):
    labels = [name.replace(" ", "_").upper() for name in region_names()]
    other = make_tiny_detector(tmp_path, labels=labels)
    found = RegionDetector(str(other), "cpu", threshold=0.0, progress=False).detect(films)
    assert found == RegionDetector(str(detr), "cpu", threshold=0.0, progress=False).detect(films)


def test_labels_that_mean_no_object_are_not_regions(tmp_path, films):
    folder = make_tiny_detector(tmp_path, labels=["N/A", "background", "svc"])
    assert set().union(*RegionDetector(str(folder), "cpu", threshold=0.0, progress=False).detect(films)) <= {"svc"}


def test_a_detector_of_other_things_is_refused(tmp_path):
    make_tiny_detector(tmp_path, labels=["person", "bicycle", "car", "svc", "airplane"])
    with pytest.raises(CheckpointError, match=r"a detector of Chest ImaGenome's regions: 4 of its 5 labels are not"):
        RegionDetector(str(tmp_path), "cpu")


def test_other_checkpoints_are_refused(tmp_path, tiny_encoder):
    with pytest.raises(CheckpointError, match="cannot load a checkpoint from folder"):
        RegionDetector(str(tiny_encoder), "cpu")
    with pytest.raises(CheckpointError, match="cannot load a checkpoint from folder"):
        RegionDetector(str(tmp_path), "cpu")
    with pytest.raises(CheckpointError, match="type `hf download someone/detector`"):
        RegionDetector("someone/detector", "cpu")


def test_a_package_that_the_detector_needs_is_named(detr, monkeypatch):
    def no_timm(*args, **kwargs):
        raise ImportError("DetrConvEncoder requires the timm library\nbut it was not found")

    monkeypatch.setattr(module.transformers.AutoModelForObjectDetection, "from_pretrained", no_timm)
    with pytest.raises(MissingDependencyError, match=r"needs a package that is not installed: .* the timm library$"):
        RegionDetector(str(detr), "cpu")


def test_missing_weights_are_refused(tmp_path):
    make_tiny_detector(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    kept = {key: value for key, value in weights.items() if "class_labels_classifier" not in key}
    save_file(kept, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match=r"lacks 2 tensors the detector needs, .*class_labels_classifier"):
        RegionDetector(str(tmp_path), "cpu")


def test_code_in_a_checkpoint_is_not_run(tmp_path):
    make_tiny_detector(tmp_path)
    (tmp_path / "evil.py").write_text("raise SystemExit('ran')\n")
    for name in ("config.json", "preprocessor_config.json"):
        config = json.loads((tmp_path / name).read_text())
        config |= {"model_type": "evil", "image_processor_type": "Evil", "architectures": ["Evil"]}
        config["auto_map"] = {
            "AutoConfig": "evil.Evil", "AutoImageProcessor": "evil.Evil", "AutoModelForObjectDetection": "evil.Evil"
        }  # fmt: skip
        (tmp_path / name).write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="needs Python code that comes with the checkpoint"):
        RegionDetector(str(tmp_path), "cpu")
