"""Finds the anatomical regions on a chest film with an object detector: in transformers' format, or a Faster R-CNN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
import transformers
from tqdm import tqdm

from radeval_core.annotators.base import NeuralModel
from radeval_core.annotators.faster_rcnn import detect
from radeval_core.annotators.faster_rcnn_checkpoint import is_faster_rcnn, load_faster_rcnn
from radeval_core.engine.checkpoints import QuietTransformers, identity, load_failure, pretrained
from radeval_core.engine.claims import check_claim, load_config
from radeval_core.engine.images import open_image
from radeval_core.errors import CheckpointError, InputError, MissingDependencyError, RadevalError
from radeval_core.findings.atlas import plain_name, region_names
from radeval_core.findings.types import Box

#: images per batch
BATCH_IMAGES = 8
#: minimum score of a detection, the default of transformers
THRESHOLD = 0.5
#: labels that mean no object
_NO_REGION = {"background", "n/a", "no object"}


@dataclass(eq=False, repr=False)
class RegionDetector(NeuralModel):
    """Finds the regions of Chest ImaGenome on images.

    Attributes:
        source: Hub id, or folder as `save_pretrained` writes it (config, weights, preprocessor). Its labels are the
            names of regions; letter case and underscores do not matter.
        threshold: the lowest score, from 0 to 1, at which a detection is used.
    """

    threshold: float = field(default=THRESHOLD, kw_only=True)

    def read_checkpoint(self) -> None:
        if not 0 <= self.threshold < 1:
            raise InputError(f"the threshold of a detector must be at least 0 and below 1, got {self.threshold}")
        self.regions = _regions_by_label(self.source, self.load())

    def load(self) -> dict[int, str]:
        """Load the model and return the names of its labels."""
        model, self.processor, self.model_name = load_detector(self.source)
        self.model = model.to(self.where)
        names: dict[int, str] = model.config.id2label
        return names

    @property
    def identity(self) -> str:
        return f"regions|{self.model_name}|threshold:{self.threshold:g}"

    def detect(self, images: Sequence[Any], first: int = 0) -> list[dict[str, Box]]:
        """Return, per image, the box in pixels of each region: the detection with the best score.

        Args:
            images: paths of image files, or PIL images.
            first: index of the first image in messages.
        """
        found: list[dict[str, Box]] = [{} for _ in images]
        with tqdm(
            total=len(images), desc="regions", unit="image", leave=False, disable=None if self.progress else True
        ) as bar:
            for batch in self._batches(images, first):
                for index, regions in self._run(batch).items():
                    found[index] = regions
                bar.update(len(batch))
        return found

    def _batches(self, images: Sequence[Any], first: int) -> Iterator[list[tuple[int, tuple[int, int], Any]]]:
        """Yield preprocessed images with their index and size, grouped by equal shape.

        Padding images of other shapes would make the result of an image depend on its neighbours in the batch.
        """
        waiting: dict[tuple[int, ...], list[tuple[int, tuple[int, int], Any]]] = {}
        for i, given in enumerate(images):
            image = open_image(given, f"images[{first + i}]")
            inputs = self.processor(images=image, return_tensors="pt")
            shape = tuple(inputs["pixel_values"].shape)
            waiting.setdefault(shape, []).append((i, (image.height, image.width), inputs))
            if len(waiting[shape]) == BATCH_IMAGES:
                yield waiting.pop(shape)
        yield from waiting.values()

    def _run(self, batch: list[tuple[int, tuple[int, int], Any]]) -> dict[int, dict[str, Box]]:
        """Run one batch; return the regions by the index of the image."""
        keys = [key for key in ("pixel_values", "pixel_mask") if key in batch[0][2]]
        inputs = {key: torch.cat([item[2][key] for item in batch]).to(self.where) for key in keys}
        with torch.inference_mode():
            output = self.model(**inputs)
            sizes = torch.tensor([size for _, size, _ in batch], device=self.where)
            results = self.processor.post_process_object_detection(output, threshold=self.threshold, target_sizes=sizes)
        return {i: self._best(result, *size) for (i, size, _), result in zip(batch, results, strict=True)}

    def _best(self, result: dict[str, torch.Tensor], height: int, width: int) -> dict[str, Box]:
        """Return the best box of each region, clipped to the image; boxes without area are left out."""
        order = torch.argsort(result["scores"], descending=True, stable=True)
        best: dict[str, Box] = {}
        for label, box in zip(result["labels"][order].tolist(), result["boxes"][order].tolist(), strict=True):
            region = self.regions.get(label)
            x1, x2 = (min(max(float(x), 0.0), float(width)) for x in box[::2])
            y1, y2 = (min(max(float(y), 0.0), float(height)) for y in box[1::2])
            if region is not None and region not in best and x1 < x2 and y1 < y2:
                best[region] = (x1, y1, x2, y2)
        return best


@dataclass(eq=False, repr=False)
class FasterRcnnDetector(RegionDetector):
    """Finds the regions with a Faster R-CNN that was trained with torchvision.

    Attributes:
        source: folder with the weights and the names of the classes, see `faster_rcnn_checkpoint`.
    """

    def load(self) -> dict[int, str]:
        checkpoint = load_faster_rcnn(self.source)
        self.model_name, self._settings = checkpoint.name, checkpoint.settings
        self._weights = {name: tensor.to(self.where) for name, tensor in checkpoint.weights.items()}
        return dict(enumerate(checkpoint.classes))

    def _batches(self, images: Sequence[Any], first: int) -> Iterator[list[tuple[int, tuple[int, int], Any]]]:
        """Yield one image at a time: padding to a common size would make a result depend on its neighbours."""
        for i, given in enumerate(images):
            image = open_image(given, f"images[{first + i}]")
            yield [(i, (image.height, image.width), image)]

    def _run(self, batch: list[tuple[int, tuple[int, int], Any]]) -> dict[int, dict[str, Box]]:
        ((index, size, image),) = batch
        pixels = torch.from_numpy(np.array(image)).to(self.where).permute(2, 0, 1).float() / 255
        with torch.inference_mode():
            found = detect(self._weights, pixels, self._settings)
        sure = found.scores >= self.threshold
        labels = torch.arange(len(found.scores), device=self.where)[sure]
        return {index: self._best({"scores": found.scores[sure], "labels": labels, "boxes": found.boxes[sure]}, *size)}


@lru_cache(maxsize=2)
def region_detector(source: str, device: str | None, threshold: float, progress: bool) -> RegionDetector:
    """Return a loaded detector, kept for the next call."""
    kind = FasterRcnnDetector if is_faster_rcnn(source) else RegionDetector
    return kind(source, device, threshold=threshold, progress=progress)


def load_detector(source: str) -> tuple[Any, Any, str]:
    """Return a detector in eval mode, its image processor, and `name@revision`. Never run a checkpoint's code."""
    with loading_detector(source):
        config = load_config(source)
        check_claim(
            lambda: transformers.AutoModelForObjectDetection.from_config(config, trust_remote_code=False), source
        )
        # the same arithmetic with and without torchvision
        processor = pretrained(transformers.AutoImageProcessor, source, backend="pil")
        model, report = pretrained(
            transformers.AutoModelForObjectDetection, source, config=config, output_loading_info=True
        )
    if not hasattr(processor, "post_process_object_detection"):
        raise CheckpointError(f"{source}: its image processor, {type(processor).__name__}, does not return boxes")
    if report["missing_keys"]:
        raise CheckpointError(
            f"{source} lacks {len(report['missing_keys'])} tensors the detector needs, the first is "
            f"{sorted(report['missing_keys'])[0]!r}: the checkpoint is incomplete or has another architecture"
        )
    if report["mismatched_keys"]:
        raise CheckpointError(f"{source}: tensor {sorted(report['mismatched_keys'])[0]} has the wrong shape")
    model.eval()
    return model, processor, identity(source, config, source)


