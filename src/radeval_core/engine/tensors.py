"""Weights from published files into modules, with every tensor accounted for. Pickled code is never run."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import torch

from radeval_core.errors import CheckpointError


def read_torch_file(file: Path | BinaryIO, where: str) -> Any:
    """What `torch.save` wrote, if it holds nothing but tensors and plain values.

    Args:
        file: path, or the file's contents.
        where: what messages call it.
    """
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise CheckpointError(f"{where} is damaged, or holds more than tensors and is not loaded") from error
    except (RuntimeError, EOFError, OSError, KeyError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{where} is damaged or was not written by torch.save") from error


def fill(
    module: torch.nn.Module, tensors: Mapping[str, Any], where: str, prefix: str = "", unused: tuple[str, ...] = ()
) -> None:
    """Put tensors into a module, one for every parameter, none left over.

    Args:
        module: what to fill.
        tensors: tensors by their names in the file.
        where: the file, for messages.
        prefix: what stands before the module's own names in the file.
        unused: beginnings of names (after the prefix) that the file may hold and the module does not need.
    """
    expected = module.state_dict()
    given = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
    missing = sorted(set(expected) - set(given))
    if missing:
        raise CheckpointError(f"{where} lacks {_count(missing)}, the first is {prefix + missing[0]!r}")
    surplus = sorted(name for name in set(given) - set(expected) if not name.startswith(unused))
    if surplus:
        raise CheckpointError(f"{where} has {_count(surplus)} too many, the first is {prefix + surplus[0]!r}")
    for name, parameter in expected.items():
        tensor = given[name]
        if not isinstance(tensor, torch.Tensor) or tensor.shape != parameter.shape:
            shape = list(tensor.shape) if isinstance(tensor, torch.Tensor) else type(tensor).__name__
            raise CheckpointError(
                f"{where}: {prefix + name!r} must have shape {list(parameter.shape)}, but it has {shape}"
            )
    module.load_state_dict({name: given[name] for name in expected})


def _count(names: list[str]) -> str:
    return "1 tensor" if len(names) == 1 else f"{len(names)} tensors"
