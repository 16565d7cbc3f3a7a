"""What training a detector will cost: one film is run through it once, and its operations and memory are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from radeval_core.train.plan import ModelSize, Plan

#: a training step: the forward pass, and twice its work for the gradients (Kaplan and others, 2020, section 2.1)
_STEP = 3


@dataclass(frozen=True)
class FilmPlan(Plan):
    """A plan whose unit is a film, not a token. `tokens` is the number of films that are trained on.

    Attributes:
        film_operations: floating point operations of one film, forward.
        film_bytes: memory that one film keeps for its gradients.
        measured: number of films that are only measured, over all evaluations.
    """

    film_operations: int = 0
    film_bytes: int = 0
    measured: int = 0

    @property
    def memory_bytes(self) -> int:
        # a size without layers keeps nothing per token, so that the plan counts the weights alone
        return super().memory_bytes + self.longest * self.film_bytes

    @property
    def operations(self) -> float:
        return self.film_operations * (_STEP * self.tokens + self.measured)

    def lines(self, speed: float) -> list[str]:
        return [line.replace(" tokens)", " films)") for line in super().lines(speed)]


def model_size(model: Any) -> ModelSize:
    """Return the number of weights of a detector."""
    weights = list(model.parameters())
    trained = sum(w.numel() for w in weights if w.requires_grad)
    return ModelSize(sum(w.numel() for w in weights), trained, layers=0, hidden=0)


def film_cost(model: Any, batch: dict[str, Any]) -> tuple[int, int]:
    """Return the operations of a batch, forward, and the bytes it keeps for its gradients."""
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    model.train()
    weights = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    with FlopCounterMode(display=False) as counter, torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        model(**batch)
    model.zero_grad()
    return counter.get_total_flops(), sum(size for place, size in kept.items() if place not in weights)
