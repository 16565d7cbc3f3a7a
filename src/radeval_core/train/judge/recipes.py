"""The settings of a judge's fine-tuning: those of the papers as named recipes, each value with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from radeval_core.errors import InputError, unknown_name

#: layers of a Llama-like model that get an adapter, as in the script of the CRIMSON authors
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
#: smallest value of each setting that is allowed
_LEAST = {"epochs": 1, "total_batch": 1, "batch": 1, "max_tokens": 2, "lora_r": 1, "lora_alpha": 1}
_POSITIVE = ("learning_rate",)
_SHARES = ("warmup", "lora_dropout")


@dataclass(frozen=True)
class Recipe:
    """How a judge is fine-tuned.

    Attributes:
        full: train all weights; else a low-rank adapter (LoRA).
        learning_rate: largest learning rate.
        epochs: how often each row is seen.
        total_batch: rows per optimiser step, on all devices together.
        batch: rows per device and forward pass.
        warmup: share of the steps in which the learning rate grows.
        weight_decay: of AdamW.
        schedule: how the learning rate falls after that: cosine, linear or constant_with_warmup.
        max_tokens: most tokens of a question and its answer.
        checkpointing: compute activations again instead of keeping them, to save memory.
        lora_r: rank of the adapter.
        lora_alpha: scale of the adapter.
        lora_dropout: share of the adapter's inputs that are left out.
    """

    full: bool
    learning_rate: float
    epochs: int
    total_batch: int
    batch: int
    warmup: float
    weight_decay: float
    schedule: str
    max_tokens: int
    checkpointing: bool
    lora_r: int
    lora_alpha: int
    lora_dropout: float

    def accumulate(self, processes: int = 1) -> int:
        """Return the number of forward passes per optimiser step."""
        return max(1, round(self.total_batch / (self.batch * processes)))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings that count: those of the adapter only if there is one."""
        return {name: value for name, value in asdict(self).items() if not (self.full and name.startswith("lora_"))}


def recipe_names() -> tuple[str, ...]:
    """Return the names of all recipes."""
    return tuple(_recipes())


def recipe_source(name: str) -> str:
    """Return where the values of a recipe come from."""
    return str(_recipes()[name]["source"])


def recipe_metric(name: str) -> str:
    """Return the metric a recipe was published for, or `any`."""
    return str(_recipes()[name]["metric"])


def get_recipe(name: str, given: Mapping[str, Any] | None = None) -> Recipe:
    """Return a recipe with the values a user gave; None keeps the recipe's value.

    Raises:
        InputError: there is no such recipe, or a value is not possible.
    """
    if name not in _recipes():
        raise unknown_name("recipe", name, _recipes())
    names = {field.name for field in fields(Recipe)}
    recipe = Recipe(**{key: value for key, value in _recipes()[name].items() if key in names})
    recipe = replace(recipe, **{key: value for key, value in (given or {}).items() if value is not None})
    for key, least in _LEAST.items():
        _check(key, getattr(recipe, key), getattr(recipe, key) >= least, f"at least {least}")
    for key in _POSITIVE:
        _check(key, getattr(recipe, key), getattr(recipe, key) > 0, "greater than 0")
    for key in _SHARES:
        _check(key, getattr(recipe, key), 0 <= getattr(recipe, key) < 1, "between 0 and 1")
    if recipe.total_batch < recipe.batch:
        raise InputError(
            f"--total-batch {recipe.total_batch} is smaller than --batch {recipe.batch}: a step has at least one pass"
        )
    return recipe


def _check(name: str, value: float, fits: bool, wanted: str) -> None:
    if not fits:
        raise InputError(f"--{name.replace('_', '-')} must be {wanted}, got {value}")


@cache
def _recipes() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(
        resources.files("radeval_core.train.judge").joinpath("recipes.yaml").read_text("utf-8")
    )
    return found
