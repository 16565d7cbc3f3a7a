"""Where the boxes of a pair's film come from: options, a file, the pairs themselves, a detector, or the atlas."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.findings.atlas import Box, PairBoxes, atlas_version, pair_boxes, standard_atlas
from radeval_core.io import boxes_by_id
from radeval_core.pairs import Pair

log = logging.getLogger(__name__)
Detect = Callable[[Sequence[Any], int], Sequence[Mapping[str, Box]]]


class FilmBoxes:
    """Gives the boxes of each pair, in order, and remembers their hash for the signature.

    Args:
        given: the option `boxes`, one entry per pair.
        images: the option `images`, one entry per pair.
        file: the option `boxes_file`, a table with id and boxes.
        detector: name of the detector; empty for none.
    """

    def __init__(self, given: list[Any] | None, images: list[Any] | None, file: str | None, detector: str) -> None:
        chosen = [
            name for name, value in (("boxes", given), ("images", images), ("boxes_file", file)) if value is not None
        ]
        if len(chosen) > 1:
            raise InputError(f"give {chosen[0]}= or {chosen[1]}=, not both: regions are either given or detected")
        if images is not None and not detector:
            raise InputError("images= needs a detector of regions: name one by checkpoint=HUB_ID_OR_FOLDER")
        if detector and (given is not None or file is not None):
            raise InputError(f"give {chosen[0]}= or the detector {detector!r}, not both")
        self._option = chosen[0] if chosen else ""
        self._given = None if given is None else [pair_boxes(b, f"boxes[{i}]") for i, b in enumerate(given)]
        self._images = images
        self._path = file
        if file is not None and not Path(file).is_file():
            raise InputError(f"boxes_file={file}: no such file")
        self._detector = detector
        self._with_pairs: bool | None = None  # whether the pairs bring what is needed, once the first was seen
        self._pairs: int | None = None  # how many there are, once counted
        self._scored = 0
        self._hash = hashlib.sha256(b"[")

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of a file of pairs that are read."""
        return () if self._option else ("image",) if self._detector else ("boxes",)

    @property
    def by_order(self) -> bool:
        """True if boxes or images belong to pairs by order, so that the pairs are counted first."""
        return self._given is not None or self._images is not None

    def count(self, pairs: int) -> None:
        """Count pairs of the first pass."""
        self._pairs = (self._pairs or 0) + pairs

    def next(self, pairs: Sequence[Pair], detect: Detect) -> list[PairBoxes]:
        """Return the boxes of the next pairs.

        Args:
            pairs: the pairs.
            detect: finds the regions on images; given the images and the index of the first.
        """
        start, self._scored = self._scored, self._scored + len(pairs)
        if self.by_order:
            self._check_count()
        self._check_pairs(pairs)
        if self._detector:
            images = [pair.image for pair in pairs] if self._images is None else self._images[start : self._scored]
            return [PairBoxes(boxes, boxes) for boxes in detect(images, start)]
        if self._given is not None:
            found = self._given[start : self._scored]
        elif self._path is not None:
            found = [self._from_file(pair) for pair in pairs]
        elif self._with_pairs:
            found = [pair_boxes(pair.boxes, f"boxes of pair {pair.id!r}") for pair in pairs]
        else:
            return [PairBoxes(standard_atlas(), standard_atlas())] * len(pairs)
        self._remember(found, start)
        return found

    @property
    def field(self) -> str:
        """Return the source of the boxes, for the signature, once the pairs are scored: `atlas-1`, `given-1a2b3c4d`."""
        if not self._option and not self._with_pairs:
            return f"atlas-{atlas_version()}"
        digest = self._hash.copy()
        digest.update(b"]")
        return f"given-{digest.hexdigest()[:8]}"

    @cached_property
    def _file(self) -> dict[str, Any]:
        """Return the boxes by id; the file is read when the first pair is scored."""
        return boxes_by_id(str(self._path))

    def _from_file(self, pair: Pair) -> PairBoxes:
        if str(pair.id) not in self._file:
            raise InputError(
                f"boxes_file has no boxes with the id {pair.id!r} of a pair: ids of pairs must be those of it"
            )
        return pair_boxes(self._file[str(pair.id)], f"boxes_file: id {pair.id!r}")

    def _check_count(self) -> None:
        entries = len(self._given if self._given is not None else self._images or ())
        pairs = max(self._scored, self._pairs or 0)
        if pairs != entries and (self._pairs is not None or pairs > entries):
            raise InputError(f"{self._option} must have one entry per pair: got {entries} for {pairs} pairs")

    def _check_pairs(self, pairs: Sequence[Pair]) -> None:
        """Refuse boxes or images that only some pairs have, or that an option gives too."""
        name = "image" if self._detector else "boxes"
        for pair in pairs:
            here = getattr(pair, name) is not None
            if here and self._option:
                raise InputError(f"pair {pair.id!r} has its own {name}: leave it out, or leave out {self._option}=")
            if self._with_pairs is None:
                self._with_pairs = here
                if pair.image is not None and not self._detector:
                    log.warning("images of the pairs are not used: a detector of regions is named by checkpoint=")
            if here != self._with_pairs:
                has, others = ("", "none") if here else ("no ", "some")
                raise InputError(f"pair {pair.id!r} has {has}{name}, other pairs have {others}: give all or none")
        if self._detector and self._images is None and not self._with_pairs:
            raise InputError(
                f"the detector {self._detector!r} needs images=, a list with one image per pair, or pairs with an image"
            )

    def _remember(self, found: Sequence[PairBoxes], start: int) -> None:
        """Add boxes to the hash: the same boxes give the same hash wherever they come from."""
        for i, boxes in enumerate(found, start=start):
            plain = boxes.prediction if boxes.prediction == boxes.reference else boxes._asdict()
            self._hash.update((", " * (i > 0) + json.dumps(plain, sort_keys=True)).encode())
