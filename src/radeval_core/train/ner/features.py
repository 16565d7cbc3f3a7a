"""Turn marked sentences into what a model is trained on, with the tokens and the limit that its reader will use.

`ratescore` decodes the label of every token, so every token of an entity is labelled: B- for its first token, I- for
the others, also inside a word. (Published token classifiers often leave out all but the first token of a word; such a
model would be read wrongly.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Encoding, Tokenizer

from radeval_core.annotators.rate_ner import LABELS
from radeval_core.annotators.rate_span import CLASSES, candidates
from radeval_core.train.ner.sentences import MarkedSentence, Span

#: label of tokens and spans that the loss leaves out
_NO_LOSS = -100
_ID = {label: i for i, label in enumerate(LABELS)}
_CLASS = {name: i for i, name in enumerate(CLASSES)}
Row = dict[str, Any]


@dataclass(frozen=True)
class Features:
    """The rows of one split.

    Attributes:
        rows: model inputs, one per sentence.
        cut: ids of the sentences longer than the model's limit, whose rest is not read.
        lost: number of entities that no row has: behind the limit, or wider than a span may be.
    """

    rows: list[Row]
    cut: list[str]
    lost: int

    @property
    def tokens(self) -> int:
        return sum(len(row["input_ids"]) for row in self.rows)


def iob_features(sentences: Sequence[MarkedSentence], tokenizer: Tokenizer) -> Features:
    """Return the token ids and the label of each token."""
    rows, lost = [], 0
    encodings = encode(sentences, tokenizer)
    for sentence, encoded in zip(sentences, encodings, strict=True):
        labels = [_NO_LOSS if special else _ID["O"] for special in encoded.special_tokens_mask]
        for span in sentence.spans:
            tokens = tokens_of(span, sentence.text, encoded)
            lost += not tokens
            for place, token in enumerate(tokens):
                labels[token] = _ID[f"{'I' if place else 'B'}-{span[2].upper()}"]
        rows.append({"input_ids": encoded.ids, "labels": labels})
    return Features(rows, _cut(sentences, encodings), lost)


def span_features(sentences: Sequence[MarkedSentence], tokenizer: Tokenizer, max_width: int) -> Features:
    """Return the token ids, all candidate spans and the class of each."""
    rows, lost = [], 0
    encodings = encode(sentences, tokenizer)
    for sentence, encoded in zip(sentences, encodings, strict=True):
        spans = candidates(sentence.text, encoded, max_width)
        marked = {}
        for span in sentence.spans:
            if tokens := tokens_of(span, sentence.text, encoded):
                marked[tokens[0], tokens[-1]] = _CLASS[span[2].upper()]
        labels = [marked.get((first, last), 0) for first, last, _ in spans]
        lost += len(sentence.spans) - sum(map(bool, labels))
        rows.append({"input_ids": encoded.ids, "spans": spans, "labels": labels})
    return Features(rows, _cut(sentences, encodings), lost)


def tokens_of(span: Span, text: str, encoded: Encoding) -> list[int]:
    """Return the tokens of an entity; none if the limit cut it off."""
    start, end, _ = span
    found = []
    for token, (a, b) in enumerate(encoded.offsets):
        if a >= b:  # special tokens
            continue
        first = a + len(text[a:b]) - len(text[a:b].lstrip())  # sentencepiece: a token may begin with a space
        if (first < b and first < end and b > start) or (first == b and start <= a and b <= end):
            found.append(token)
    return found if found and encoded.offsets[found[-1]][1] >= end else []


def collate(rows: Sequence[Row], pad_id: int) -> dict[str, torch.Tensor]:
    """Return a batch of rows of either scheme, padded on the right."""
    length = max(len(row["input_ids"]) for row in rows)
    batch = {
        "input_ids": _padded([row["input_ids"] for row in rows], length, pad_id),
        "attention_mask": _padded([[1] * len(row["input_ids"]) for row in rows], length, 0),
    }
    width = max(len(row["labels"]) for row in rows)
    batch["labels"] = _padded([row["labels"] for row in rows], width, _NO_LOSS)
    if "spans" in rows[0]:
        empty = (0, 0, 0)
        batch["spans"] = torch.tensor([[*row["spans"], *[empty] * (width - len(row["spans"]))] for row in rows])
    return batch


def encode(sentences: Sequence[MarkedSentence], tokenizer: Tokenizer) -> list[Encoding]:
    """Return the tokens of each sentence."""
    return tokenizer.encode_batch([s.text for s in sentences])


def _cut(sentences: Sequence[MarkedSentence], encodings: Sequence[Encoding]) -> list[str]:
    return [s.id for s, encoded in zip(sentences, encodings, strict=True) if encoded.overflowing]


def _padded(rows: Sequence[Sequence[int]], length: int, filler: int) -> torch.Tensor:
    return torch.tensor([[*row, *[filler] * (length - len(row))] for row in rows])