@contextmanager
def loading_detector(source: str) -> Iterator[None]:
    """Turn whatever goes wrong while a detector is loaded into one line; say so if it needs another package."""
    try:
        with QuietTransformers():
            yield
    except ImportError as error:  # a backbone or an image processor of another package
        reason = str(error).strip().splitlines()[0]
        raise MissingDependencyError(f"detector {source!r} needs a package that is not installed: {reason}") from error
    except RadevalError:
        raise
    except Exception as error:  # a damaged file can make the loaders fail in any way
        raise load_failure(source, error) from error


def _regions_by_label(source: str, id2label: dict[int, str]) -> dict[int, str]:
    """Return the region of each label of a detector."""
    names = {label: plain_name(str(name)) for label, name in id2label.items()}
    known = set(region_names())
    unknown = sorted({name for name in names.values() if name not in known | _NO_REGION})
    regions = {int(label): name for label, name in names.items() if name in known}
    if unknown or not regions:
        shown = ", ".join(map(repr, unknown[:3])) + (", …" if len(unknown) > 3 else "")
        raise CheckpointError(
            f"{source} is not a detector of Chest ImaGenome's regions: {len(unknown)} of its {len(names)} labels are "
            f"not regions ({shown}); its labels (id2label in config.json, or classes.txt) must name regions such as "
            "'right lung'"
        )
    return regions
