"""What training a detector will cost: one batch of films is tried for a moment, and time and memory are measured."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import torch

from radeval_core.train.plan import ModelSize, Plan

#: share of a training step that measuring a film takes: the forward pass, without the two for the gradients
_FORWARD = 1 / 3


@dataclass(frozen=True)
class FilmPlan(Plan):
    """A plan whose unit is a film, not a token. `tokens` is the number of films that are trained on.

    Attributes:
        film_seconds: time of a training step per film.
        film_bytes: memory that a film keeps for its gradients.
        measured: number of films that are only measured, over all evaluations.
    """

    film_seconds: float = 0.0
    film_bytes: int = 0
    measured: int = 0

    @property
    def memory_bytes(self) -> int:
        # a size without layers keeps nothing per token, so that the plan counts the weights alone
        return super().memory_bytes + self.longest * self.film_bytes

    def seconds(self, speed: float) -> float:
        """Return an estimate of the time, from the films that were tried; the speed of products is not needed."""
        return self.film_seconds * (self.tokens + _FORWARD * self.measured) / self.processes

    def lines(self, speed: float = 0.0) -> list[str]:
        return [line.replace(" tokens)", " films)") for line in super().lines(speed)]

    def as_dict(self, speed: float = 0.0) -> dict[str, Any]:
        return super().as_dict(speed)


def model_size(model: Any) -> ModelSize:
    """Return the number of weights of a detector."""
    weights = list(model.parameters())
    trained = sum(w.numel() for w in weights if w.requires_grad)
    return ModelSize(sum(w.numel() for w in weights), trained, layers=0, hidden=0)


def film_cost(model: Any, batch: dict[str, Any]) -> tuple[float, int]:
    """Return the seconds of a training step and the bytes it keeps for its gradients, both per film.

    The model is the same afterwards: its weights do not move, and running means are put back.
    """
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    films = len(batch["labels"])
    weights = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    means = {name: buffer.clone() for name, buffer in model.named_buffers()}
    model.train()
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        model(**batch)  # also warms up, so that the next step shows the usual time
    start = time.perf_counter()
    model(**batch).loss.backward()
    seconds = time.perf_counter() - start
    model.zero_grad()
    for name, buffer in model.named_buffers():
        buffer.copy_(means[name])
    return seconds / films, sum(size for place, size in kept.items() if place not in weights) // films
