"""CheXbert (Smit et al. 2020): labels 14 conditions of a report and returns its CLS vector, in one forward pass."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from radeval_core.annotators.base import TextModel
from radeval_core.engine.checkpoints import loading, pretrained
from radeval_core.engine.claims import check_claim, load_config
from radeval_core.engine.files import checkpoint_file, files_identity, is_folder
from radeval_core.engine.first_token import keep_first_token
from radeval_core.engine.forward import TokenIds
from radeval_core.engine.tensors import fill, read_torch_file
from radeval_core.errors import CheckpointError
from radeval_core.findings.views.chexpert import NO_FINDING, observation_names
from radeval_core.functional.chexbert import CLASSES, ReportLabels

log = logging.getLogger(__name__)
WEIGHTS = "chexbert.pth"
#: source of the configuration and vocabulary of the published weights
ENCODER = "google-bert/bert-base-uncased"
#: tensors in the file that labels and vectors do not need
_UNUSED = ("bert.pooler.", "bert.embeddings.position_ids")


class ChexbertModel(torch.nn.Module):
    """BERT with one linear head per condition on its first token; parameter names as in the published file."""

    def __init__(self, config: transformers.BertConfig) -> None:
        super().__init__()
        self.bert = transformers.BertModel(config, add_pooling_layer=False)
        sizes = [2 if name == NO_FINDING else len(CLASSES) for name in observation_names()]
        self.linear_heads = torch.nn.ModuleList(torch.nn.Linear(config.hidden_size, size) for size in sizes)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the CLS vectors [texts, width] and the class of each condition [texts, 14]."""
        vectors = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state[:, 0]
        return vectors, torch.stack([head(vectors).argmax(dim=1) for head in self.linear_heads], dim=1)


@dataclass(eq=False, repr=False)
class Chexbert(TextModel):
    """An annotator that labels reports.

    Its source is a Hub id with `chexbert.pth`, or a folder with it, `config.json` and `vocab.txt` (there, or in a
    subfolder `bert-base-uncased`).
    """

    def read_checkpoint(self) -> None:
        model, self.tokenizer, self.model_name = load_chexbert(self.source)
        self.max_length: int = model.bert.config.max_position_embeddings
        self.make_loop(model.to(self.where, self.torch_dtype), self.tokenizer.pad_token_id)

    @property
    def identity(self) -> str:
        return f"chexbert|{self.model_name}|{self.dtype}"

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says of the annotator."""
        return {"model": self.model_name, "max_tokens": self.max_length, "dtype": self.dtype}

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return token ids of reports with even white space, cut to the model's limit."""
        return self.encode([re.sub(r"\s+", " ", text).strip() for text in texts], self.max_length)

    def annotate(self, texts: Sequence[str]) -> list[ReportLabels]:
        found = self.loop.run(texts, self._collect, progress="CheXbert" if self.progress else None)
        cut = sum(reading.truncated for reading in found)
        if cut:
            log.warning(
                "%d of %d texts reach CheXbert's limit of %d tokens: the rest is not read",
                cut,
                len(found),
                self.max_length,
            )
        return found

    def _collect(self, output: tuple[torch.Tensor, torch.Tensor], rows: list[TokenIds]) -> list[ReportLabels]:
        vectors, classes = output[0].float().cpu().numpy(), output[1].cpu().numpy().astype(np.int8)
        return [
            ReportLabels(classes[i].copy(), vectors[i].copy(), len(row) >= self.max_length)
            for i, row in enumerate(rows)
        ]

    def dump(self, annotation: ReportLabels) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, classes=annotation.classes, vector=annotation.vector, truncated=annotation.truncated)
        return buffer.getvalue()

    def load(self, data: bytes) -> ReportLabels:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return ReportLabels(arrays["classes"], arrays["vector"], bool(arrays["truncated"]))

    def size(self, annotation: ReportLabels) -> int:
        return int(annotation.vector.nbytes + annotation.classes.nbytes)


@lru_cache(maxsize=2)
def chexbert(source: str, device: str | None, dtype: str, batch_tokens: int | None, progress: bool) -> Chexbert:
    """Return a loaded labeller, kept for the next call."""
    return Chexbert(source, device, dtype=dtype, batch_tokens=batch_tokens, progress=progress)


def load_chexbert(source: str) -> tuple[ChexbertModel, Any, str]:
    """Return the model in eval mode, its tokenizer, and `name@revision`."""
    file = checkpoint_file(source, WEIGHTS)
    tensors = _tensors(file)
    encoder = _encoder_source(source)
    with loading(encoder):
        config = load_config(encoder)
        tokenizer = pretrained(transformers.AutoTokenizer, encoder)
    if not isinstance(config, transformers.BertConfig):
        raise CheckpointError(f"{encoder}/config.json: CheXbert is a BERT, but model_type is {config.model_type!r}")
    config._attn_implementation = "sdpa"
    check_claim(lambda: ChexbertModel(config), encoder, file.stat().st_size)
    model = ChexbertModel(config)
    fill(model, tensors, str(file), unused=_UNUSED)
    if len(tokenizer) > config.vocab_size:
        raise CheckpointError(
            f"{encoder}: the vocabulary has {len(tokenizer)} tokens, vocab_size in config.json is {config.vocab_size}"
        )
    keep_first_token(model.bert)
    model.eval()
    files = [file]
    if is_folder(encoder):
        files += [Path(encoder, name) for name in ("config.json", "vocab.txt") if Path(encoder, name).is_file()]
    name = Path(source).resolve().name if is_folder(source) else f"{source}/{WEIGHTS}"
    return model, tokenizer, files_identity(name, files)


def _tensors(file: Path) -> Mapping[str, Any]:
    """Return the tensors in `chexbert.pth` without the prefix that multi-GPU training added."""
    content = read_torch_file(file, str(file))
    tensors = content.get("model_state_dict") if isinstance(content, Mapping) else None
    if not isinstance(tensors, Mapping) or not tensors:
        raise CheckpointError(f"{file} has no tensors under 'model_state_dict'")
    return {str(name).removeprefix("module."): tensor for name, tensor in tensors.items()}


def _encoder_source(source: str) -> str:
    """Find configuration and vocabulary: in the folder, in a subfolder with the encoder's name, or on the Hub."""
    if not is_folder(source):
        return ENCODER
    places = [Path(source), Path(source, ENCODER.partition("/")[2]), Path(source, ENCODER)]
    for place in places:
        if (place / "config.json").is_file() and any((place / f).is_file() for f in ("vocab.txt", "tokenizer.json")):
            return str(place)
    raise CheckpointError(f"folder {source!r} has no config.json with vocab.txt, nor a subfolder {places[1].name!r}")
