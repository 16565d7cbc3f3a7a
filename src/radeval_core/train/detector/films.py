"""Films with the boxes of their regions, and their splits: no patient is in two of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from radeval_core.errors import InputError
from radeval_core.findings.types import Box

TRAIN, VALIDATION, TEST = SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Film:
    """A film to train on or to measure with.

    Attributes:
        where: file and row, for messages.
        image: path of the image.
        width: of the image in pixels.
        height: of the image in pixels.
        boxes: box of each region in pixels, by the standard name of the region.
        patient: whose film it is; empty if that is not known.
        split: `train`, `validation` or `test`; empty if the data does not say.
    """

    where: str
    image: str
    width: int
    height: int
    boxes: Mapping[str, Box]
    patient: str = ""
    split: str = ""


def split_films(films: Sequence[Film], share: float, seed: int) -> dict[str, list[Film]]:
    """Return the films of each split. Films without a split are divided into training and validation by patient.

    Args:
        films: all films. Those that are not for the test have all a split, or none.
        share: share of the patients that are held out, if none has.
        seed: another seed holds out other patients.

    Raises:
        InputError: a patient is in two splits, only some films have a split, or a split is empty.
    """
    if not films:
        raise InputError("the data has no film with boxes")
    bare = [film for film in films if not film.split]
    if bare and any(film.split in (TRAIN, VALIDATION) for film in films):
        raise InputError(f"{bare[0].where}: no split, although other films have one: give each film a split, or none")
    if bare:
        if not 0 < share < 1:
            raise InputError(f"--validation-share must be above 0 and below 1, got {share:g}")
        films = [*_divided(bare, share, seed), *(film for film in films if film.split)]
    splits = {split: [film for film in films if film.split == split] for split in SPLITS}
    for split in (TRAIN, VALIDATION):
        if not splits[split]:
            found = ", ".join(f"{count} {name}" for name, count in Counter(film.split for film in films).items())
            raise InputError(f"the split {split!r} is empty (found {found}): training needs films to hold out")
    _check_patients(films)
    return splits


def mean_boxes(films: Iterable[Film]) -> dict[str, Box]:
    """Return the mean box of each region, as fractions of the film: what a detector must beat."""
    found: dict[str, list[Box]] = {}
    for film in films:
        for region, box in relative(film).items():
            found.setdefault(region, []).append(box)
    return {region: _mean(boxes) for region, boxes in found.items()}


def constant_boxes(boxes: Mapping[str, Box], film: Film) -> dict[str, Box]:
    """Return boxes given as fractions in the pixels of a film."""
    w, h = film.width, film.height
    return {region: (x1 * w, y1 * h, x2 * w, y2 * h) for region, (x1, y1, x2, y2) in boxes.items()}


def relative(film: Film) -> dict[str, Box]:
    """Return the boxes of a film as fractions of its width and height."""
    w, h = film.width, film.height
    return {region: (x1 / w, y1 / h, x2 / w, y2 / h) for region, (x1, y1, x2, y2) in film.boxes.items()}


def mirrored(boxes: Mapping[str, Box]) -> dict[str, Box]:
    """Return the boxes of a film that is flipped from left to right: what was the left lung is now the right one.

    Args:
        boxes: as fractions of the film. Regions without a side, such as the aortic arch, keep their name although
            they lie on one side of the body.
    """
    swap = {"left": "right", "right": "left"}
    found = {}
    for region, (x1, y1, x2, y2) in boxes.items():
        first, space, rest = region.partition(" ")
        found[f"{swap.get(first, first)}{space}{rest}"] = (1 - x2, y1, 1 - x1, y2)
    return found


def _divided(films: Sequence[Film], share: float, seed: int) -> list[Film]:
    """Return the films with splits; all films of a patient are in one of them."""
    groups = list(dict.fromkeys(_group(film) for film in films))
    if len(groups) < 2:
        raise InputError(f"the data has films of {len(groups)} patient: at least 2 are needed, one to hold out")
    order = sorted(groups, key=lambda group: hashlib.sha256(f"{seed}|{group}".encode()).digest())
    held_out = set(order[: min(max(1, round(share * len(groups))), len(groups) - 1)])
    return [replace(film, split=VALIDATION if _group(film) in held_out else TRAIN) for film in films]


def _group(film: Film) -> str:
    return f"patient {film.patient}" if film.patient else f"image {film.image}"


def _check_patients(films: Iterable[Film]) -> None:
    """Raise an error if films of one patient, or one image, are in two splits."""
    first: dict[str, Film] = {}
    for film in films:
        for key in {_group(film), f"image {film.image}"}:
            other = first.setdefault(key, film)
            if other.split != film.split:
                what = "its patient" if key.startswith("patient") else "its image"
                raise InputError(
                    f"{film.where}: {what} is in the split {film.split!r} here and in {other.split!r} in "
                    f"{other.where}: a patient may be in one split only"
                )


def _mean(boxes: Sequence[Box]) -> Box:
    x1, y1, x2, y2 = np.mean(boxes, axis=0).tolist()
    return x1, y1, x2, y2
