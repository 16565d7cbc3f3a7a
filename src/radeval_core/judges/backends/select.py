"""From the name a user types to the backend that answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.judges.backends.base import Backend
from radeval_core.scorer import Resources

#: options each kind of backend takes
OPTIONS = {
    "transformers": ("dtype", "gguf_file"),
    "vllm": ("dtype", "tensor_parallel_size"),
    "http": ("concurrency", "timeout", "retries", "price_in", "price_out"),
    "anthropic": ("concurrency", "timeout", "retries", "price_in", "price_out"),
}


def make_backend(wanted: str, resources: Resources, **options: Any) -> Backend:
    """The backend a name stands for.

    Args:
        wanted: `transformers:ID_OR_FOLDER`, `vllm:ID_OR_FOLDER`, `http:MODEL` (server in OPENAI_BASE_URL, key in
            OPENAI_API_KEY), `anthropic:MODEL` (key in ANTHROPIC_API_KEY), or a bare Hub id or folder, which
            transformers runs.
        resources: device, token budget and progress bars of this run.
        options: what `OPTIONS` lists for the kind of backend; None stands for its default.

    Raises:
        InputError: the name, an option or the environment is not what a backend needs.
    """
    kind, model = split_name(wanted)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in OPTIONS[kind]:
            raise unknown_name(f"option of the {kind} backend", name, OPTIONS[kind])
    return _MAKERS[kind](model, resources, given)


def split_name(wanted: str) -> tuple[str, str]:
    """Kind of backend and model."""
    kind, colon, model = wanted.partition(":")
    if not colon or Path(wanted).exists():
        kind, model = "transformers", wanted
    if kind not in OPTIONS:
        raise unknown_name("backend", kind, OPTIONS)
    if not model or model.startswith("//"):
        raise InputError(
            f"{wanted!r} names no model: write {kind}:MODEL"
            + (", and the address of the server in OPENAI_BASE_URL" if kind == "http" else "")
        )
    return kind, model


def _transformers(model: str, resources: Resources, options: dict[str, Any]) -> Backend:
    from radeval_core.judges.backends.transformers_backend import transformers_backend

    return transformers_backend(model, device=resources.device, batch_tokens=resources.batch_tokens, **options)


def _vllm(model: str, resources: Resources, options: dict[str, Any]) -> Backend:
    from radeval_core.judges.backends.vllm_backend import vllm_backend

    return vllm_backend(model, **options)


def _http(model: str, resources: Resources, options: dict[str, Any]) -> Backend:
    from radeval_core.judges.backends.http_backend import openai_backend

    return openai_backend(model, **options)


def _anthropic(model: str, resources: Resources, options: dict[str, Any]) -> Backend:
    from radeval_core.judges.backends.http_backend import anthropic_backend

    return anthropic_backend(model, **options)


_MAKERS: dict[str, Callable[[str, Resources, dict[str, Any]], Backend]] = {
    "transformers": _transformers,
    "vllm": _vllm,
    "http": _http,
    "anthropic": _anthropic,
}
