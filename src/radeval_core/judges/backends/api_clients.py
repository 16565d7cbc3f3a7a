"""Send a question to an OpenAI-compatible server or to Anthropic's API, through their official clients."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection
from typing import Any, Protocol

from radeval_core.errors import InputError, needs_extra
from radeval_core.judges.backends.base import Answer, Request
from radeval_core.judges.backends.http_limits import HEADERS, limited_client
from radeval_core.judges.backends.server_address import checked_address
from radeval_core.judges.backends.server_answers import anthropic_answer, openai_answer

_OPENAI = "https://api.openai.com/v1"
_ANTHROPIC = "https://api.anthropic.com"
#: sent to every server so that the same question gets the same answer; a server may refuse these parameters
_TEMPERATURE, _SEED = 0, 0


class Dialect(Protocol):
    """One kind of API.

    Attributes:
        kind: name of the backend.
        optional: parameters that a server may refuse, in the order in which they are dropped.
        key: the API key, or None. Only the client and `HttpBackend`'s redaction see it.
        address: URL of the server.
    """

    kind: str
    optional: tuple[str, ...]
    key: str | None
    address: str

    def client(self, timeout: float) -> Any:
        """Return a new asynchronous client that does not retry and follows no redirect."""

    async def ask(self, client: Any, request: Request, without: Collection[str]) -> Answer:
        """Ask one question, without some optional parameters."""


class OpenAIDialect:
    """Client for chat completions: OpenAI, vLLM, llama.cpp, `transformers serve` and most vendors.

    Args:
        model: the model's name on the server.
    """

    kind = "http"
    optional: tuple[str, ...] = ("response_format", "seed", "temperature", "max_tokens")

    def __init__(self, model: str) -> None:
        self.model = model
        self.key = os.environ.get("OPENAI_API_KEY") or None
        address = os.environ.get("OPENAI_BASE_URL") or None
        if self.key is None and address is None:
            raise InputError(
                "an OpenAI-compatible model needs its key in the environment variable OPENAI_API_KEY; for a server "
                "without a key, set OPENAI_BASE_URL to its address (such as http://localhost:8000/v1)"
            )
        self.address = checked_address("OPENAI_BASE_URL", address or _OPENAI)

    def client(self, timeout: float) -> Any:
        try:
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient
        except ImportError as error:
            raise needs_extra("judges", "an OpenAI-compatible model") from error
        _no_report_text_in_logs("openai")
        http = limited_client(DefaultAsyncHttpxClient, timeout)
        return AsyncOpenAI(
            api_key=self.key or "none", base_url=self.address, timeout=timeout, max_retries=0, http_client=http,
            default_headers=HEADERS,
        )  # fmt: skip

    async def ask(self, client: Any, request: Request, without: Collection[str]) -> Answer:
        response = await client.chat.completions.with_raw_response.create(**self.parameters(request, without))
        return openai_answer(response.http_response.content)

    def parameters(self, request: Request, without: Collection[str]) -> dict[str, Any]:
        """Return the parameters of a question, without some optional ones."""
        parameters: dict[str, Any] = {"temperature": _TEMPERATURE, "seed": _SEED}
        # the newest models accept only max_completion_tokens, most servers only max_tokens
        parameters["max_completion_tokens" if "max_tokens" in without else "max_tokens"] = request.max_tokens
        if request.schema is not None:
            schema = {"name": "answer", "schema": request.schema, "strict": True}
            parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        kept = {name: value for name, value in parameters.items() if name not in without}
        return {"model": self.model, "messages": messages, **kept}


class AnthropicDialect:
    """Client for Anthropic's messages API.

    Args:
        model: the model's name in the API.
    """

    kind = "anthropic"
    optional: tuple[str, ...] = ("output_config", "temperature")

    def __init__(self, model: str) -> None:
        self.model = model
        self.key = os.environ.get("ANTHROPIC_API_KEY") or None
        if self.key is None:
            raise InputError("an Anthropic model needs its key in the environment variable ANTHROPIC_API_KEY")
        self.address = checked_address("ANTHROPIC_BASE_URL", os.environ.get("ANTHROPIC_BASE_URL") or _ANTHROPIC)

    def client(self, timeout: float) -> Any:
        try:
            from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
        except ImportError as error:
            raise needs_extra("judges", "an Anthropic model") from error
        _no_report_text_in_logs("anthropic")
        http = limited_client(DefaultAsyncHttpxClient, timeout)
        return AsyncAnthropic(
            api_key=self.key, base_url=self.address, timeout=timeout, max_retries=0, http_client=http,
            default_headers=HEADERS,
        )  # fmt: skip

    async def ask(self, client: Any, request: Request, without: Collection[str]) -> Answer:
        from anthropic import transform_schema

        parameters: dict[str, Any] = {}
        if "temperature" not in without:  # newer clients do not list it, and newer models refuse it
            parameters["extra_body"] = {"temperature": _TEMPERATURE}
        if request.schema is not None:
            # their schemas cannot express bounds: the helper writes them into the descriptions instead
            schema = transform_schema(request.schema)
            parameters["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        system = "\n\n".join(message.content for message in request.messages if message.role == "system")
        if system:
            parameters["system"] = system
        response = await client.messages.with_raw_response.create(
            model=self.model,
            messages=[{"role": m.role, "content": m.content} for m in request.messages if m.role != "system"],
            max_tokens=request.max_tokens,
            **{name: value for name, value in parameters.items() if name not in without},
        )
        return anthropic_answer(response.http_response.content)


def _no_report_text_in_logs(client: str) -> None:
    """Turn off a client's debug log, which contains whole requests."""
    logger = logging.getLogger(client)
    if logger.getEffectiveLevel() < logging.INFO:
        logger.setLevel(logging.INFO)
