"""Ask models through `ray.data.llm` on a Ray cluster: the questions and the readers of answers are ours.

Questions quote reports, and here they go through Ray: they are in its shared memory, which it writes to disk in clear
when it is full. The cluster is the one in the environment variable RAY_ADDRESS; without it, a local one is started.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from radeval_core.errors import InputError, RadevalError, needs_extra
from radeval_core.judges.backends.api_clients import OpenAIDialect
from radeval_core.judges.backends.base import Answer, Request
from radeval_core.judges.backends.http_limits import HEADERS
from radeval_core.judges.backends.prompts import Prompt, PromptMaker
from radeval_core.judges.backends.server_address import server_name
from radeval_core.judges.backends.server_answers import NoAnswer, openai_answer
from radeval_core.judges.backends.vllm_backend import DTYPES, VllmModel

#: statuses after which the same question may be answered
_BUSY = (408, 429, 500, 502, 503, 504)


class RayHttpBackend:
    """Gets answers from an OpenAI-compatible server with the HTTP processor of `ray.data.llm`.

    Args:
        model: the model's name on the server, which is in OPENAI_BASE_URL.
        concurrency: actors that ask.
        timeout: seconds to wait for a whole answer.
        retries: attempts per question, the first included.
    """

    def __init__(self, model: str, concurrency: int = 2, timeout: float = 120, retries: int = 3) -> None:
        for name, value in (("concurrency", concurrency), ("timeout", timeout), ("retries", retries)):
            if value <= 0:
                raise InputError(f"option {name} must be above 0, got {value}")
        self._dialect = OpenAIDialect(model)
        self._concurrency, self._timeout, self._retries = int(concurrency), float(timeout), int(retries)
        self.name = f"{model}@{server_name(self._dialect.address)}"

    @property
    def identity(self) -> str:
        return f"http|{self.name}|temperature:0"  # the same questions to the same server as `http:`

    @property
    def fields(self) -> dict[str, object]:
        return {"backend": "ray-http", "model": self.name, "dtype": "server", "decoding": "temperature-0"}

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        llm = _ray_llm()
        key = {"Authorization": f"Bearer {self._dialect.key}"} if self._dialect.key else {}
        config = llm.HttpRequestProcessorConfig(
            url=f"{self._dialect.address.rstrip('/')}/chat/completions",
            headers={**HEADERS, **key},
            concurrency=self._concurrency,
            batch_size=max(1, min(16, len(requests) // self._concurrency)),
            session_factory=_Sessions(self._timeout, self._retries),
        )
        bodies = [json.dumps(self._dialect.parameters(request, ())) for request in requests]
        rows = [{"place": place, "body": body} for place, body in enumerate(bodies)]
        processor = llm.build_processor(config, preprocess=_http_row, postprocess=_http_answer)
        for row in _processed(processor, rows):
            yield row["place"], self._answer(row["status"], row["reply"], row["error"])

    def _answer(self, status: int, reply: str, error: str) -> Answer:
        if status in (401, 403):
            raise InputError(f"{self.name} does not accept the key in the environment (HTTP {status})")
        if status == 404:
            raise InputError(f"{self.name}: the server has no such model or address (HTTP 404)")
        if status != 200:
            return Answer(None, error or f"HTTP {status}")
        try:
            return openai_answer(reply.encode())
        except NoAnswer as reason:
            return Answer(None, str(reason))


def _http_row(row: Mapping[str, Any]) -> dict[str, Any]:
    # as text: Ray turns nested values into Arrow, which would add keys to a JSON schema
    return {"place": row["place"], "payload": {"body": row["body"]}}


def _http_answer(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"place": row["place"], **row["http_response"]}


class _Sessions:
    """Makes the sessions of Ray's HTTP stage; called by each of its actors."""

    def __init__(self, timeout: float, retries: int) -> None:
        self._timeout, self._retries = timeout, retries

    def __call__(self) -> _Session:
        return _Session(self._timeout, self._retries)


class _Session:
    """A session that follows no redirect and never fails: the stage would log the question of a failed request."""

    def __init__(self, timeout: float, retries: int) -> None:
        import aiohttp

        self._retries = retries
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=timeout))

    async def __aenter__(self) -> _Session:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def post(self, url: str, headers: Mapping[str, str], data: str) -> _Response:
        """Send the body of a question, and again if the server is busy or out of reach."""
        import asyncio

        import aiohttp

        body = json.loads(data)["body"]
        status, reply, error = 0, "", ""
        for attempt in range(self._retries):
            await asyncio.sleep(2**attempt / 2 if attempt else 0)
            try:
                async with self._session.post(url, headers=headers, data=body, allow_redirects=False) as response:
                    status, reply, error = response.status, await response.text(), ""
            except (aiohttp.ClientError, TimeoutError, OSError, UnicodeDecodeError) as failure:
                status, error = 0, f"the server cannot be reached or does not answer ({type(failure).__name__})"
            if status and status not in _BUSY:
                break
        return _Response(status, reply if status == 200 else "", error)


class _Response:
    """What Ray's HTTP stage reads of a response."""

    status = 200

    def __init__(self, status: int, reply: str, error: str) -> None:
        self._row = {"status": status, "reply": reply, "error": error}

    async def __aenter__(self) -> _Response:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def json(self) -> dict[str, Any]:
        return self._row


