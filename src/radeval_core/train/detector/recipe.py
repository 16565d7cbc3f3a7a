"""The hyper-parameters of a run: those of a named recipe, with the user's own values in their place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from radeval_core.errors import InputError, unknown_name


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters.

    Attributes:
        about: what the recipe is for.
        learning_rate: highest learning rate.
        backbone_rate: learning rate of the backbone as a share of the others'.
        weight_decay: of AdamW.
        batch: films per step and device.
        epochs: number of times each film is used.
        clip: largest norm of the gradients.
        schedule: how the rate falls, by transformers' names.
        warmup: number of steps in which the rate rises.
        accumulate: number of batches per step.
    """

    about: str
    learning_rate: float
    backbone_rate: float
    weight_decay: float
    batch: int
    epochs: float
    clip: float
    schedule: str
    warmup: int
    accumulate: int = 1

    def with_values(self, **values: Any) -> Recipe:
        """Return the recipe with the given values that are not None.

        Raises:
            InputError: a value is not above 0.
        """
        given = {name: value for name, value in values.items() if value is not None}
        for name, value in given.items():
            if not value > 0:
                raise InputError(f"--{name.replace('_', '-')} must be above 0, got {value:g}")
        return replace(self, **given)


@cache
def recipes() -> dict[str, Recipe]:
    """Return the recipes by name."""
    text = resources.files("radeval_core.train.detector").joinpath("recipes.yaml").read_text("utf-8")
    return {name: Recipe(**values) for name, values in yaml.safe_load(text).items()}


def get_recipe(name: str) -> Recipe:
    """Return a recipe; raise an error that lists the names if there is none."""
    if name not in recipes():
        raise unknown_name("recipe", name, recipes())
    return recipes()[name]
