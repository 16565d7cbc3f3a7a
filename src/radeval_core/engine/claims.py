"""Refuse a config that claims a far larger model than its weights can hold, before any memory is taken.

A config.json of 200 bytes can claim any number of layers of any width, and loaders make room for the claim first. So
the model is built once on torch's meta device, where tensors have a shape but no memory, and its numbers are counted
while it grows.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from huggingface_hub import hf_hub_download
from torch.nn.modules import module as torch_modules
from transformers.initialization import no_init_weights

from radeval_core.engine.files import is_folder, local_first
from radeval_core.errors import CheckpointError

#: numbers per byte of weights: four in the densest quantisation, and twice that because tied weights are stored once
_NUMBERS_PER_BYTE = 8
#: numbers that every model may have, such as masks and positions that are not stored
_ALWAYS = 1 << 25
#: bytes that one tensor takes at least in a file, with its name
_BYTES_PER_TENSOR = 32
#: tensors that every model may have
_FEW_TENSORS = 1000
#: no published model has as many layers, labels or experts; configs make lists of that length when they are read
_MOST = 100_000
_COUNTED = ("layer", "label", "depth", "block", "stage", "expert")
_WEIGHTS = ("*.safetensors", "*.bin", "*.pth", "*.gguf")


def load_config(source: str, **options: Any) -> Any:
    """Read the config of a checkpoint, from local files if possible, after a look at the counts that it claims.

    Args:
        source: Hub id or folder.
        options: further arguments of transformers' `AutoConfig.from_pretrained`.
    """
    if not options.get("gguf_file") and (not is_folder(source) or Path(source, "config.json").is_file()):
        file = _config_file(source)
        try:
            claims = json.loads(file.read_bytes())
        except (ValueError, RecursionError):
            claims = None  # the loader reports the damage
        for name, count in _counts(claims):
            if count > _MOST:
                raise CheckpointError(f"{file}: {name} is {count:.3g}, more than any model has: it was not loaded")
    return local_first(transformers.AutoConfig.from_pretrained, source, trust_remote_code=False, **options)


def _config_file(source: str) -> Path:
    if is_folder(source):
        return Path(source, "config.json")
    return Path(local_first(hf_hub_download, source, filename="config.json"))


def _counts(claims: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Return the numbers in a config whose names say that they count something, with their names."""
    if isinstance(claims, dict):
        for key, value in claims.items():
            yield from _counts(value, str(key))
    elif isinstance(claims, list):
        for value in claims:
            yield from _counts(value, name)
    elif isinstance(claims, int | float) and any(word in name for word in _COUNTED) and not name.endswith("_id"):
        yield name, claims


def check_claim(build: Callable[[], Any], source: str, weights: int | None = None) -> None:
    """Refuse a config that claims more numbers than its weights, or without any this machine's memory, can hold.

    Args:
        build: builds the model from its config.
        source: where the config is: Hub id or folder.
        weights: size of the weights in bytes; found in the source if not given.
    """
    size = weights if weights is not None else weight_bytes(source)
    numbers = _NUMBERS_PER_BYTE * size + _ALWAYS if size else _machine_memory()
    tensors = min(_MOST, size // _BYTES_PER_TENSOR + _FEW_TENSORS) if size else _MOST
    held = f"its weights ({size:,} bytes)" if size else "the memory of this machine"
    where = Path(source, "config.json") if is_folder(source) else f"{source}: config.json"
    claim = _Claim(numbers, tensors, f"{where} claims a model that is too large for {held}: it was not loaded")
    with claim.counted(), torch.device("meta"), no_init_weights():
        build()


def weight_bytes(source: str) -> int:
    """Return the size of a checkpoint's weights on this machine; 0 if there are none yet."""
    folder = Path(source)
    if not folder.is_dir():
        try:
            folder = _config_file(source).parent
        except (OSError, ValueError):  # not on the Hub either: the loader says what is missing
            return 0
    return sum(file.stat().st_size for pattern in _WEIGHTS for file in folder.glob(pattern) if file.is_file())


def _machine_memory() -> int:
    """Return the memory of this machine in bytes; a terabyte if the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 40


class _Claim:
    """Counts tensors and their numbers while a model is built in this thread.

    Args:
        numbers: most numbers.
        tensors: most tensors.
        refusal: what to say if there are more.
    """

    def __init__(self, numbers: int, tensors: int, refusal: str) -> None:
        self._numbers, self._tensors, self._refusal = numbers, tensors, refusal
        self._thread = threading.get_ident()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count everything that is registered with a module."""
        hooks = [
            torch_modules.register_module_parameter_registration_hook(self._count),
            torch_modules.register_module_buffer_registration_hook(self._count),
        ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _count(self, module: Any, name: str, tensor: torch.Tensor | None) -> None:
        if tensor is None or threading.get_ident() != self._thread:  # torch calls hooks for the modules of all threads
            return
        self._numbers -= tensor.numel()
        self._tensors -= 1
        if self._numbers < 0 or self._tensors < 0:
            raise CheckpointError(self._refusal)
