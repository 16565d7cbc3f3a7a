"""Run a causal language model on this machine with transformers: batched greedy decoding."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
import transformers

from radeval_core.engine.checkpoints import identity, loading, pretrained
from radeval_core.engine.claims import check_claim, load_config
from radeval_core.engine.devices import choose_dtype, model_devices
from radeval_core.engine.files import checkpoint_file, files_identity
from radeval_core.errors import CheckpointError, InputError
from radeval_core.judges.backends.base import Answer, Request
from radeval_core.judges.backends.decoding import Decoded, Done, decode_all
from radeval_core.judges.backends.grammar import JsonGrammars
from radeval_core.judges.backends.prompts import Prompt, PromptMaker

#: tokens per batch, prompts and answers: the keys and values of each stay in memory until the batch is done
DECODE_BUDGET = {"cpu": 16_384, "mps": 16_384, "cuda": 65_536}
#: used if a checkpoint does not state its context length
_DEFAULT_CONTEXT = 2048


class TransformersBackend:
    """Gets answers from a causal language model.

    Args:
        source: Hub id or folder; a folder may contain a GGUF file.
        device: see `choose_device`. By default every GPU gets a copy of the model and a share of the batches.
        dtype: `fp32`, `bf16` or `fp16`; by default bf16 on GPUs that support it, fp16 on others, fp32 on a CPU.
        batch_tokens: tokens per batch (prompts, answers and padding).
        gguf_file: name of a GGUF file in the folder or repository.
    """

    def __init__(
        self,
        source: str,
        device: str | None = None,
        dtype: str | None = None,
        batch_tokens: int | None = None,
        gguf_file: str | None = None,
    ) -> None:
        if batch_tokens is not None and batch_tokens < 1:
            raise InputError(f"the token budget of a batch must be at least 1, got {batch_tokens}")
        devices = model_devices(device)
        self.dtype = dtype or default_dtype(devices[0])
        model, tokenizer, name = load_causal_lm(source, choose_dtype(self.dtype), gguf_file)
        copies = [model, *(copy.deepcopy(model) for _ in devices[1:])]
        self._use([m.to(d) for m, d in zip(copies, devices, strict=True)], tokenizer, name, batch_tokens)

    @classmethod
    def of_model(cls, model: Any, tokenizer: Any, name: str, dtype: str) -> TransformersBackend:
        """Return a backend that asks a model in memory, such as one in training, on the device it is on.

        Args:
            model: the model, with greedy settings as `load_causal_lm` gives it.
            tokenizer: its tokenizer.
            name: its name, for messages and signatures.
            dtype: its number format, as in `fields`.
        """
        backend = cls.__new__(cls)
        backend.dtype = dtype
        backend._use([model], tokenizer, name, None)
        return backend

    def _use(self, copies: list[Any], tokenizer: Any, name: str, batch_tokens: int | None) -> None:
        """Ask these copies of a model, each on its device."""
        model = copies[0]
        self.model_name = name
        self.budget = batch_tokens or DECODE_BUDGET[model.device.type]
        self.tokenizer = tokenizer
        ends = end_tokens(model, tokenizer)
        self.prompts = PromptMaker(tokenizer, context_length(model), name)
        self.grammars = JsonGrammars(tokenizer, model.get_output_embeddings().weight.shape[0], ends)
        self.decoders = [GreedyDecoder(one, ends, self.grammars) for one in copies]

    @property
    def identity(self) -> str:
        return f"transformers|{self.model_name}|{self.dtype}|greedy|template:{self.prompts.template_version}"

    @property
    def fields(self) -> dict[str, object]:
        return {
            "backend": "transformers",
            "model": self.model_name,
            "context": self.prompts.context,
            "dtype": self.dtype,
            "decoding": "greedy",
        }

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        places: dict[Prompt, list[int]] = {}
        for i, request in enumerate(requests):
            prompt = self.prompts.prompt(request)
            if prompt.too_long:
                yield i, Answer(None, prompt.too_long, len(prompt.ids))
            else:
                places.setdefault(prompt, []).append(i)
        unique, same = list(places), list(places.values())
        for place, decoded in decode_all(self.decoders, unique, self.budget):
            answer = self._answer(unique[place], decoded)
            yield from ((i, answer) for i in same[place])

    def _answer(self, prompt: Prompt, decoded: Decoded) -> Answer:
        if isinstance(decoded, str):
            return Answer(None, decoded, len(prompt.ids))
        text = self.tokenizer.decode(decoded, skip_special_tokens=True)
        ended = bool(decoded) and decoded[-1] in self.decoders[0].ends
        reason = "" if ended else f"the answer was cut at {len(decoded)} tokens"
        return Answer(text, reason, len(prompt.ids), len(decoded))


class GreedyDecoder:
    """One copy of a model on its device."""

    def __init__(self, model: Any, ends: frozenset[int], grammars: JsonGrammars) -> None:
        self.model = model
        self.ends = ends
        self.grammars = grammars
        self.pad = min(ends, default=0)  # padding is masked, so any token works

    def __call__(self, prompts: list[Prompt], done: Done, stopped: Callable[[], bool]) -> None:
        """Answer prompts. Each answer ends with its end token or at its limit, and is given to `done` at once."""
        ids, mask = pad_left([prompt.ids for prompt in prompts], self.pad)
        schema, width = prompts[0].schema, ids.shape[1]
        waiting = dict(enumerate(prompts))

        def each_step(tokens: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
            """Give away the answers that end here; return which rows to stop: all of them, or none."""
            length = tokens.shape[1] - width
            for row, last in enumerate(tokens[:, -1].tolist()):
                if row in waiting and (last in self.ends or length >= waiting[row].limit):
                    done(row, self._cut(tokens[row, width:].tolist(), waiting.pop(row).limit))
            return torch.full((len(tokens),), stopped(), dtype=torch.bool, device=tokens.device)

        with torch.inference_mode():
            output = self.model.generate(
                input_ids=ids.to(self.model.device),
                attention_mask=mask.to(self.model.device),
                max_new_tokens=max(prompt.limit for prompt in prompts),
                logits_processor=[self.grammars.processor(schema)] if schema is not None else None,
                stopping_criteria=[each_step],
            )
        if not stopped():  # a model may end earlier, at its own limit
            for row, prompt in waiting.items():
                done(row, self._cut(output[row, width:].tolist(), prompt.limit))

    def _cut(self, row: list[int], limit: int) -> list[int]:
        end = next((i + 1 for i, token in enumerate(row) if token in self.ends), len(row))
        return row[: min(end, limit)]


def pad_left(rows: Sequence[Sequence[int]], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return token ids and attention mask of a batch, padded on the left, because answers continue on the right."""
    width = max(map(len, rows))
    ids = torch.tensor([[pad] * (width - len(row)) + list(row) for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    return ids, mask


def context_length(model: Any) -> int:
    """Return the most tokens a model takes."""
    return getattr(model.config.get_text_config(), "max_position_embeddings", None) or _DEFAULT_CONTEXT


def default_dtype(device: torch.device) -> str:
    """Return the default number format of a judge on a device."""
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    return "fp32"


def end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Return all tokens that end an answer, from the tokenizer and both configs of the checkpoint."""
    found: set[int] = set()
    for value in (tokenizer.eos_token_id, model.generation_config.eos_token_id, model.config.eos_token_id):
        found.update(value if isinstance(value, (list, tuple)) else [value])
    return frozenset(found - {None})


def load_causal_lm(source: str, dtype: torch.dtype, gguf_file: str | None) -> tuple[Any, Any, str]:
    """Load a model for greedy decoding. Return it with its tokenizer and `name@revision`. Never download code.

    Args:
        source: Hub id, folder, or GGUF file.
        dtype: number format of the weights.
        gguf_file: name of a GGUF file in it; optional if the folder has just one and no config.json.
    """
    source, options = find_gguf(source, gguf_file)
    # unpack the weights: kernels for packed ones would be code from the Hub and would compute other numbers
    unpack = {"quantization_config": transformers.GgufConfig(dequantize=True)} if options else {}
    config, tokenizer, name = open_causal_lm(source, **options)
    with loading(source):
        check_claim(lambda: transformers.AutoModelForCausalLM.from_config(config, trust_remote_code=False), source)
        model, report = pretrained(
            transformers.AutoModelForCausalLM, source, dtype=dtype, output_loading_info=True, **options, **unpack
        )
    if report["missing_keys"] or report["mismatched_keys"]:
        broken = sorted(map(str, [*report["missing_keys"], *report["mismatched_keys"]]))
        raise CheckpointError(
            f"{source} lacks {len(broken)} tensors or has them in the wrong shape, the first is {broken[0]!r}: "
            "the checkpoint is incomplete or has another architecture"
        )
    model.eval()
    ends = sorted(end_tokens(model, tokenizer))
    # ignore sampling and penalties in the checkpoint's settings: a judge decodes greedily
    model.generation_config = transformers.GenerationConfig(
        do_sample=False, eos_token_id=ends or None, pad_token_id=ends[0] if ends else 0
    )
    return model, tokenizer, name


def find_gguf(source: str, gguf_file: str | None = None) -> tuple[str, dict[str, str]]:
    """Return a folder or Hub id, and the option that names its GGUF file if the model is in one.

    Args:
        source: Hub id, folder, or GGUF file.
        gguf_file: name of a GGUF file in it; optional if the folder has just one and no config.json.
    """
    if source.endswith(".gguf") and Path(source).is_file():
        source, gguf_file = str(Path(source).parent), Path(source).name
    elif gguf_file is None and Path(source).is_dir() and not Path(source, "config.json").exists():
        files = sorted(Path(source).glob("*.gguf"))
        gguf_file = files[0].name if len(files) == 1 else None
    return source, {"gguf_file": gguf_file} if gguf_file else {}


def open_causal_lm(source: str, **options: str) -> tuple[Any, Any, str]:
    """Return a model's config and tokenizer, and `name@revision`, without loading its weights.

    Args:
        source: Hub id or folder.
        options: what `find_gguf` returned.
    """
    with loading(source):
        config = load_config(source, **options)
        tokenizer = pretrained(transformers.AutoTokenizer, source, **options)
    if gguf_file := options.get("gguf_file"):
        return config, tokenizer, files_identity(gguf_file, [checkpoint_file(source, gguf_file)])
    return config, tokenizer, identity(source, config, source)


@lru_cache(maxsize=2)
def transformers_backend(
    source: str,
    device: str | None = None,
    dtype: str | None = None,
    batch_tokens: int | None = None,
    gguf_file: str | None = None,
) -> TransformersBackend:
    """Return a loaded model, kept for the next call: metrics and runs share it."""
    return TransformersBackend(source, device, dtype, batch_tokens, gguf_file)
