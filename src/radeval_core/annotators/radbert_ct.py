"""RadBERT-CT (Hamamci et al. 2024): decides for 18 abnormalities whether a chest CT report states them.

Two published layouts hold the same network: a transformers sequence classifier (`IAMJB/RadBERT-CT`), and the state dict
of CT-CLIP's text classifier, `RadBertClassifier.pth`, with the configuration and tokenizer of RadBERT-RoBERTa-4m.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import transformers

from radeval_core.annotators.base import TextModel
from radeval_core.engine.checkpoints import load_encoder, loading, pretrained
from radeval_core.engine.files import files_identity, is_folder
from radeval_core.engine.forward import TokenIds
from radeval_core.engine.tensors import fill, read_torch_file
from radeval_core.errors import CheckpointError
from radeval_core.findings.views.ctrate import ctrate_names
from radeval_core.functional.ct_f1 import CtLabels

log = logging.getLogger(__name__)
#: the weights of CT-CLIP's text classifier, and the folder beside them with configuration and tokenizer
CTCLIP_WEIGHTS, CTCLIP_ENCODER = "RadBertClassifier.pth", "RadBERT-RoBERTa-4m"
#: how CT-CLIP names the tensors that transformers calls the second way
_CTCLIP_NAMES = (
    ("model.pooler.dense.", "classifier.dense."),
    ("model.", "roberta."),
    ("classifier.", "classifier.out_proj."),
)
#: tensors in the file that the network does not need
_UNUSED = ("roberta.embeddings.position_ids",)


@dataclass(eq=False, repr=False)
class RadbertCt(TextModel):
    """An annotator that labels chest CT reports. Its source is a Hub id, or a folder in one of the two layouts."""

    def read_checkpoint(self) -> None:
        if is_folder(self.source) and Path(self.source, CTCLIP_WEIGHTS).is_file():
            model, self.tokenizer, self.model_name = load_ctclip(self.source)
            model = model.to(self.torch_dtype)
            self.order = list(range(len(ctrate_names())))
        else:
            classifier = transformers.AutoModelForSequenceClassification
            model, self.tokenizer, self.model_name = load_encoder(
                self.source, None, self.torch_dtype, self.source, auto=classifier, exact=True
            )
            self.order = label_order(model.config.id2label, self.source)
        self.max_length = _longest(model.config)
        self.make_loop(model.to(self.where), self.tokenizer.pad_token_id)

    @property
    def identity(self) -> str:
        return f"radbert-ct|{self.model_name}|{self.dtype}"

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says of the annotator."""
        return {"model": self.model_name, "dtype": self.dtype}

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return token ids of the reports as they are, cut to the model's limit."""
        return self.encode(texts, self.max_length)

    def annotate(self, texts: Sequence[str]) -> list[CtLabels]:
        found = self.loop.run(texts, self._collect, progress="RadBERT-CT" if self.progress else None)
        cut = sum(reading.truncated for reading in found)
        if cut:
            limit = self.max_length
            log.warning(
                "%d of %d texts reach RadBERT-CT's limit of %d tokens: the rest is not read", cut, len(found), limit
            )
        return found

    def _collect(self, output: Any, rows: list[TokenIds]) -> list[CtLabels]:
        present = output.logits.float().cpu().numpy()[:, self.order] > 0  # a sigmoid above one half
        return [CtLabels(present[i].copy(), (), len(row) >= self.max_length) for i, row in enumerate(rows)]

    def dump(self, annotation: CtLabels) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, present=annotation.present, truncated=annotation.truncated)
        return buffer.getvalue()

    def load(self, data: bytes) -> CtLabels:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return CtLabels(arrays["present"], (), bool(arrays["truncated"]))

    def size(self, annotation: CtLabels) -> int:
        return int(annotation.present.nbytes)


def label_order(id2label: Mapping[int, str], source: str) -> list[int]:
    """Return, for each of the 18 labels in the published order, the output of the classifier that is its.

    `LABEL_0` to `LABEL_17`, transformers' names for outputs without names, are in the published order.
    """
    names = [str(id2label[i]) for i in sorted(id2label)]
    if names == [f"LABEL_{i}" for i in range(len(ctrate_names()))]:
        return list(range(len(names)))
    if sorted(names) != sorted(ctrate_names()):
        wrong = sorted(set(names) ^ set(ctrate_names())) or names
        raise CheckpointError(
            f"{Path(source, 'config.json') if is_folder(source) else f'config.json of {source}'}: id2label must "
            f"contain the 18 labels of CT-RATE, but {wrong[0]!r} is missing, unknown or repeated"
        )
    return [names.index(name) for name in ctrate_names()]


def load_ctclip(source: str) -> tuple[Any, Any, str]:
    """Return the classifier of a folder in CT-CLIP's layout, its tokenizer, and `name@revision`."""
    file, encoder = Path(source, CTCLIP_WEIGHTS), Path(source, CTCLIP_ENCODER)
    if not encoder.is_dir():
        raise CheckpointError(f"folder {source!r} has {CTCLIP_WEIGHTS}, but no folder {CTCLIP_ENCODER!r} beside it")
    with loading(str(encoder)):
        config = pretrained(transformers.AutoConfig, str(encoder), num_labels=len(ctrate_names()))
        tokenizer = pretrained(transformers.AutoTokenizer, str(encoder))
    if not isinstance(config, transformers.RobertaConfig):
        raise CheckpointError(f"{encoder}/config.json: RadBERT is a RoBERTa, but model_type is {config.model_type!r}")
    model = transformers.RobertaForSequenceClassification(config)
    tensors = read_torch_file(file, str(file))
    if not isinstance(tensors, Mapping) or not tensors:
        raise CheckpointError(f"{file} has no tensors")
    fill(model, {_renamed(str(name)): tensor for name, tensor in tensors.items()}, str(file), unused=_UNUSED)
    model.eval()
    files = [file, *(f for f in sorted(encoder.iterdir()) if f.suffix in (".json", ".txt"))]
    return model, tokenizer, files_identity(Path(source).resolve().name, files)


def _renamed(name: str) -> str:
    """Return transformers' name of a tensor of CT-CLIP."""
    return next((after + name.removeprefix(before) for before, after in _CTCLIP_NAMES if name.startswith(before)), name)


def _longest(config: Any) -> int:
    """Return the most tokens the model reads: RoBERTa's positions start after the padding token."""
    first = config.pad_token_id + 1 if config.model_type in ("roberta", "xlm-roberta") else 0
    return int(config.max_position_embeddings) - int(first)


@lru_cache(maxsize=2)
def radbert_ct(source: str, device: str | None, dtype: str, batch_tokens: int | None, progress: bool) -> RadbertCt:
    """Return a loaded labeller, kept for the next call."""
    return RadbertCt(source, device, dtype=dtype, batch_tokens=batch_tokens, progress=progress)
