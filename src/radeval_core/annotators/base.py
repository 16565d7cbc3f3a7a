"""The base classes of all neural models: device, number format, and tokenising texts."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from radeval_core.engine.devices import choose_dtype, model_devices, token_budget
from radeval_core.engine.forward import ForwardLoop, TokenIds


@dataclass(eq=False, repr=False)
class NeuralModel(ABC):
    """A checkpoint on a device, ready to use once constructed.

    Attributes:
        source: Hub id or folder of the checkpoint.
        device: see `choose_device`. By default, a model that reads texts gets a copy on every GPU.
        progress: show a bar on a terminal.
        where: the device the model is on; of several the first.
        model_name: what signatures call the model, `name@revision`.
    """

    source: str
    device: str | None = None
    progress: bool = field(default=True, kw_only=True)
    where: torch.device = field(init=False)
    model_name: str = field(init=False)

    def __post_init__(self) -> None:
        self.devices = model_devices(self.device)
        self.where = self.devices[0]
        self.read_checkpoint()

    @abstractmethod
    def read_checkpoint(self) -> None:
        """Load the model and its parts, and set `model_name`."""


@dataclass(eq=False, repr=False)
class TextModel(NeuralModel):
    """A model that reads texts in batches.

    Attributes:
        dtype: `fp32`, `bf16` or `fp16`.
        batch_tokens: tokens per batch; by default chosen for the device.
        loop: runs the model over texts.
        tokenizer: the model's tokenizer.
    """

    dtype: str = field(default="fp32", kw_only=True)
    batch_tokens: int | None = field(default=None, kw_only=True)
    loop: ForwardLoop = field(init=False)
    tokenizer: Any = field(init=False)

    def __post_init__(self) -> None:
        self.torch_dtype = choose_dtype(self.dtype)
        super().__post_init__()

    @abstractmethod
    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the token ids of each text, cut to the model's limit."""

    def make_loop(self, model: Any, pad_id: int | None) -> None:
        """Set `loop` to run this model, which must already be on its device, and copies on the other devices."""
        budget = token_budget(self.where, self.batch_tokens)

        def loop(on: torch.device, run: Callable[..., Any], copies: Sequence[ForwardLoop] = ()) -> ForwardLoop:
            return ForwardLoop(run, self.token_ids, pad_id or 0, on, budget, copies)

        others = [loop(device, copy.deepcopy(model).to(device)) for device in self.devices[1:]]
        self.loop = loop(self.where, model, others)

    def encode(self, texts: Sequence[str], limit: int) -> list[TokenIds]:
        """Return token ids with special tokens from a transformers tokenizer, cut to a limit."""
        encoded = self.tokenizer(
            list(texts), truncation=True, max_length=limit, padding=False, return_attention_mask=False
        )
        ids: list[TokenIds] = encoded["input_ids"]
        return ids
