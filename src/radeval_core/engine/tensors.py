"""Loads published weights into modules and accounts for every tensor. Never runs pickled code."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import torch

from radeval_core.errors import CheckpointError


def read_torch_file(file: Path | BinaryIO, where: str) -> Any:
    """Read a file written by `torch.save`, if it contains only tensors and plain values.

    Args:
        file: path, or the file's contents.
        where: the file's name in messages.
    """
    check_size(file, where)
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise CheckpointError(f"{where} was not loaded: it is damaged or contains more than tensors") from error
    except Exception as error:  # damage can make the reader fail in any way
        raise CheckpointError(f"{where} is damaged or was not written by torch.save") from error


def check_size(file: Path | BinaryIO, where: str) -> None:
    """Refuse a file that would unpack to far more than its size: torch.save does not compress."""
    try:
        with zipfile.ZipFile(file) as members:
            claimed = sum(member.file_size for member in members.infolist())
            packed = sum(member.compress_size for member in members.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError):
        claimed = packed = 0  # the older format, or damage, which the reader reports
    if not isinstance(file, Path):
        file.seek(0)
    if claimed > packed:
        raise CheckpointError(f"{where} is compressed inside, as torch.save never does: it was not loaded")


def fill(
    module: torch.nn.Module, tensors: Mapping[str, Any], where: str, prefix: str = "", unused: tuple[str, ...] = ()
) -> None:
    """Load tensors into a module: exactly one for every parameter.

    Args:
        module: the module to fill.
        tensors: tensors by their names in the file.
        where: the file's name in messages.
        prefix: what precedes the module's parameter names in the file.
        unused: beginnings of names (after the prefix) that the file may contain and the module does not need.
    """
    expected = module.state_dict()
    given = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
    missing = sorted(set(expected) - set(given))
    if missing:
        raise CheckpointError(f"{where} lacks {_count(missing)}, the first is {prefix + missing[0]!r}")
    surplus = sorted(name for name in set(given) - set(expected) if not name.startswith(unused))
    if surplus:
        raise CheckpointError(f"{where} has {_count(surplus, 'extra ')}, the first is {prefix + surplus[0]!r}")
    for name, parameter in expected.items():
        tensor = given[name]
        if not isinstance(tensor, torch.Tensor) or tensor.shape != parameter.shape:
            shape = list(tensor.shape) if isinstance(tensor, torch.Tensor) else type(tensor).__name__
            raise CheckpointError(f"{where}: {prefix + name!r} must have shape {list(parameter.shape)}, got {shape}")
    module.load_state_dict({name: given[name] for name in expected})


def _count(names: list[str], kind: str = "") -> str:
    return f"1 {kind}tensor" if len(names) == 1 else f"{len(names)} {kind}tensors"
