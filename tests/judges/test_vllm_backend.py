"""The vLLM backend with a stub of vLLM's interface; vLLM itself needs a GPU."""

import sys
import types
from dataclasses import dataclass

import pytest
from toy_instructions import SCHEMA

from radeval_core.errors import InputError, MissingDependencyError
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.backends.vllm_backend import VllmBackend
from sample_sentences import SENTENCES
from tiny_llama import make_tiny_llama


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global TransformersBackend
    from radeval_core.judges.backends.transformers_backend import TransformersBackend


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_llama(tmp_path_factory.mktemp("tiny-llama"), SENTENCES)


@pytest.fixture
def vllm(monkeypatch):
    """Replace `vllm.LLM`, `vllm.SamplingParams` and `StructuredOutputsParams` by stubs of vLLM 0.12."""
    module, sampling = types.ModuleType("vllm"), types.ModuleType("vllm.sampling_params")

    @dataclass
    class StructuredOutputsParams:
        json: object = None
        disable_any_whitespace: bool = False

    @dataclass
    class SamplingParams:
        temperature: float = 1.0
        max_tokens: int = 16
        seed: int | None = None
        structured_outputs: object = None

    class LLM:
        made = ()

        def __init__(self, model, *, dtype, tensor_parallel_size, trust_remote_code, seed):
            from transformers import AutoConfig, AutoTokenizer

            assert trust_remote_code is False
            LLM.made = (model, dtype, tensor_parallel_size, seed)
            self.tokenizer = AutoTokenizer.from_pretrained(model)
            config = types.SimpleNamespace(
                hf_config=AutoConfig.from_pretrained(model), dtype="torch.bfloat16", max_model_len=100
            )
            self.llm_engine = types.SimpleNamespace(model_config=config)
            self.calls = []

        def get_tokenizer(self):
            return self.tokenizer

        def generate(self, prompts, sampling_params, *, use_tqdm):
            self.calls.append((prompts, sampling_params))
            for prompt, params in zip(prompts, sampling_params, strict=True):
                text = f"{len(prompt['prompt_token_ids'])} tokens"
                finish = "length" if params.max_tokens < 5 else "stop"
                output = types.SimpleNamespace(text=text, token_ids=(1, 2, 3), finish_reason=finish)
                yield types.SimpleNamespace(outputs=[output])

    module.LLM, module.SamplingParams, module.sampling_params = LLM, SamplingParams, sampling
    sampling.StructuredOutputsParams = StructuredOutputsParams
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", sampling)
    return module


def ask(text, **options):
    return Request((Message("user", text),), **options)


def test_the_same_prompts_as_through_transformers(vllm, folder):
    backend = VllmBackend(str(folder))
    requests = [ask("heart </s>"), Request((), rendered="<|turn|>\nheart</s>\n"), ask("lungs", max_tokens=4)]
    answers = dict(backend.answers(requests))
    ((prompts, params),) = backend.engine.calls
    same = TransformersBackend(str(folder), device="cpu").prompts
    assert [tuple(p["prompt_token_ids"]) for p in prompts] == [same.prompt(r).ids for r in requests]
    assert all((p.temperature, p.seed) == (0.0, 0) for p in params)
    assert answers[0].text == f"{answers[0].prompt_tokens} tokens" and answers[0].reason == ""
    assert (answers[2].reason, answers[2].answer_tokens) == ("the answer was cut at 3 tokens", 3)


def test_limits_schemas_and_windows(vllm, folder, monkeypatch):
    monkeypatch.setattr("radeval_core.judges.backends.vllm_backend.WINDOW", 2)
    backend = VllmBackend(str(folder))
    requests = [ask("heart " * 300), ask("a", schema=SCHEMA), ask("b", max_tokens=5), ask("c", max_total=90)]
    answers = dict(backend.answers(requests))
    assert answers[0].text is None and "together may have 100" in answers[0].reason
    assert [len(prompts) for prompts, _ in backend.engine.calls] == [2, 1]
    params = [p for _, window in backend.engine.calls for p in window]
    assert params[0].structured_outputs.json == SCHEMA and params[1].structured_outputs is None
    assert params[1].max_tokens == 5
    assert params[2].max_tokens == 90 - answers[3].prompt_tokens


def test_identity_and_options(vllm, folder):
    backend = VllmBackend(str(folder), dtype="fp16", tensor_parallel_size=2)
    assert vllm.LLM.made == (str(folder), "float16", 2, 0)
    assert backend.identity.startswith("vllm|") and "|fp16|greedy|template:" in backend.identity
    assert VllmBackend(str(folder)).fields["dtype"] == "bfloat16"
    with pytest.raises(InputError, match="unknown dtype"):
        VllmBackend(str(folder), dtype="fp8")
    with pytest.raises(InputError, match="option tensor_parallel_size must be at least 1, got 0"):
        VllmBackend(str(folder), tensor_parallel_size=0)


def test_without_vllm_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingDependencyError, match=r"radeval_core\[vllm\]"):
        VllmBackend("org/model")
