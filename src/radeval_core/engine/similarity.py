"""Finds each vector's best cosine match in another set, for many pairs of sets at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import torch
from numpy.typing import NDArray

from radeval_core.engine.batching import plan_batches, restore_order
from radeval_core.engine.threads import free_cores_only

Vectors = NDArray[np.float32]
#: cells of the padded similarity matrices computed at once
_CELLS = {"cpu": 1_000_000, "mps": 10_000_000, "cuda": 50_000_000}


def best_matches(
    pairs: Sequence[tuple[Vectors, Vectors]], device: torch.device
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return, per pair of sets of unit vectors, each left vector's best cosine on the right and the reverse.

    Args:
        pairs: (left, right), each with one vector per row; neither may be empty.
        device: where to compute.
    """
    # A padded batch has the size of its largest left set times its largest right set, so plan by the larger side.
    # The vectors also take memory, which matters for short texts: hence at least 32.
    sides = [max(len(left), len(right)) for left, right in pairs]
    batches = plan_batches([side * max(side, 32) for side in sides], _CELLS[device.type])
    return restore_order(batches, [_batch([pairs[i] for i in batch], device) for batch in batches])


def _batch(
    pairs: list[tuple[Vectors, Vectors]], device: torch.device
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    left, left_mask = _stack([p[0] for p in pairs], device)
    right, right_mask = _stack([p[1] for p in pairs], device)
    threads = free_cores_only() if device.type == "cpu" else nullcontext()
    with torch.inference_mode(), threads:
        cosine = torch.bmm(left, right.transpose(1, 2))
        low = torch.finfo(cosine.dtype).min
        of_left = cosine.masked_fill(~right_mask[:, None, :], low).amax(dim=2).cpu().numpy()
        of_right = cosine.masked_fill(~left_mask[:, :, None], low).amax(dim=1).cpu().numpy()
    return [(of_left[i, : len(p[0])], of_right[i, : len(p[1])]) for i, p in enumerate(pairs)]


def _stack(sets: list[Vectors], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    tensors = [torch.from_numpy(s) for s in sets]
    lengths = torch.tensor([len(s) for s in sets])
    padded = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True)
    return padded.to(device), (torch.arange(padded.shape[1]) < lengths[:, None]).to(device)