class RayVllmBackend(VllmModel):
    """Gets answers from a model that the vLLM processor of `ray.data.llm` runs on the GPUs of a cluster.

    The model is loaded anew for every call of `answers`, so ask many questions at once.

    Args:
        source: Hub id or folder, seen by every machine.
        dtype: `fp32`, `bf16` or `fp16`; by default the checkpoint's.
        tensor_parallel_size: number of GPUs that share one copy of the model.
        concurrency: copies of the model.
    """

    kind = "ray-vllm"

    def __init__(
        self, source: str, dtype: str | None = None, tensor_parallel_size: int = 1, concurrency: int = 1
    ) -> None:
        import transformers

        from radeval_core.engine.checkpoints import identity, loading, pretrained
        from radeval_core.engine.claims import load_config
        from radeval_core.engine.devices import choose_dtype

        if dtype is not None:
            choose_dtype(dtype)  # raises an error that lists the formats
        for name, value in (("tensor_parallel_size", tensor_parallel_size), ("concurrency", concurrency)):
            if value < 1:
                raise InputError(f"option {name} must be at least 1, got {value}")
        with loading(source):
            config = load_config(source)
            tokenizer = pretrained(transformers.AutoTokenizer, source)
        self._source, self._concurrency, self._parallel = source, concurrency, tensor_parallel_size
        self._engine_dtype = DTYPES[dtype] if dtype else "auto"
        self.dtype = dtype or str(config.dtype or "auto").removeprefix("torch.")
        self.model_name = identity(source, config, source)
        context = getattr(config.get_text_config(), "max_position_embeddings", None) or 2048
        self.prompts = PromptMaker(tokenizer, context, self.model_name)

    def config(self, llm: Any) -> Any:
        """Return the configuration of the processor: no template, no tokeniser of its own, errors per row."""
        return llm.vLLMEngineProcessorConfig(
            model_source=self._source,
            engine_kwargs={
                "dtype": self._engine_dtype,
                "tensor_parallel_size": self._parallel,
                "trust_remote_code": False,
                "seed": 0,
                "disable_log_stats": True,
            },
            concurrency=self._concurrency,
            batch_size=64,
            chat_template_stage=False,
            tokenize_stage=False,
            detokenize_stage=False,
            should_continue_on_error=True,
            log_engine_metrics=False,
        )

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        prompts: dict[int, Prompt] = {}
        for place, request in enumerate(requests):
            prompt = self.prompts.prompt(request)
            if prompt.too_long:
                yield place, Answer(None, prompt.too_long, len(prompt.ids))
            else:
                prompts[place] = prompt
        if not prompts:
            return
        llm = _ray_llm()
        processor = llm.build_processor(self.config(llm), preprocess=_vllm_row, postprocess=_vllm_answer)
        rows = [
            {"place": place, "ids": list(prompt.ids), "sampling": json.dumps(sampling(prompt))}
            for place, prompt in prompts.items()
        ]
        for row in _processed(processor, rows):
            if row.get("__inference_error__"):  # its text may quote the prompt
                continue
            prompt, size = prompts.pop(row["place"]), row["size"]
            cut = f"the answer was cut at {size} tokens" if size >= prompt.limit else ""
            yield row["place"], Answer(row["text"], cut, len(prompt.ids), size)
        for place, prompt in prompts.items():
            yield place, Answer(None, "the model gave no answer", len(prompt.ids))


def sampling(prompt: Prompt) -> dict[str, Any]:
    """Return vLLM's sampling parameters of a prompt: greedy, with the JSON schema if there is one."""
    schema = None if prompt.schema is None else {"json": json.dumps(prompt.schema), "disable_any_whitespace": True}
    plain: dict[str, Any] = {"temperature": 0.0, "max_tokens": prompt.limit, "seed": 0}
    return plain if schema is None else {**plain, "structured_outputs": schema}


def _vllm_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "place": row["place"],
        "tokenized_prompt": list(row["ids"]),
        "sampling_params": json.loads(row["sampling"]),
    }


def _vllm_answer(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"place": row["place"], "text": row["generated_text"], "size": row["num_generated_tokens"]}


def _ray_llm() -> Any:
    """Return `ray.data.llm`, with Ray running, without usage statistics and with its own notes switched off."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data.llm
    except ImportError as error:
        raise needs_extra("ray", "a ray- model") from error
    if not ray.is_initialized():
        try:
            ray.init(log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise RadevalError(f"cannot reach Ray ({type(error).__name__}): check RAY_ADDRESS") from error
    ray.data.DataContext.get_current().enable_progress_bars = False
    for name in ("ray", "ray.data", "ray.llm"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return ray.data.llm


def _processed(processor: Callable[[Any], Any], rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows that a processor returns; an error says what kind it is, and quotes nothing."""
    import ray

    try:
        yield from processor(ray.data.from_items(rows)).iter_rows()
    except ray.exceptions.RayError as error:
        raise RadevalError(f"Ray could not finish ({type(error).__name__}): the logs of the cluster say more") from None


@lru_cache(maxsize=1)
def ray_http_backend(model: str, **options: Any) -> RayHttpBackend:
    """Return a backend, kept for the next call."""
    return RayHttpBackend(model, **options)


@lru_cache(maxsize=1)
def ray_vllm_backend(source: str, **options: Any) -> RayVllmBackend:
    """Return a backend, kept for the next call."""
    return RayVllmBackend(source, **options)
