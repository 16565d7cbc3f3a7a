"""Which device and number format a model runs in, and what running out of memory looks like."""

from __future__ import annotations

import torch

from radeval_core.errors import InputError

#: padded tokens in one batch; small batches keep a CPU's caches warm, large ones fill a GPU
TOKEN_BUDGET = {"cpu": 512, "mps": 16_384, "cuda": 65_536}
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def choose_device(wanted: str | None = None) -> torch.device:
    """The device asked for, or the best one there is."""
    if wanted is None or wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    kind = wanted.partition(":")[0]
    if kind not in TOKEN_BUDGET:
        raise InputError(f"unknown device {wanted!r}: known: auto, {', '.join(TOKEN_BUDGET)}, or cuda:N")
    available = {"cpu": True, "mps": torch.backends.mps.is_available(), "cuda": torch.cuda.is_available()}
    if not available[kind]:
        raise InputError(f"device {wanted!r} is not available on this machine: use --device cpu")
    return torch.device(wanted)


def choose_dtype(name: str) -> torch.dtype:
    """The torch type for `fp32`, `bf16` or `fp16`."""
    if name not in DTYPES:
        raise InputError(f"unknown dtype {name!r}: known: {', '.join(DTYPES)}")
    return DTYPES[name]


def token_budget(device: torch.device, wanted: int | None = None) -> int:
    """The token budget asked for, or the device's default."""
    if wanted is not None and wanted < 1:
        raise InputError(f"the token budget of a batch must be at least 1, got {wanted}")
    return wanted or TOKEN_BUDGET[device.type]


def one_thread() -> None:
    """Let models called from this thread use one core.

    For servers: two threads that wait for each other on a busy machine are many times slower than one.
    """
    torch.set_num_threads(1)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that the batch did not fit, on any device."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)
