"""The model that a judge is trained from: its size and tokenizer before its weights are loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from radeval_core.engine.checkpoints import loading
from radeval_core.judges.backends.prompts import PromptMaker
from radeval_core.judges.backends.transformers_backend import (
    context_length,
    find_gguf,
    load_causal_lm,
    open_causal_lm,
)
from radeval_core.train.judge.recipes import TARGETS, Recipe
from radeval_core.train.plan import ModelSize


@dataclass(frozen=True)
class BaseModel:
    """A causal language model.

    Attributes:
        source: Hub id or folder.
        name: `name@revision`.
        maker: renders questions for it.
        skeleton: the model without its weights.
    """

    source: str
    name: str
    maker: PromptMaker
    skeleton: Any

    @property
    def shown_name(self) -> str:
        """Return the Hub id, or the last part of a folder's name: no path of this machine belongs into a card."""
        return Path(self.source).resolve().name if Path(self.source).exists() else self.source

    def targets(self) -> list[str] | str:
        """Return the layers that get an adapter: those of a Llama-like model, or all linear layers."""
        found = {name.rpartition(".")[2] for name, _ in self._linear_layers()}
        return [name for name in TARGETS if name in found] or "all-linear"

    def size(self, recipe: Recipe, weight_bytes: int) -> ModelSize:
        """Return the size of the model and of what is trained of it."""
        config = self.skeleton.config.get_text_config()
        count = sum(parameter.numel() for parameter in self.skeleton.parameters())
        return ModelSize(
            parameters=count,
            trained=count if recipe.full else self._adapter_size(recipe.lora_r),
            layers=int(config.num_hidden_layers),
            hidden=int(config.hidden_size),
            weight_bytes=weight_bytes,
        )

    def load(self, dtype: torch.dtype) -> Any:
        """Return the model with its weights."""
        return load_causal_lm(self.source, dtype, None)[0]

    def _adapter_size(self, rank: int) -> int:
        targets = self.targets()
        return sum(
            rank * (layer.in_features + layer.out_features)
            for name, layer in self._linear_layers()
            if targets == "all-linear" or name.rpartition(".")[2] in targets
        )

    def _linear_layers(self) -> list[tuple[str, torch.nn.Linear]]:
        output = self.skeleton.get_output_embeddings()
        modules = self.skeleton.named_modules()
        return [(name, m) for name, m in modules if isinstance(m, torch.nn.Linear) and m is not output]


def open_base(source: str) -> BaseModel:
    """Open a model without loading its weights.

    Raises:
        CheckpointError: it cannot be read or downloaded.
    """
    folder, options = find_gguf(source)
    config, tokenizer, name = open_causal_lm(folder, **options)
    with loading(source), torch.device("meta"):
        skeleton = transformers.AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    shown = name.partition("@")[0]
    return BaseModel(source, name, PromptMaker(tokenizer, context_length(skeleton), shown), skeleton)
