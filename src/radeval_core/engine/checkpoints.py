"""Loads transformers checkpoints from the Hub or a folder and identifies exactly which weights were loaded."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers

from radeval_core.engine.claims import check_claim, load_config
from radeval_core.engine.damage import damaged_file
from radeval_core.engine.files import content_hash, local_first
from radeval_core.errors import CheckpointError, RadevalError, is_out_of_memory, process_name

#: files that can change what a model computes
_WEIGHTS_AND_RULES = ("*.safetensors", "*.bin", "*.pth", "*.json", "*.txt", "*.model")
#: the record of the training in a folder of `radeval train`: another time of day is not another model
_RECORD = "run.json"
#: heads that no annotator uses; published encoders often lack them
_UNUSED_HEADS = ("pooler.",)


def load_encoder(
    source: str,
    layers: int | None,
    dtype: torch.dtype,
    name: str,
    auto: Any = transformers.AutoModel,
    exact: bool = False,
) -> tuple[Any, Any, str]:
    """Load an encoder with its tokenizer: see `load_model`.

    Returns:
        The model in eval mode, its tokenizer, and `name@revision`.
    """
    with loading(source):
        load_config(source)  # before the tokenizer, which reads the config too: its claims may fill the memory
        tokenizer = pretrained(transformers.AutoTokenizer, source)
    model, identified = load_model(source, layers, dtype, name, auto, exact)
    return model, tokenizer, identified


def load_model(
    source: str, layers: int | None, dtype: torch.dtype, name: str, auto: Any, exact: bool = False
) -> tuple[Any, str]:
    """Load an encoder whose tokenizer is elsewhere.

    Args:
        source: Hub id or folder in the published layout.
        layers: number of layers to keep, from the first; None keeps all.
        dtype: number format of the weights.
        name: the name in signatures; only the last part of a path is used.
        auto: transformers' auto class for this kind of model, including its head.
        exact: reject tensors the model does not need. False by default, as encoders are often parts of larger models.

    Returns:
        The model in eval mode, and `name@revision`.
    """
    with loading(source):
        config = load_config(source)
        depth = config.num_hidden_layers
        if layers is not None:
            if not 1 <= layers <= depth:
                raise CheckpointError(f"{name} has layers 1 to {depth}: layer {layers} does not exist")
            config.num_hidden_layers = layers
        check_claim(lambda: auto.from_config(config, trust_remote_code=False), source)
        model, report = pretrained(auto, source, config=config, dtype=dtype, output_loading_info=True)
    missing = [key for key in report["missing_keys"] if not key.startswith(_UNUSED_HEADS)]
    if missing:
        raise CheckpointError(
            f"{source} lacks {len(missing)} tensors the model needs, the first is {sorted(missing)[0]!r}: "
            "the checkpoint is incomplete or has another architecture"
        )
    surplus = sorted(key for key in report["unexpected_keys"] if not key.startswith(_UNUSED_HEADS))
    if exact and surplus:
        raise CheckpointError(
            f"{source} has {len(surplus)} extra tensors, the first is {surplus[0]!r}: "
            "the checkpoint has another architecture"
        )
    if report["mismatched_keys"]:
        raise CheckpointError(f"{source}: tensor {sorted(report['mismatched_keys'])[0]} has the wrong shape")
    model.eval()
    return model, identity(source, config, name)


def identity(source: str, config: Any, name: str) -> str:
    """Return `name@revision`: the revision is the Hub commit, or for a folder a hash of its files."""
    folder = Path(source)
    if folder.is_dir():
        shown = folder.resolve().name if name == source else name
        files = [f for pattern in _WEIGHTS_AND_RULES for f in folder.resolve().glob(pattern) if f.is_file()]
        files = [f for f in files if f.name != _RECORD]
        return f"{shown}@{content_hash(files)}"
    commit = getattr(config, "_commit_hash", None)
    return f"{name}@{commit[:8] if commit else 'unknown'}"


def pretrained(auto: Any, source: str, **kwargs: Any) -> Any:
    """Load with one of transformers' auto classes, from local files if possible. Code of a checkpoint is never run."""
    return local_first(auto.from_pretrained, source, trust_remote_code=False, **kwargs)


@contextmanager
def loading(source: str) -> Iterator[None]:
    """Turn whatever goes wrong while a checkpoint is loaded into one line that says what to do."""
    try:
        with QuietTransformers():
            yield
    except RadevalError:
        raise
    except Exception as error:  # a damaged file can make the loaders fail in any way
        raise load_failure(source, error) from error


def load_failure(source: str, error: Exception) -> RadevalError:
    """Return the error for a checkpoint that does not load: it is unusable, or there is no memory for it."""
    if is_out_of_memory(error):
        return RadevalError(
            f"out of memory in {process_name()} while {source} was loaded: use a smaller checkpoint, fewer processes, "
            "or a machine with more memory"
        )
    return CheckpointError(cannot_load(source, error))


def cannot_load(source: str, error: Exception) -> str:
    """Return a message that says why a checkpoint does not load and what to type."""
    if "trust_remote_code" in str(error):
        return (
            f"{source} needs Python code that comes with the checkpoint ('auto_map' in its config.json), and such code "
            "is never run: choose a checkpoint of an architecture that transformers contains"
        )
    if Path(source).is_dir():
        damaged = damaged_file(Path(source))
        reason = damaged or (str(error).strip().splitlines() or [type(error).__name__])[0]
        return f"cannot load a checkpoint from folder {source!r}: {reason}"
    return (
        f"cannot load checkpoint {source!r}: it is not in the local Hub cache and cannot be downloaded. "
        f"On a connected machine type `hf download {source}`, or name a local folder instead"
    )


class QuietTransformers:
    """Hides transformers' load report; `load_encoder` checks it and raises errors instead."""

    def __enter__(self) -> None:
        self._level = transformers.utils.logging.get_verbosity()
        transformers.utils.logging.set_verbosity(logging.ERROR)
        self._bar = transformers.utils.logging.is_progress_bar_enabled()
        transformers.utils.logging.disable_progress_bar()

    def __exit__(self, *_: object) -> None:
        transformers.utils.logging.set_verbosity(self._level)
        if self._bar:
            transformers.utils.logging.enable_progress_bar()
