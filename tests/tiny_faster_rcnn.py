"""Make the tensors of a tiny random Faster R-CNN with the names that torchvision gives them."""

import numpy as np

#: one residual block per stage; every width is that of torchvision's smallest ResNet, the rest is tiny
WIDTHS, PYRAMID, HIDDEN, CLASSES = (64, 128, 256, 512), 16, 32, 36


def tensor_shapes(widths=WIDTHS, classes=CLASSES):
    """Return the shape of each tensor, by name."""
    shapes = {"backbone.body.conv1.weight": (widths[0], 3, 7, 7)}
    norms = {"backbone.body.bn1": widths[0]}
    before = widths[0]
    for stage, width in enumerate(widths, start=1):
        name = f"backbone.body.layer{stage}.0"
        shapes |= {f"{name}.conv1.weight": (width, before, 3, 3), f"{name}.conv2.weight": (width, width, 3, 3)}
        norms |= {f"{name}.bn1": width, f"{name}.bn2": width}
        if stage > 1:
            shapes[f"{name}.downsample.0.weight"] = (width, before, 1, 1)
            norms[f"{name}.downsample.1"] = width
        before = width
    for name, width in norms.items():
        shapes |= {f"{name}.{part}": (width,) for part in ("weight", "bias", "running_mean", "running_var")}
    layers = {"rpn.head.conv.0.0": (PYRAMID, PYRAMID, 3, 3), "rpn.head.cls_logits": (3, PYRAMID, 1, 1)}
    layers |= {"rpn.head.bbox_pred": (12, PYRAMID, 1, 1), "roi_heads.box_head.fc6": (HIDDEN, PYRAMID * 49)}
    layers |= {"roi_heads.box_head.fc7": (HIDDEN, HIDDEN)}
    layers |= {"roi_heads.box_predictor.cls_score": (classes + 1, HIDDEN)}
    layers |= {"roi_heads.box_predictor.bbox_pred": (4 * (classes + 1), HIDDEN)}
    for i, width in enumerate(widths):
        layers[f"backbone.fpn.inner_blocks.{i}.0"] = (PYRAMID, width, 1, 1)
        layers[f"backbone.fpn.layer_blocks.{i}.0"] = (PYRAMID, PYRAMID, 3, 3)
    return shapes | {f"{n}.weight": s for n, s in layers.items()} | {f"{n}.bias": s[:1] for n, s in layers.items()}


def tiny_weights(seed=0, widths=WIDTHS, classes=CLASSES):
    """Return random tensors whose activations stay near 1. numpy makes them, so they are the same everywhere."""
    import torch

    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in sorted(tensor_shapes(widths, classes).items()):
        values = rng.standard_normal(shape)
        if name.endswith("running_var"):
            values = 1 + np.abs(values)
        elif len(shape) > 1:
            values *= (0.3 if "box_predictor" in name else 1.4) / np.sqrt(np.prod(shape[1:]))
        elif ".bn" in name or "downsample" in name:
            values = 0.1 * values + name.endswith(".weight")
        else:
            values *= 0.1
        weights[name] = torch.tensor(values, dtype=torch.float32)
    return weights


def say_everywhere(weights, label):
    """Make the model see one class, on the whole film, in every region. Class 0 is the background."""
    weights["roi_heads.box_predictor.cls_score.weight"].zero_()
    weights["roi_heads.box_predictor.cls_score.bias"].zero_()[label] = 20.0
    weights["roi_heads.box_predictor.bbox_pred.weight"].zero_()
    # the fifth of the largest logarithm that is allowed: a box of 62 times the region
    weights["roi_heads.box_predictor.bbox_pred.bias"].view(-1, 4)[:] = weights[
        "roi_heads.box_predictor.bbox_pred.bias"
    ].new_tensor([0, 0, 25, 25])
    return weights


def film(shape=(90, 120), seed=1):
    """Return an image as a tensor, from 0 to 1."""
    import torch

    return torch.tensor(np.random.default_rng(seed).random((3, *shape)), dtype=torch.float32)
