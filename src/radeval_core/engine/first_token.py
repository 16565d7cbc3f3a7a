"""Speeds up encoders when only the first token's vector is used: the last layer does not compute the others.

The last layer needs a key and a value for every token, but a query and the feed-forward part only for the first. In a
12-layer encoder this saves 7 % of the work; the vector is the same.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers.models.bert.modeling_bert import BertLayer


class FirstTokenLayer(torch.nn.Module):
    """The last layer of a BERT, computed for the first token only.

    Args:
        layer: the original layer, whose weights are used.
    """

    def __init__(self, layer: BertLayer) -> None:
        super().__init__()
        self.layer = layer

    def forward(
        self, hidden: torch.Tensor, attention_mask: torch.Tensor | None = None, *_: Any, **__: Any
    ) -> torch.Tensor:
        """Map [texts, tokens, width] to [texts, 1, width]."""
        attention = self.layer.attention.self
        first = hidden[:, :1]

        def heads(x: torch.Tensor) -> torch.Tensor:
            return x.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2)

        mixed = torch.nn.functional.scaled_dot_product_attention(
            heads(attention.query(first)),
            heads(attention.key(hidden)),
            heads(attention.value(hidden)),
            attn_mask=None if attention_mask is None else attention_mask[:, :, :1],
        )
        attended = self.layer.attention.output(mixed.transpose(1, 2).flatten(-2), first)
        out: torch.Tensor = self.layer.output(self.layer.intermediate(attended), attended)
        return out


def keep_first_token(bert: Any) -> None:
    """Make a BertModel return only the first token's vector: `last_hidden_state` becomes [texts, 1, width]."""
    bert.encoder.layer[-1] = FirstTokenLayer(bert.encoder.layer[-1])
