"""Find the config of a metric that a user asks for."""

from __future__ import annotations

from pathlib import Path

from radeval_core.errors import InputError, unknown_name
from radeval_core.metrics.spec import Config, MetricSpec


def resolve_config(spec: MetricSpec, wanted: str | None) -> tuple[Config, str | None]:
    """Return the config a user asked for, and the checkpoint (Hub id or folder) if they named one instead.

    A name is looked up first; then a backend with a model (`http:gpt-4o`), if the metric has backends; then, if the
    metric takes checkpoints, an existing folder or an `org/name` id. Nothing else is guessed: a mistyped name is
    an error, never another config.
    """
    if wanted in (None, "", "default"):
        return spec.default_config, None
    assert wanted is not None
    for config in spec.configs:
        if config.name == wanted:
            return config, None
    backend, _, model = wanted.partition(":")
    if backend in spec.backends:
        if not model:
            raise InputError(f"config {wanted!r} of {spec.name} names no model: write {backend}:MODEL")
        return Config("custom", f"a model named by the user, on {backend}", extra=spec.configs[-1].extra), wanted
    if spec.takes_checkpoint and (Path(wanted).is_dir() or _looks_like_hub_id(wanted)):
        return checkpoint_config(spec, wanted), wanted
    error = unknown_name(f"config of {spec.name}", wanted, [c.name for c in spec.configs])
    if spec.takes_checkpoint:
        error.args = (f"{error.args[0]}, a Hub id such as 'org/model', or an existing folder",)
    if spec.backends:
        error.args = (f"{error.args[0]}, or {', '.join(f'{b}:MODEL' for b in spec.backends)}",)
    raise error


def checkpoint_config(spec: MetricSpec, checkpoint: str) -> Config:
    """Return the config of a checkpoint the user named as such."""
    if checkpoint.startswith((".", "/", "~")) and not Path(checkpoint).is_dir():
        raise InputError(f"checkpoint of {spec.name}: no such folder: {checkpoint}")
    return Config("custom", "a checkpoint named by the user", checkpoint, spec.configs[-1].extra)


def _looks_like_hub_id(text: str) -> bool:
    org, _, name = text.partition("/")
    return bool(org) and bool(name) and "/" not in name and not text.startswith((".", "~"))
