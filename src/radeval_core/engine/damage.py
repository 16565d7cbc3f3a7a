"""Find the damaged file of a checkpoint that does not load."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors import safe_open

from radeval_core.engine.tensors import read_torch_file


def damaged_file(folder: Path) -> str:
    """Return which file of a checkpoint is damaged, and how; empty if each can be read by itself."""
    for pattern, check, what in _CHECKS:
        for file in sorted(folder.glob(pattern)):
            if file.is_file() and not _passes(check, file):
                return f"{file.name} is {'empty' if not file.stat().st_size else f'damaged or not {what}'}"
    return ""


def _passes(check: Callable[[Path], Any], file: Path) -> bool:
    try:
        check(file)
    except Exception:  # damage can make a reader fail in any way
        return False
    return True


def _check_json(file: Path) -> None:
    if not isinstance(json.loads(file.read_bytes()), dict):
        raise ValueError


def _check_tokenizer(file: Path) -> None:
    from tokenizers import Tokenizer

    Tokenizer.from_file(str(file))


def _check_text(file: Path) -> None:
    file.read_bytes().decode("utf-8")


def _check_safetensors(file: Path) -> None:
    with safe_open(file, framework="pt") as tensors:  # compares the header with the size of the file
        tensors.keys()


def _check_torch(file: Path) -> None:
    read_torch_file(file, file.name)


def _check_gguf(file: Path) -> None:
    try:
        from gguf import GGUFReader
    except ImportError:
        return
    GGUFReader(file)


_CHECKS: tuple[tuple[str, Callable[[Path], Any], str], ...] = (
    ("config.json", _check_json, "a JSON object"),
    ("tokenizer_config.json", _check_json, "a JSON object"),
    ("*.index.json", _check_json, "a JSON object"),
    ("tokenizer.json", _check_tokenizer, "a tokenizer"),
    ("vocab.txt", _check_text, "text"),
    ("*.safetensors", _check_safetensors, "a safetensors file"),
    ("*.bin", _check_torch, "written by torch.save"),
    ("*.gguf", _check_gguf, "a GGUF file"),
)
