"""Faster R-CNN with a ResNet and a feature pyramid, run from the tensors that torchvision's model saves.

The names of the tensors and the constants are those of `torchvision.models.detection.fasterrcnn_resnet50_fpn` and of
`FasterRCNN(resnet_fpn_backbone(...))`. torchvision itself is not needed. Only the best box of each class is found, so
the suppression of overlapping boxes of one class after the last layer, which keeps the best, is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

#: sides of the anchors on each level of the pyramid, and their ratios of height to width
ANCHOR_SIZES, ANCHOR_RATIOS = (32, 64, 128, 256, 512), (0.5, 1.0, 2.0)
#: proposals kept before and after suppression, and the overlap at which the weaker one is dropped
PROPOSALS, OVERLAP = 1000, 0.7
#: smallest side of a proposal and of a detection, in pixels
SMALLEST_PROPOSAL, SMALLEST_BOX = 1e-3, 1e-2
#: a region is scaled to this grid, with this many samples per cell and direction
GRID, SAMPLES = 7, 2
#: side of a region that belongs to level 4 of the pyramid
CANONICAL_SIDE, CANONICAL_LEVEL = 224, 4
_FIRST_LEVEL, _LAST_LEVEL = 2, 5
_LARGEST_LOG = math.log(1000 / 16)
_NORM_EPSILON = 1e-5
_STRIDE = 32
#: regions pooled at the same time, to bound memory
_TOGETHER = 256


@dataclass(frozen=True)
class ImageSettings:
    """How an image is prepared; the defaults are torchvision's.

    Attributes:
        min_size: length of the shorter side.
        max_size: maximum length of the longer side.
        image_mean: mean of each channel.
        image_std: standard deviation of each channel.
    """

    min_size: int = 800
    max_size: int = 1333
    image_mean: tuple[float, ...] = (0.485, 0.456, 0.406)
    image_std: tuple[float, ...] = (0.229, 0.224, 0.225)


class Detections(NamedTuple):
    """The best box of each class but the background, in pixels of the image, and its score."""

    boxes: Tensor
    scores: Tensor


def detect(weights: Mapping[str, Tensor], image: Tensor, settings: ImageSettings) -> Detections:
    """Return the best box of each class on one image.

    Args:
        weights: the tensors by name.
        image: channels x height x width, from 0 to 1.
        settings: how to prepare the image.
    """
    resized = _resized(image, settings)
    size = (resized.shape[-2], resized.shape[-1])
    padded = F.pad(resized, (0, -size[1] % _STRIDE, 0, -size[0] % _STRIDE))[None]
    levels = _pyramid(weights, _resnet(weights, padded))
    proposals = _proposals(weights, levels, (padded.shape[-2], padded.shape[-1]), size)
    boxes, scores = _classified(weights, levels[:-1], proposals, size)
    scale = boxes.new_tensor([image.shape[-1] / size[1], image.shape[-2] / size[0]]).repeat(2)
    small = ((boxes[..., 2:] - boxes[..., :2]) < SMALLEST_BOX).any(dim=-1)
    best = scores.masked_fill(small, -1).max(dim=0)
    chosen = boxes[best.indices, torch.arange(boxes.shape[1], device=boxes.device)]
    return Detections(chosen * scale, best.values)


def _resized(image: Tensor, settings: ImageSettings) -> Tensor:
    mean, std = (image.new_tensor(values)[:, None, None] for values in (settings.image_mean, settings.image_std))
    short, long = sorted(image.shape[-2:])
    scale = min(settings.min_size / short, settings.max_size / long)
    normal = ((image - mean) / std)[None]
    resized: Tensor = F.interpolate(
        normal, scale_factor=scale, mode="bilinear", recompute_scale_factor=True, align_corners=False
    )
    return resized[0]


# --- backbone


def _resnet(weights: Mapping[str, Tensor], x: Tensor) -> list[Tensor]:
    """Return the outputs of the four stages of the ResNet."""
    x = F.relu(_norm(weights, "backbone.body.bn1", _conv(weights, "backbone.body.conv1", x, stride=2, padding=3)))
    x = F.max_pool2d(x, 3, stride=2, padding=1)
    stages = []
    for stage in range(1, 5):
        block = 0
        while f"backbone.body.layer{stage}.{block}.conv1.weight" in weights or not block:
            x = _block(weights, f"backbone.body.layer{stage}.{block}", x, 2 if stage > 1 and not block else 1)
            block += 1
        stages.append(x)
    return stages


def _block(weights: Mapping[str, Tensor], name: str, x: Tensor, stride: int) -> Tensor:
    """Return the output of a residual block: two convolutions, or three with a narrow middle one."""
    three = f"{name}.conv3.weight" in weights
    strides = (1, stride, 1) if three else (stride, 1)
    out = x
    for i, step in enumerate(strides, start=1):
        out = _norm(weights, f"{name}.bn{i}", _conv(weights, f"{name}.conv{i}", out, step))
        out = F.relu(out) if i < len(strides) else out
    if f"{name}.downsample.0.weight" in weights:
        x = _norm(weights, f"{name}.downsample.1", _conv(weights, f"{name}.downsample.0", x, stride))
    return F.relu(out + x)


def _conv(weights: Mapping[str, Tensor], name: str, x: Tensor, stride: int = 1, padding: int | None = None) -> Tensor:
    kernel = weights[f"{name}.weight"]
    around = kernel.shape[-1] // 2 if padding is None else padding
    groups = x.shape[1] // kernel.shape[1]
    return F.conv2d(x, kernel, weights.get(f"{name}.bias"), stride, around, groups=groups)


def _norm(weights: Mapping[str, Tensor], name: str, x: Tensor) -> Tensor:
    """Return batch normalisation with the stored statistics."""
    scale = weights[f"{name}.weight"] * (weights[f"{name}.running_var"] + _NORM_EPSILON).rsqrt()
    shift = weights[f"{name}.bias"] - weights[f"{name}.running_mean"] * scale
    return x * scale[:, None, None] + shift[:, None, None]


def _pyramid(weights: Mapping[str, Tensor], stages: Sequence[Tensor]) -> list[Tensor]:
    """Return the levels of the feature pyramid, the finest first, and a pooled one at the end."""
    levels: list[Tensor] = []
    above: Tensor | None = None
    for i in reversed(range(len(stages))):
        inner = _conv(weights, f"backbone.fpn.inner_blocks.{i}.0", stages[i])
        above = inner if above is None else inner + F.interpolate(above, size=inner.shape[-2:], mode="nearest")
        levels.insert(0, _conv(weights, f"backbone.fpn.layer_blocks.{i}.0", above))
    return [*levels, F.max_pool2d(levels[-1], 1, stride=2)]


# --- proposals


def _proposals(
    weights: Mapping[str, Tensor], levels: Sequence[Tensor], padded: tuple[int, int], size: tuple[int, int]
) -> Tensor:
    """Return the regions that may contain an object, the best first."""
    kept_boxes, kept_scores = [], []
    for level, side in zip(levels, ANCHOR_SIZES, strict=True):
        hidden = F.relu(_conv(weights, "rpn.head.conv.0.0", level))
        # channels are anchors; rows of the result are places, then anchors
        logits = _conv(weights, "rpn.head.cls_logits", hidden)[0].permute(1, 2, 0).reshape(-1)
        deltas = _conv(weights, "rpn.head.bbox_pred", hidden)[0]
        deltas = deltas.view(-1, 4, *level.shape[-2:]).permute(2, 3, 0, 1).reshape(-1, 4)
        top = logits.topk(min(PROPOSALS, len(logits)))
        boxes = _decoded(_anchors(level, side, padded)[top.indices], deltas[top.indices], (1, 1, 1, 1))
        boxes = _clipped(boxes, size)
        large = ((boxes[:, 2:] - boxes[:, :2]) >= SMALLEST_PROPOSAL).all(dim=1)
        boxes, scores = boxes[large], top.values.sigmoid()[large]
        chosen = _without_overlaps(boxes, scores)
        kept_boxes.append(boxes[chosen])
        kept_scores.append(scores[chosen])
    order = torch.cat(kept_scores).argsort(descending=True, stable=True)[:PROPOSALS]
    return torch.cat(kept_boxes)[order]


def _anchors(level: Tensor, side: int, padded: tuple[int, int]) -> Tensor:
    """Return the anchors of a level: places row by row, and one box per ratio at each."""
    rows, columns = level.shape[-2:]
    ratios = level.new_tensor(ANCHOR_RATIOS).sqrt()
    widths, heights = side / ratios, side * ratios
    base = (torch.stack([-widths, -heights, widths, heights], dim=1) / 2).round()
    y = torch.arange(rows, device=level.device) * (padded[0] // rows)
    x = torch.arange(columns, device=level.device) * (padded[1] // columns)
    y, x = (grid.reshape(-1) for grid in torch.meshgrid(y, x, indexing="ij"))
    return (torch.stack([x, y, x, y], dim=1)[:, None] + base[None]).reshape(-1, 4)


def _without_overlaps(boxes: Tensor, scores: Tensor) -> Tensor:
    """Return the indices of the boxes to keep, the best first: each drops the weaker ones that overlap it too much."""
    order = scores.argsort(descending=True, stable=True)
    boxes = boxes[order]
    corner1 = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    corner2 = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    common = (corner2 - corner1).clamp(min=0).prod(dim=2)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(dim=1)
    overlaps = (common > OVERLAP * (area[:, None] + area[None] - common)).cpu()
    alive = torch.ones(len(boxes), dtype=torch.bool)
    for i in range(len(boxes)):
        if alive[i]:
            alive[i + 1 :] &= ~overlaps[i, i + 1 :]
    return order[alive.to(order.device)]


def _decoded(boxes: Tensor, deltas: Tensor, factors: Sequence[float]) -> Tensor:
    """Return boxes moved and scaled by the model's answers."""
    dx, dy, dw, dh = (deltas[..., i] / factor for i, factor in enumerate(factors))
    width, height = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
    x, y = boxes[..., 0] + width / 2 + dx * width, boxes[..., 1] + height / 2 + dy * height
    width, height = width * dw.clamp(max=_LARGEST_LOG).exp(), height * dh.clamp(max=_LARGEST_LOG).exp()
    return torch.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], dim=-1)


