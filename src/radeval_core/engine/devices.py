"""Chooses the device and number format of a model."""

from __future__ import annotations

import os

import torch

from radeval_core.engine.processes import launched_count
from radeval_core.errors import InputError

#: padded tokens per batch: small batches fit a CPU's caches, large ones fill a GPU
TOKEN_BUDGET = {"cpu": 512, "mps": 16_384, "cuda": 65_536}
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def choose_device(wanted: str | None = None) -> torch.device:
    """Return the requested device, or by default the best one available."""
    if wanted is None or wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    kind = wanted.partition(":")[0]
    if kind not in TOKEN_BUDGET:
        raise InputError(f"unknown device {wanted!r}: available: auto, {', '.join(TOKEN_BUDGET)}, or cuda:N")
    available = {"cpu": True, "mps": torch.backends.mps.is_available(), "cuda": torch.cuda.is_available()}
    if not available[kind]:
        raise InputError(f"device {wanted!r} is not available on this machine: use --device cpu")
    return torch.device(wanted)


def model_devices(wanted: str | None = None) -> list[torch.device]:
    """Return the devices that get a copy of a model: all GPUs, unless one is given or each process has its own."""
    device = choose_device(wanted)
    if device.type != "cuda" or device.index is not None:
        return [device]
    if launched_count() > 1:
        return [torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))]
    return [torch.device("cuda", i) for i in range(torch.cuda.device_count())]


def choose_dtype(name: str) -> torch.dtype:
    """Return the torch type for `fp32`, `bf16` or `fp16`."""
    if name not in DTYPES:
        raise InputError(f"unknown dtype {name!r}: available: {', '.join(DTYPES)}")
    return DTYPES[name]


def token_budget(device: torch.device, wanted: int | None = None) -> int:
    """Return the requested token budget, or the device's default."""
    if wanted is not None and wanted < 1:
        raise InputError(f"the token budget of a batch must be at least 1, got {wanted}")
    return wanted or TOKEN_BUDGET[device.type]


def one_thread() -> None:
    """Make models called from this thread use one core.

    Use it in servers: on a busy machine, two threads that wait for each other are many times slower than one.
    """
    torch.set_num_threads(1)


def _after_fork() -> None:
    """Let a forked process use one core: the threads of the model's library do not exist there, and it waits for them.

    `multiprocessing` on Linux and `datasets.map(num_proc=…)` fork. Without this, a model that ran once in the parent
    never answers in the child.
    """
    torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, which starts every process anew
    os.register_at_fork(after_in_child=_after_fork)
