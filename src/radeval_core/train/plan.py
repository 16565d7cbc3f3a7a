"""What a training run will do and cost, said before it starts: steps, memory, disk and time, all estimates.

Work of one token: 2 operations per parameter forward, 2 for the gradients of its inputs and 2 for those of the weights
(Kaplan and others, 2020, section 2.1). Frozen weights need no gradients of their own; checkpointing runs the forward
pass twice.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

#: bytes of an AdamW state per trained parameter: two moments in fp32
_ADAM = 8
#: numbers kept per token and layer for the backward pass, in units of the hidden size (Korthikanti and others, 2022,
#: section 4: 34 bytes in half precision, 17 numbers), and attention's share, which grows with the length
_ACTIVATIONS, _CHECKPOINTED = 17, 2
#: share of the speed of large products that a training step reaches
_UTILISATION = 0.5


@dataclass(frozen=True)
class ModelSize:
    """The size of a model.

    Attributes:
        parameters: number of weights.
        trained: number of weights that are trained.
        layers: number of layers.
        hidden: width of a layer.
        weight_bytes: bytes of one weight.
    """

    parameters: int
    trained: int
    layers: int
    hidden: int
    weight_bytes: int = 4


@dataclass(frozen=True)
class Plan:
    """What a run will do.

    Attributes:
        rows: examples per split.
        steps: number of optimiser steps.
        tokens: number of tokens (or image patches) that are trained on, over all epochs.
        longest: tokens in the largest batch that is held in memory at once.
        size: the model.
        checkpointing: activations are computed again instead of kept.
        device: where it runs.
        processes: how many devices share the work.
        notes: further lines to print, such as what was left out and why.
    """

    rows: dict[str, int]
    steps: int
    tokens: int
    longest: int
    size: ModelSize
    device: str
    checkpointing: bool = False
    processes: int = 1
    notes: tuple[str, ...] = field(default=())

    @property
    def memory_bytes(self) -> int:
        """Return an estimate of the memory of one device: weights, gradients, optimiser and activations."""
        size = self.size
        kept = _CHECKPOINTED if self.checkpointing else _ACTIVATIONS
        activations = self.longest * size.layers * size.hidden * kept * size.weight_bytes
        return size.parameters * size.weight_bytes + size.trained * (size.weight_bytes + _ADAM) + activations

    @property
    def disk_bytes(self) -> int:
        """Return an estimate of the disk space: the model, and three checkpoints with the optimiser's state."""
        trained = self.size.trained * (self.size.weight_bytes + _ADAM)
        return self.size.parameters * self.size.weight_bytes + 3 * trained

    @property
    def operations(self) -> float:
        """Return the number of floating point operations."""
        per_token = 4 + 2 * self.size.trained / max(self.size.parameters, 1) + (2 if self.checkpointing else 0)
        return per_token * self.size.parameters * self.tokens

    def seconds(self, speed: float) -> float:
        """Return an estimate of the time.

        Args:
            speed: operations per second of one device, from `measure_speed`.
        """
        return self.operations / (speed * _UTILISATION * self.processes)

    def as_dict(self, speed: float) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {
            "rows": self.rows,
            "steps": self.steps,
            "tokens": self.tokens,
            "parameters": self.size.parameters,
            "trained_parameters": self.size.trained,
            "device": self.device,
            "processes": self.processes,
            "memory_bytes": self.memory_bytes,
            "disk_bytes": self.disk_bytes,
            "seconds": round(self.seconds(speed), 1),
            "notes": list(self.notes),
        }

    def lines(self, speed: float) -> list[str]:
        """Return the plan as lines to print."""
        share = self.size.trained / max(self.size.parameters, 1)
        rows = ", ".join(f"{count:,} {split}" for split, count in self.rows.items())
        many = f" x {self.processes}" if self.processes > 1 else ""
        return [
            f"rows:    {rows}",
            f"model:   {self.size.parameters:,} parameters, {self.size.trained:,} of them trained ({share:.1%})",
            f"steps:   {self.steps:,} ({self.tokens:,} tokens)",
            f"memory:  about {in_bytes(self.memory_bytes)} on {self.device}{many}",
            f"disk:    about {in_bytes(self.disk_bytes)}",
            f"time:    about {in_words(self.seconds(speed))}, estimated from the speed of this device",
            *self.notes,
        ]


def measure_speed(device: str, seconds: float = 0.2) -> float:
    """Return the operations per second of large products of matrices on a device, measured for a moment."""
    import torch

    side = 512 if device == "cpu" else 4096
    matrix = torch.ones(side, side, device=device)
    _finish(torch.mm(matrix, matrix))
    count, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        _finish(torch.mm(matrix, matrix))
        count += 1
    return 2 * side**3 * count / passed


def in_words(seconds: float) -> str:
    """Return a duration as people say it."""
    if seconds < 90:
        whole = max(1, math.ceil(seconds))
        return f"{whole} second{'s' if whole > 1 else ''}"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"


def in_bytes(count: float) -> str:
    """Return a size in MB or GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"


def _finish(result: Any) -> None:
    """Wait until a result is computed: on a GPU, products only start."""
    result[0, 0].item()
