"""SRR-BERT (Delbrouck et al. 2025): labels each sentence of a report; the report has every label of its sentences."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import transformers

from radeval_core.annotators.base import TextModel
from radeval_core.annotators.srrbert_sentences import srr_sentences
from radeval_core.engine.checkpoints import load_model, loading, pretrained
from radeval_core.engine.files import checkpoint_file, files_identity, is_folder
from radeval_core.engine.forward import TokenIds
from radeval_core.errors import CheckpointError
from radeval_core.findings.views.srrbert import LABEL_SETS, label_names
from radeval_core.functional.srrbert_f1 import SrrLabels

log = logging.getLogger(__name__)
#: source of the tokenizer of all published models
TOKENIZER = "microsoft/BiomedVLP-CXR-BERT-general"
#: maximum tokens per sentence, including special tokens (RadEval)
MAX_TOKENS = 512
#: the name transformers gives to an output without one
_UNNAMED = "LABEL_"


@dataclass(eq=False, repr=False)
class SrrBert(TextModel):
    """An annotator that labels reports. Each distinct sentence of a call is read once.

    Its source is a Hub id, or a folder with `config.json` and `model.safetensors`. The vocabulary of a folder is in its
    subfolder or in the neighbouring folder `BiomedVLP-CXR-BERT-general`, or else in the folder itself.

    Attributes:
        label_set: which labels the model must have; None to tell by their number.
        labels: the labels, in the order of the model's outputs.
    """

    label_set: str | None = field(default=None, kw_only=True)
    labels: tuple[str, ...] = field(init=False)

    def read_checkpoint(self) -> None:
        auto = transformers.AutoModelForSequenceClassification
        model, self.model_name = load_model(self.source, None, self.torch_dtype, self.source, auto, exact=True)
        self.label_set = _label_set(model.config.id2label, self.source, self.label_set)
        self.labels = label_names(self.label_set)
        vocabulary = tokenizer_source(self.source)
        with loading(vocabulary):
            self.tokenizer = pretrained(transformers.BertTokenizer, vocabulary)
        shown = Path(vocabulary).name if is_folder(vocabulary) else vocabulary
        self.tokenizer_name = files_identity(shown, [checkpoint_file(vocabulary, "vocab.txt")])
        if len(self.tokenizer) > model.config.vocab_size:
            raise CheckpointError(
                f"{vocabulary}: the vocabulary has {len(self.tokenizer)} tokens, vocab_size in config.json of "
                f"{self.source} is {model.config.vocab_size}"
            )
        self.make_loop(model.to(self.where), self.tokenizer.pad_token_id)

    @property
    def identity(self) -> str:
        return f"srrbert|{self.model_name}|{self.tokenizer_name}|{self.dtype}|max:{MAX_TOKENS}|sentences:1"

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says of the annotator."""
        return {"model": self.model_name, "tokenizer": self.tokenizer_name, "dtype": self.dtype}

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return token ids of sentences, cut to the model's limit."""
        return self.encode(texts, MAX_TOKENS)

    def annotate(self, texts: Sequence[str]) -> list[SrrLabels]:
        split = [srr_sentences(text) for text in texts]
        unique = list(dict.fromkeys(sentence for sentences in split for sentence in sentences))
        read = dict(zip(unique, self.read_sentences(unique), strict=True))
        cut = sum(truncated for _, truncated in read.values())
        if cut:
            log.warning("%d sentences reach SRR-BERT's limit of %d tokens: the rest is not read", cut, MAX_TOKENS)
        return [self._joined({sentence: read[sentence] for sentence in sentences}) for sentences in split]

    def read_sentences(self, sentences: Sequence[str]) -> list[tuple[list[int], bool]]:
        """Return the label ids of each sentence, and whether it was cut."""
        return self.loop.run(sentences, self._collect, progress="SRR-BERT" if self.progress else None)

    def _collect(self, output: Any, rows: list[TokenIds]) -> list[tuple[list[int], bool]]:
        present = (output.logits.float() > 0).cpu().numpy()  # a probability above one half
        return [(np.flatnonzero(present[i]).tolist(), len(row) >= MAX_TOKENS) for i, row in enumerate(rows)]

    def _joined(self, sentences: dict[str, tuple[list[int], bool]]) -> SrrLabels:
        """Return the labels of a report from those of its sentences."""
        present = np.zeros(len(self.labels), dtype=bool)
        quotes: dict[str, tuple[str, ...]] = {}
        for sentence, (ids, _) in sentences.items():
            present[ids] = True
            for i in ids:
                quotes[self.labels[i]] = (*quotes.get(self.labels[i], ()), sentence)
        return SrrLabels(present, quotes, sum(cut for _, cut in sentences.values()))

    def dump(self, annotation: SrrLabels) -> bytes:
        return json.dumps([annotation.quotes, annotation.truncated]).encode()

    def load(self, data: bytes) -> SrrLabels:
        quotes, truncated = json.loads(data)
        present = np.array([name in quotes for name in self.labels])
        return SrrLabels(present, {name: tuple(found) for name, found in quotes.items()}, truncated)

    def size(self, annotation: SrrLabels) -> int:
        quoted = sum(len(sentence) for found in annotation.quotes.values() for sentence in found)
        return int(annotation.present.nbytes) + quoted


@lru_cache(maxsize=2)
def srrbert(
    source: str, label_set: str | None, device: str | None, dtype: str, batch_tokens: int | None, progress: bool
) -> SrrBert:
    """Return a loaded labeller, kept for the next call."""
    return SrrBert(source, device, dtype=dtype, batch_tokens=batch_tokens, progress=progress, label_set=label_set)


def tokenizer_source(source: str) -> str:
    """Find the vocabulary: on the Hub; for a folder inside it, beside it, or where a copy of the Hub would have it."""
    if not is_folder(source):
        return TOKENIZER
    name, here = TOKENIZER.partition("/")[2], Path(source).resolve()
    places = (here / name, here.parent / name, here.parent.parent / TOKENIZER, here)
    for place in places:
        if (place / "vocab.txt").is_file():
            return str(place)
    raise CheckpointError(
        f"folder {source!r} has no vocab.txt, nor a folder {name!r} inside it or beside it: on a connected machine "
        f"type `hf download {TOKENIZER} --local-dir {source}/{name}`"
    )


def _label_set(id2label: dict[int, str], source: str, wanted: str | None) -> str:
    """Return which published labels a model has, by their number. If the checkpoint names them, the names must fit."""
    file = Path(source, "config.json") if is_folder(source) else f"config.json of {source}"
    sizes = {len(label_names(name)): name for name in LABEL_SETS}
    found = sizes.get(len(id2label))
    if found is None or found != (wanted or found):
        expected = ", ".join(f"{size} ({name})" for size, name in sizes.items() if name == (wanted or name))
        raise CheckpointError(f"{file}: the model has {len(id2label)} labels, expected {expected}")
    for i, name in enumerate(label_names(found)):
        if not id2label[i].startswith(_UNNAMED) and id2label[i] != name:
            raise CheckpointError(f"{file}, id2label {i}: {id2label[i]!r} is not the published label {name!r}")
    return found