def _clipped(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    limits = boxes.new_tensor([size[1], size[0]]).repeat(2)
    return torch.minimum(boxes.clamp(min=0), limits)


# --- classes


def _classified(
    weights: Mapping[str, Tensor], levels: Sequence[Tensor], regions: Tensor, size: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """Return the box and the score of each region for each class but the background."""
    hidden = _pooled(levels, regions, size).flatten(1)
    for layer in ("fc6", "fc7"):
        name = f"roi_heads.box_head.{layer}"
        hidden = F.relu(F.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"]))
    answers = {
        name: F.linear(
            hidden,
            weights[f"roi_heads.box_predictor.{name}.weight"],
            weights[f"roi_heads.box_predictor.{name}.bias"],
        )
        for name in ("cls_score", "bbox_pred")
    }
    scores = answers["cls_score"].softmax(dim=1)
    deltas = answers["bbox_pred"].reshape(len(regions), -1, 4)
    boxes = _clipped(_decoded(regions[:, None], deltas, (10, 10, 5, 5)), size)
    return boxes[:, 1:], scores[:, 1:]


def _pooled(levels: Sequence[Tensor], regions: Tensor, size: tuple[int, int]) -> Tensor:
    """Return the features of each region on a grid, from the level of the pyramid that fits its size."""
    side = (regions[:, 2:] - regions[:, :2]).prod(dim=1).sqrt()
    level = (CANONICAL_LEVEL + torch.log2(side / CANONICAL_SIDE) + 1e-6).floor().clamp(_FIRST_LEVEL, _LAST_LEVEL)
    pooled = regions.new_zeros((len(regions), levels[0].shape[1], GRID, GRID))
    for i, features in enumerate(levels):
        here = (level == i + _FIRST_LEVEL).nonzero()[:, 0]
        if len(here):
            scale = 2.0 ** round(math.log2(features.shape[-2] / size[0]))
            pooled[here] = _aligned(features[0], regions[here] * scale)
    return pooled


def _aligned(features: Tensor, regions: Tensor) -> Tensor:
    """Return the mean of the samples in each cell of the regions, each interpolated between its four features."""
    rows, columns = features.shape[-2:]
    places = (torch.arange(GRID * SAMPLES, device=regions.device) + 0.5) / (GRID * SAMPLES)
    extent = (regions[:, 2:] - regions[:, :2]).clamp(min=1)
    points = regions[:, :2, None] + extent[:, :, None] * places  # regions x (x, y) x samples
    limits = points.new_tensor([columns, rows])[:, None]
    inside = ((points >= -1) & (points <= limits)).to(points.dtype)
    unit = 2 * points / (limits - 1).clamp(min=1) - 1
    pooled = []
    for part, mask in zip(unit.split(_TOGETHER), inside.split(_TOGETHER), strict=True):
        x, y = part[:, 0, None, :], part[:, 1, :, None]
        grid = torch.stack(torch.broadcast_tensors(x, y), dim=-1).flatten(0, 1)[None]
        sampled = F.grid_sample(features[None], grid, mode="bilinear", padding_mode="border", align_corners=True)
        sampled = sampled[0].unflatten(1, (len(part), -1)).transpose(0, 1)
        sampled = sampled * (mask[:, 0, None, :] * mask[:, 1, :, None])[:, None]
        pooled.append(F.avg_pool2d(sampled, SAMPLES))
    return torch.cat(pooled)
