"""Measure a reader while it is trained, on held-out sentences, with the counting of `radeval bench`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Tokenizer

from radeval_core.annotators.rate_decoding import TokenSpan, strict_spans
from radeval_core.annotators.rate_ner import LABELS, TYPE_OF
from radeval_core.annotators.rate_span import best_spans
from radeval_core.bench.entities import ALL, entity_measures
from radeval_core.findings.types import RateEntity
from radeval_core.train.ner.features import Features, encode
from radeval_core.train.ner.sentences import MarkedSentence, entity_data

#: what the curves show
CURVES = {"eval_f1": "F1", "eval_precision": "precision", "eval_recall": "recall"}


class HeldOut:
    """Measures a model on held-out sentences; an object is the `compute_metrics` of a Trainer.

    Args:
        sentences: the sentences, joined as `radeval bench` reads them.
        features: their rows.
        tokenizer: the model's tokenizer.
    """

    def __init__(self, sentences: Sequence[MarkedSentence], features: Features, tokenizer: Tokenizer) -> None:
        self.data = entity_data(sentences)
        self.rows = features.rows
        self.encodings = encode(sentences, tokenizer)

    def __call__(self, output: Any) -> dict[str, float]:
        """Return precision, recall and F1 of all entities, and F1 per type; types without any are left out."""
        read = [self._read(i, chosen) for i, chosen in enumerate(output.predictions)]
        found = entity_measures(self.data, read)
        values = {name: found[ALL][name] for name in ("precision", "recall", "f1")}
        values |= {f"f1_{kind}": measures["f1"] for kind, measures in found.items() if kind != ALL}
        return {name: 0.0 if value != value else value for name, value in values.items()}  # none found: 0

    def _read(self, i: int, chosen: Any) -> list[RateEntity]:
        offsets = self.encodings[i].offsets
        spans = [(offsets[first][0], offsets[after - 1][1], kind) for first, after, kind in self._spans(i, chosen)]
        return [RateEntity("", TYPE_OF[kind], start, end) for start, end, kind in spans]

    def _spans(self, i: int, chosen: Any) -> list[TokenSpan]:
        row = self.rows[i]
        if "spans" not in row:
            return strict_spans([LABELS[int(label)] for label in chosen[: len(row["input_ids"])]])
        return best_spans(row["spans"], torch.as_tensor(chosen[: len(row["spans"])]))


def keep_labels(logits: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    """Keep the best label of each token, which is all that the IOB scheme needs."""
    return logits.argmax(dim=-1)


def keep_probabilities(logits: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    """Keep the probabilities of the classes of each span."""
    return logits.float().softmax(dim=-1)
