"""Run a causal language model on this machine with vLLM's offline engine: the same prompts, much faster on a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from radeval_core.errors import InputError, needs_extra
from radeval_core.judges.backends.base import Answer, Request
from radeval_core.judges.backends.prompts import Prompt, PromptMaker

#: vLLM's names of the number formats
DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
#: questions per call of the engine; answers are stored when all of them are ready, so an interrupt loses one window
WINDOW = 64


class VllmModel:
    """What signatures and caches say of a model that vLLM runs.

    Attributes:
        kind: name of the backend.
        model_name: `name@revision`.
        dtype: number format of the weights.
        prompts: turns questions into token ids.
    """

    kind = "vllm"
    model_name: str
    dtype: str
    prompts: PromptMaker

    @property
    def identity(self) -> str:
        return f"vllm|{self.model_name}|{self.dtype}|greedy|template:{self.prompts.template_version}"

    @property
    def fields(self) -> dict[str, object]:
        return {
            "backend": self.kind,
            "model": self.model_name,
            "context": self.prompts.context,
            "dtype": self.dtype,
            "decoding": "greedy",
        }


class VllmBackend(VllmModel):
    """Gets answers from a model that vLLM runs.

    Args:
        source: Hub id or folder.
        dtype: `fp32`, `bf16` or `fp16`; by default the checkpoint's.
        tensor_parallel_size: number of GPUs that share one copy of the model.
    """

    def __init__(self, source: str, dtype: str | None = None, tensor_parallel_size: int = 1) -> None:
        try:
            import vllm
        except ImportError as error:
            raise needs_extra("vllm", "the vllm backend") from error
        from radeval_core.engine.checkpoints import identity
        from radeval_core.engine.devices import choose_dtype

        if dtype is not None:
            choose_dtype(dtype)  # raises an error that lists the formats
        if tensor_parallel_size < 1:
            raise InputError(f"option tensor_parallel_size must be at least 1, got {tensor_parallel_size}")
        self._vllm = vllm
        self.engine = vllm.LLM(
            model=source,
            dtype=DTYPES[dtype] if dtype else "auto",
            tensor_parallel_size=tensor_parallel_size,
            trust_remote_code=False,
            seed=0,
        )
        config = self.engine.llm_engine.model_config
        self.dtype = dtype or str(config.dtype).removeprefix("torch.")
        self.model_name = identity(source, config.hf_config, source)
        self.prompts = PromptMaker(self.engine.get_tokenizer(), config.max_model_len, self.model_name)

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        ready: list[tuple[int, Prompt]] = []
        for i, request in enumerate(requests):
            prompt = self.prompts.prompt(request)
            if prompt.too_long:
                yield i, Answer(None, prompt.too_long, len(prompt.ids))
            else:
                ready.append((i, prompt))
        for start in range(0, len(ready), WINDOW):
            window = ready[start : start + WINDOW]
            outputs = self.engine.generate(
                [{"prompt_token_ids": list(prompt.ids)} for _, prompt in window],
                [self._sampling(prompt) for _, prompt in window],
                use_tqdm=False,
            )
            for (i, prompt), output in zip(window, outputs, strict=True):
                yield i, _answer(prompt, output.outputs[0])

    def _sampling(self, prompt: Prompt) -> Any:
        from vllm.sampling_params import StructuredOutputsParams

        schema = None if prompt.schema is None else StructuredOutputsParams(
            json=prompt.schema, disable_any_whitespace=True
        )  # fmt: skip
        return self._vllm.SamplingParams(temperature=0.0, max_tokens=prompt.limit, seed=0, structured_outputs=schema)


def _answer(prompt: Prompt, output: Any) -> Answer:
    size = len(output.token_ids)
    cut = f"the answer was cut at {size} tokens" if output.finish_reason == "length" else ""
    return Answer(output.text, cut, len(prompt.ids), size)


@lru_cache(maxsize=1)
def vllm_backend(source: str, dtype: str | None = None, tensor_parallel_size: int = 1) -> VllmBackend:
    """Return a loaded model, kept for the next call."""
    return VllmBackend(source, dtype, tensor_parallel_size)
