"""Read a Faster R-CNN from a folder: weights as torchvision saves them, the names of the classes, optional settings.

Weights are one `.pth`, `.pt` or `.safetensors` file: a state dict, alone or under `model`, `model_state_dict` or
`state_dict`, as training scripts save it. Pickles are read with `weights_only=True`, so they cannot run code.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file

from radeval_core.annotators.faster_rcnn import ANCHOR_RATIOS, ImageSettings
from radeval_core.engine.files import content_hash
from radeval_core.engine.tensors import check_size
from radeval_core.errors import CheckpointError

WEIGHTS = (".pth", ".pt", ".safetensors")
CLASS_FILES = ("classes.txt", "labels.txt", "class_names.txt", "classes.json", "labels.json", "class_names.json")
SETTINGS_FILE = "detector.json"
#: keys under which training scripts save the state dict
_INSIDE = ("model", "model_state_dict", "state_dict")
#: what wrappers put before the names of tensors
_PREFIXES = ("module.", "model.", "detector.")
#: names that torchvision used before 0.13, and today's
_RENAMED = (
    (re.compile(r"^(backbone\.fpn\.(?:inner|layer)_blocks\.\d+)\.(weight|bias)$"), r"\1.0.\2"),
    (re.compile(r"^rpn\.head\.conv\.(weight|bias)$"), r"rpn.head.conv.0.0.\1"),
)
_HEAD = "roi_heads.box_predictor.cls_score.weight"


class FasterRcnn(NamedTuple):
    """A checkpoint.

    Attributes:
        weights: the tensors by today's names.
        classes: names of the classes, without the background.
        settings: how images are prepared.
        name: `name@hash` of its files.
    """

    weights: dict[str, torch.Tensor]
    classes: tuple[str, ...]
    settings: ImageSettings
    name: str


def is_faster_rcnn(source: str) -> bool:
    """Return True if a folder has weights and no `config.json`, which every checkpoint of transformers has."""
    folder = Path(source)
    return folder.is_dir() and not (folder / "config.json").is_file() and bool(_weight_files(folder))


def load_faster_rcnn(source: str) -> FasterRcnn:
    """Return a checkpoint from a folder; refuse one with another layout."""
    folder = Path(source)
    files = _weight_files(folder)
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise CheckpointError(f"folder {source!r} has several files of weights ({names}): leave one")
    weights = _state_dict(files[0])
    _check_layout(files[0], weights)
    named = next((folder / name for name in CLASS_FILES if (folder / name).is_file()), None)
    if named is None:
        add = f"add {CLASS_FILES[0]}, one region per line in the order of training"
        raise CheckpointError(f"folder {source!r} has no names of classes: {add}")
    classes = _classes(named, weights[_HEAD].shape[0])
    read = [files[0], named, *(path for path in [folder / SETTINGS_FILE] if path.is_file())]
    return FasterRcnn(
        weights, classes, _settings(folder / SETTINGS_FILE), f"{folder.resolve().name}@{content_hash(read)}"
    )


def _weight_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in WEIGHTS and path.is_file())


def _state_dict(path: Path) -> dict[str, torch.Tensor]:
    try:
        if path.suffix == ".safetensors":
            content: Any = load_file(path)
        else:  # torchvision's training script saves its arguments beside the weights
            check_size(path, str(path))
            with torch.serialization.safe_globals([argparse.Namespace]):
                content = torch.load(path, map_location="cpu", weights_only=True)
    except CheckpointError:
        raise
    except Exception as error:  # damage can make the readers fail in any way
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise CheckpointError(f"{path}: cannot be read as weights without running code from it: {reason}") from error
    for key in _INSIDE:
        if isinstance(content, Mapping) and isinstance(content.get(key), Mapping):
            content = content[key]
    if not isinstance(content, Mapping) or not all(isinstance(value, torch.Tensor) for value in content.values()):
        expected = f"a state dict (names to tensors), alone or under {', '.join(_INSIDE)}"
        raise CheckpointError(f"{path}: expected {expected}: save model.state_dict()")
    weights = {str(name): tensor.float() for name, tensor in content.items()}
    while prefix := next((p for p in _PREFIXES if weights and all(name.startswith(p) for name in weights)), None):
        weights = {name.removeprefix(prefix): tensor for name, tensor in weights.items()}
    return {_today(name): tensor for name, tensor in weights.items()}


def _today(name: str) -> str:
    for pattern, replacement in _RENAMED:
        name = pattern.sub(replacement, name)
    return name


def _check_layout(path: Path, weights: Mapping[str, torch.Tensor]) -> None:
    """Refuse weights that are not those of a Faster R-CNN with a ResNet and a feature pyramid."""
    wanted = {
        "backbone.body.conv1.weight": (None, 3, 7, 7),
        **{f"backbone.body.layer{i}.0.conv1.weight": None for i in range(1, 5)},
        **{f"backbone.fpn.{part}_blocks.{i}.0.weight": None for part in ("inner", "layer") for i in range(4)},
        "rpn.head.conv.0.0.weight": None,
        "rpn.head.cls_logits.weight": (len(ANCHOR_RATIOS), None, 1, 1),
        "rpn.head.bbox_pred.weight": (4 * len(ANCHOR_RATIOS), None, 1, 1),
        "roi_heads.box_head.fc6.weight": None,
        "roi_heads.box_head.fc7.weight": None,
        _HEAD: None,
        "roi_heads.box_predictor.bbox_pred.weight": None,
    }
    known = "torchvision's fasterrcnn_resnet50_fpn or FasterRCNN(resnet_fpn_backbone(...))"
    what = f"it is not a Faster R-CNN as {known} saves it"
    for name, shape in wanted.items():
        if name not in weights:
            raise CheckpointError(f"{path}: tensor {name!r} is missing: {what}")
        got = tuple(weights[name].shape)
        if shape is not None and (
            len(got) != len(shape) or any(w not in (None, g) for w, g in zip(shape, got, strict=True))
        ):
            raise CheckpointError(f"{path}: tensor {name!r} has the shape {got}: {what}")


def _classes(path: Path, outputs: int) -> tuple[str, ...]:
    """Return the names of the classes; the background, class 0, may be the first name or be left out."""
    try:
        text = path.read_text("utf-8-sig")
        found: Any = (
            json.loads(text) if path.suffix == ".json" else [line for line in text.splitlines() if line.strip()]
        )
        if isinstance(found, Mapping):  # {"1": "right lung", …} or {"right lung": 1, …}
            turned = found if all(str(key).isdigit() for key in found) else {v: k for k, v in found.items()}
            found = [turned[key] for key in sorted(turned, key=int)]
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{path}: cannot be read as names of classes ({type(error).__name__})") from None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise CheckpointError(f"{path}: expected one name per line, a JSON list, or a JSON object of numbers and names")
    if len(found) == outputs:
        found = found[1:]
    if len(found) != outputs - 1:
        expected = f"{outputs - 1}, or {outputs} with the background first"
        raise CheckpointError(f"{path}: {len(found)} names of classes, but the model has {expected}")
    return tuple(name.strip() for name in found)


def _settings(path: Path) -> ImageSettings:
    """Return how images are prepared: `min_size`, `max_size`, `image_mean`, `image_std`; torchvision's by default."""
    if not path.is_file():
        return ImageSettings()
    known = {field.name for field in fields(ImageSettings)}
    try:
        given = json.loads(path.read_text("utf-8"))
        if not isinstance(given, dict) or not given.keys() <= known:
            raise ValueError
        sizes: dict[str, Any] = {name: given[name] for name in ("min_size", "max_size") if name in given}
        colours: dict[str, Any] = {
            name: tuple(map(float, given[name])) for name in ("image_mean", "image_std") if name in given
        }
        sound = all(type(size) is int and size > 0 for size in sizes.values())
        if not sound or any(len(values) != 3 for values in colours.values()) or 0 in colours.get("image_std", ()):
            raise ValueError
    except (OSError, ValueError, TypeError):
        raise CheckpointError(f"{path}: expected a JSON object with {', '.join(sorted(known))}") from None
    return ImageSettings(**sizes, **colours)
