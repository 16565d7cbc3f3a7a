"""Load the detector that training starts from, with one label per region."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import transformers

from radeval_core.annotators.region_detector import loading_detector
from radeval_core.engine.checkpoints import identity, pretrained
from radeval_core.engine.claims import check_claim, load_config, weight_bytes
from radeval_core.engine.files import is_folder
from radeval_core.errors import CheckpointError, InputError
from radeval_core.findings.atlas import plain_name, region_names

#: a config of our own, trained from random weights
SMALL = "small"
#: parts of a detector that depend on the number of labels, by their names in transformers
_HEADS = ("class_embed", "class_labels_classifier", "score_head", "denoising_class_embed")


@dataclass(frozen=True)
class BaseModel:
    """A detector to train.

    Attributes:
        model: the model.
        processor: its image processor.
        name: `name@revision`.
        labels: number of each region.
        masks: the model reads a pixel mask.
    """

    model: Any
    processor: Any
    name: str
    labels: dict[str, int]
    masks: bool


def load_base(source: str, scratch: bool, size: int | None, seed: int) -> BaseModel:
    """Load a detector. Its labels become the 36 regions, with new heads, unless they are the regions already.

    Args:
        source: Hub id, folder, or `small` for the config of this package.
        scratch: take the config only and start with random weights.
        size: width and height of the images the detector gets; the checkpoint's own size if None.
        seed: of new weights.
    """
    scratch = scratch or source == SMALL
    name = source
    if source == SMALL and not is_folder(source):
        source = str(resources.files("radeval_core.train.detector").joinpath(SMALL))
    if size is not None and size < 32:
        raise InputError(f"--size must be at least 32 pixels, got {size}")
    if not scratch and is_folder(source) and not weight_bytes(source):
        raise InputError(f"--base {source} has no weights: to start with random ones, add --scratch")
    sizes = {} if size is None else {"size": {"height": size, "width": size}}
    transformers.set_seed(seed)
    with loading_detector(source):
        config = load_config(source)
        labels = _label(config)
        # the same arithmetic with and without torchvision
        processor = pretrained(transformers.AutoImageProcessor, source, backend="pil", **sizes)
        auto = transformers.AutoModelForObjectDetection
        check_claim(lambda: auto.from_config(config, trust_remote_code=False), source)
        if scratch:
            model, report = auto.from_config(config, trust_remote_code=False), None
        else:
            model, report = pretrained(
                auto, source, config=config, ignore_mismatched_sizes=True, output_loading_info=True
            )
    if not hasattr(processor, "post_process_object_detection"):
        raise CheckpointError(f"{source}: its image processor, {type(processor).__name__}, does not return boxes")
    if report is not None:
        _check_report(source, report)
    masks = "pixel_mask" in inspect.signature(model.forward).parameters
    shown = f"{SMALL} (random weights)" if name == SMALL else identity(source, config, name)
    return BaseModel(model, processor, shown, labels, masks)


def _label(config: Any) -> dict[str, int]:
    """Give a config one label per region, unless it has them already; return the number of each region."""
    labels = {plain_name(str(label)): int(number) for number, label in (config.id2label or {}).items()}
    if set(labels) != set(region_names()) or len(config.id2label) != len(labels):
        labels = {region: number for number, region in enumerate(region_names())}
        config.id2label = {number: region for region, number in labels.items()}
    config.label2id = {config.id2label[number]: number for number in config.id2label}
    return labels


def _check_report(source: str, report: dict[str, Any]) -> None:
    """Raise an error if more than the heads of the labels is new."""
    mismatched = [str(entry[0] if isinstance(entry, tuple) else entry) for entry in report["mismatched_keys"]]
    new = sorted(key for key in [*report["missing_keys"], *mismatched] if not any(head in key for head in _HEADS))
    if new:
        raise CheckpointError(
            f"{source} lacks {len(new)} tensors the detector needs, or has them in another shape; the first is "
            f"{new[0]!r}: the checkpoint is incomplete or has another architecture"
        )


def save_detector(base: BaseModel, folder: Path) -> None:
    """Write the model and its image processor, as `ffl_rq` reads them."""
    base.model.save_pretrained(folder)
    base.processor.save_pretrained(folder)
