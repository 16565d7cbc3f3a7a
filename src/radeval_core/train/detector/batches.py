"""Films as tensors: each is read and prepared exactly as `ffl_rq` does later, then padded to the size of its batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from PIL import Image, ImageOps
from torch.utils.data import Dataset

from radeval_core.engine.images import open_image
from radeval_core.errors import InputError
from radeval_core.findings.types import Box
from radeval_core.train.detector.films import Film, mirrored, relative


class FilmDataset(Dataset[dict[str, Any]]):
    """The films of a split, prepared for a detector.

    Args:
        films: the films.
        processor: the detector's image processor.
        labels: number of each region in the detector.
        flip: probability that a film is flipped from left to right, with the names of its regions.
    """

    def __init__(self, films: Sequence[Film], processor: Any, labels: Mapping[str, int], flip: float = 0.0) -> None:
        self._films, self._processor, self._labels, self._flip = films, processor, labels, flip

    def __len__(self) -> int:
        return len(self._films)

    def __getitem__(self, index: int) -> dict[str, Any]:
        film = self._films[index]
        image, boxes = open_image(film.image, film.where), relative(film)
        if self._flip and torch.rand(()).item() < self._flip:
            image, boxes = ImageOps.mirror(image), mirrored(boxes)
        return {
            **prepared(image, self._processor),
            "labels": {
                "class_labels": torch.tensor([self._labels[region] for region in boxes]),
                "boxes": torch.tensor([_centre_and_size(box) for box in boxes.values()]),
            },
            "film": index,
        }


def prepared(image: Image.Image, processor: Any) -> dict[str, torch.Tensor]:
    """Return one image as a detector reads it: `pixel_values` and, for some, `pixel_mask`."""
    inputs = processor(images=image, return_tensors="pt")
    return {key: inputs[key][0] for key in ("pixel_values", "pixel_mask") if key in inputs}


class Collator:
    """Puts prepared films into a batch: smaller ones are padded with zeros, which the mask marks.

    Boxes are fractions of the film, not of the padded image, as in DETR (Carion and others, 2020): its positions are
    counted inside the mask.

    Args:
        masks: the model reads a pixel mask.
        numbered: add the number of each film, for measuring.
    """

    def __init__(self, masks: bool, numbered: bool = False) -> None:
        self._masks, self._numbered = masks, numbered

    def __call__(self, films: Sequence[dict[str, Any]]) -> dict[str, Any]:
        pixels = [film["pixel_values"] for film in films]
        height, width = (max(image.shape[axis] for image in pixels) for axis in (1, 2))
        if not self._masks and any(image.shape[1:] != (height, width) for image in pixels):
            raise InputError(
                "films of a batch have different shapes, but the detector reads no mask: give --size N, or --batch 1"
            )
        batch: dict[str, Any] = {"pixel_values": torch.stack([_padded(image, height, width) for image in pixels])}
        if self._masks:
            masks = [film.get("pixel_mask", torch.ones(film["pixel_values"].shape[1:])).long() for film in films]
            batch["pixel_mask"] = torch.stack([_padded(mask, height, width) for mask in masks])
        batch["labels"] = [film["labels"] for film in films]
        if self._numbered:
            batch["film"] = torch.tensor([film["film"] for film in films])
        return batch


@contextmanager
def errors_of_workers() -> Iterator[None]:
    """Show an error of a process that reads films as one line: torch puts the traceback into its text."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).rpartition("InputError: ")[2].strip()) from error


def _padded(image: torch.Tensor, height: int, width: int) -> torch.Tensor:
    return torch.nn.functional.pad(image, (0, width - image.shape[-1], 0, height - image.shape[-2]))


def _centre_and_size(box: Box) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = box
    return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1
