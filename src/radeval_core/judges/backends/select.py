"""Choose the backend for the name a user types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.judges.backends.base import Backend

#: options each kind of backend takes
OPTIONS = {
    "transformers": ("dtype", "gguf_file"),
    "vllm": ("dtype", "tensor_parallel_size"),
    "http": ("concurrency", "timeout", "retries", "deadline", "price_in", "price_out"),
    "anthropic": ("concurrency", "timeout", "retries", "deadline", "price_in", "price_out"),
    "ray-vllm": ("dtype", "tensor_parallel_size", "concurrency"),
    "ray-http": ("concurrency", "timeout", "retries"),
}


def make_backend(wanted: str, device: str | None = None, batch_tokens: int | None = None, **options: Any) -> Backend:
    """Return the backend for a name.

    Args:
        wanted: `transformers:ID_OR_FOLDER`, `vllm:ID_OR_FOLDER`, `http:MODEL` (server in OPENAI_BASE_URL, key in
            OPENAI_API_KEY), `anthropic:MODEL` (key in ANTHROPIC_API_KEY), `ray-vllm:` and `ray-http:` for the same
            on the Ray cluster in RAY_ADDRESS, or a Hub id or folder alone, which runs with transformers.
        device: `cuda`, `mps` or `cpu`, for a model on this machine; the best one by default.
        batch_tokens: token budget of a batch, for a model on this machine.
        options: options of the backend, listed in `OPTIONS`; None means the default.

    Raises:
        InputError: the name, an option or the environment does not fit the backend.
    """
    kind, model = split_name(wanted)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in OPTIONS[kind]:
            raise InputError(f"{kind}: models have no option {name}; they take {', '.join(OPTIONS[kind])}")
    if kind == "transformers":
        from radeval_core.judges.backends.transformers_backend import transformers_backend

        return transformers_backend(model, device=device, batch_tokens=batch_tokens, **given)
    if kind == "vllm":
        from radeval_core.judges.backends.vllm_backend import vllm_backend

        return vllm_backend(model, **given)
    if kind.startswith("ray-"):
        from radeval_core.judges.backends.ray_llm import ray_http_backend, ray_vllm_backend

        return ray_http_backend(model, **given) if kind == "ray-http" else ray_vllm_backend(model, **given)
    from radeval_core.judges.backends.http_backend import anthropic_backend, openai_backend

    return (openai_backend if kind == "http" else anthropic_backend)(model, **given)


def split_name(wanted: str) -> tuple[str, str]:
    """Return the kind of backend and the model."""
    kind, colon, model = wanted.partition(":")
    if not colon or Path(wanted).exists():
        kind, model = "transformers", wanted
    if kind not in OPTIONS:
        raise unknown_name("backend", kind, OPTIONS)
    if not model or model.startswith("//"):
        raise InputError(
            f"{wanted!r} contains no model name: write {kind}:MODEL"
            + (", and set OPENAI_BASE_URL to the address of the server" if kind == "http" else "")
        )
    return kind, model
