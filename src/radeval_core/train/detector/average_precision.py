"""How well boxes fit: COCO's average precision, and precision and recall of the boxes that scoring would use."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from radeval_core.findings.types import Box
from radeval_core.functional.ffl import union_iou

#: overlap at which a box counts as right, in `as_scored`
_RIGHT = 0.5


class Detection(NamedTuple):
    """A box that a detector found."""

    region: str
    box: Box
    score: float


@dataclass(frozen=True)
class BoxFigures:
    """How well the boxes of a detector fit.

    Attributes:
        ap: mean over regions and over IoU 0.5, 0.55, …, 0.95 of the average precision (COCO's AP).
        ap50: the same at IoU 0.5.
        ap75: the same at IoU 0.75.
        by_region: AP of each region that the films have.
        precision: share of the boxes used in scoring with an IoU of at least 0.5.
        recall: share of the true boxes that such a box was found for.
        mean_iou: mean overlap over the true boxes; 0 for a region that was not found.
    """

    ap: float
    ap50: float
    ap75: float
    by_region: dict[str, float]
    precision: float
    recall: float
    mean_iou: float

    def numbers(self) -> dict[str, float]:
        """Return all figures but those by region."""
        return {name: value for name, value in vars(self).items() if name != "by_region"}


def box_figures(
    truth: Sequence[Mapping[str, Box]], found: Sequence[Sequence[Detection]], threshold: float
) -> BoxFigures:
    """Compare the boxes found on each film with the true ones.

    Args:
        truth: per film, the box of each region.
        found: per film, the detections, in any order.
        threshold: the lowest score of a detection that scoring uses.
    """
    ap, ap50, ap75, by_region = _coco(truth, found)
    return BoxFigures(ap, ap50, ap75, by_region, *_as_scored(truth, found, threshold))


def _coco(
    truth: Sequence[Mapping[str, Box]], found: Sequence[Sequence[Detection]]
) -> tuple[float, float, float, dict[str, float]]:
    regions = sorted({region for boxes in truth for region in boxes})
    number = {region: i for i, region in enumerate(regions, start=1)}
    real = [
        {"image_id": film, "category_id": number[region], **_rectangle(box), "iscrowd": 0}
        for film, boxes in enumerate(truth, start=1)
        for region, box in boxes.items()
    ]
    detected = [
        {"image_id": film, "category_id": number[d.region], **_rectangle(d.box), "score": d.score}
        for film, detections in enumerate(found, start=1)
        for d in detections
        if d.region in number
    ]
    if not detected:  # pycocotools refuses an empty list
        return 0.0, 0.0, 0.0, dict.fromkeys(regions, 0.0)
    with redirect_stdout(io.StringIO()):  # pycocotools prints how far it is
        coco = COCO()
        coco.dataset = {
            "info": {},
            "images": [{"id": film} for film in range(1, len(truth) + 1)],
            "categories": [{"id": i, "name": region} for region, i in number.items()],
            "annotations": [{"id": i, **entry} for i, entry in enumerate(real, start=1)],
        }
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(detected), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
    # axes: IoU 0.5 … 0.95, recall 0 … 1, region, all sizes of boxes, at most 100 detections per film
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    by_region = {region: float(precision[:, :, i].mean()) for i, region in enumerate(regions)}
    return float(precision.mean()), float(precision[0].mean()), float(precision[5].mean()), by_region


def _as_scored(
    truth: Sequence[Mapping[str, Box]], found: Sequence[Sequence[Detection]], threshold: float
) -> tuple[float, float, float]:
    """Return precision, recall and mean IoU of the boxes `ffl_rq` would use: the best of each region."""
    overlaps: list[float] = []
    used = 0
    for boxes, detections in zip(truth, found, strict=True):
        best: dict[str, Detection] = {}
        for detection in detections:
            known = best.get(detection.region)
            if detection.score > threshold and (known is None or detection.score > known.score):
                best[detection.region] = detection
        used += len(best)
        overlaps += [union_iou((best[region].box,), (box,)) if region in best else 0.0 for region, box in boxes.items()]
    right = sum(overlap >= _RIGHT for overlap in overlaps)
    return right / used if used else 0.0, right / len(overlaps), float(np.mean(overlaps))


def _rectangle(box: Box) -> dict[str, Any]:
    x1, y1, x2, y2 = box
    return {"bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1)}
