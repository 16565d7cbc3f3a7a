"""The encoders and hyper-parameters of `recipes.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from radeval_core.errors import InputError, unknown_name

SCHEMES = ("iob", "span")


@dataclass(frozen=True)
class Recipe:
    """How a reader is trained.

    Attributes:
        learning_rate: at the end of the warm-up; it falls to 0 from there.
        epochs: passes over the training split.
        batch: sentences per step.
        warmup: share of the steps in which the learning rate rises.
        max_width: words in the widest span (span scheme).
        width_size: size of the embedding of a width (span scheme).
        head_width: size of the hidden layers of the classifier (span scheme).
    """

    learning_rate: float
    epochs: float
    batch: int
    warmup: float
    max_width: int = 8
    width_size: int = 150
    head_width: int = 3096


@dataclass(frozen=True)
class Base:
    """An encoder to start from.

    Attributes:
        name: what the user typed.
        id: Hub id or folder, `embedded`, or empty for a new model.
        paper: its name in table 6 of the paper; empty if it is not there.
        scheme: the scheme that the paper uses it in.
        licence: licence of its weights; `other` if not known.
        recipe: settings that differ from those of the paper.
        new: sizes of a new model.
    """

    name: str
    id: str
    paper: str = ""
    scheme: str = "iob"
    licence: str = "other"
    recipe: Mapping[str, Any] = field(default_factory=dict)
    new: Mapping[str, int] = field(default_factory=dict)


@cache
def _file() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(
        files(__package__).joinpath("recipes.yaml").read_text(encoding="utf-8")
    )
    return loaded


def base_names() -> list[str]:
    """Return the names of the bases."""
    return list(_file()["bases"])


def get_base(name: str) -> Base:
    """Return a base by its name in `recipes.yaml`, or for a Hub id or folder."""
    known = _file()["bases"].get(name)
    if known:
        return Base(name, known.get("id", ""), **{k: v for k, v in known.items() if k not in ("id", "why")})
    if Path(name).is_dir() or ("/" in name and not name.startswith((".", "/", "~"))):
        paper = next((get_base(n) for n, entry in _file()["bases"].items() if entry.get("id") == name), None)
        return replace(paper, name=name) if paper else Base(name, name)
    error = unknown_name("base", name, base_names())
    error.args = (f"{error.args[0]}, a Hub id such as 'org/model', or an existing folder",)
    raise error


def get_recipe(scheme: str, base: Base, **changes: Any) -> Recipe:
    """Return the settings of a scheme, with those of a base and the user's own; None leaves a setting as it is."""
    if scheme not in SCHEMES:
        raise unknown_name("scheme", scheme, SCHEMES)
    given = {name: value for name, value in changes.items() if value is not None}
    for name, value in given.items():
        if value <= 0 and name != "warmup":
            raise InputError(f"--{name.replace('_', '-')} must be larger than 0, got {value:g}")
    return Recipe(**{**_file()["schemes"][scheme], **base.recipe, **given})
