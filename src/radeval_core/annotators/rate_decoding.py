"""Turns the labels of the tokens of a sentence into entities, by the IOB scheme or as RaTEScore 0.6.0 does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

#: first token, token after the last, type
TokenSpan = tuple[int, int, str]


def iob_spans(labels: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (first token, token after the last, type) of each entity in a sequence of IOB labels.

    An entity begins at a B- label and continues over I- labels of the same type, possibly to the end of the sequence.
    An I- label of another type, or without a B- before it, belongs to no entity.
    """
    first, kind = 0, ""
    for at, label in enumerate([*labels, "O"]):
        tag, _, its_kind = label.partition("-")
        if kind and (tag != "I" or its_kind != kind):
            yield first, at, kind
            kind = ""
        if tag == "B":
            first, kind = at, its_kind


def strict_spans(labels: Sequence[str]) -> list[TokenSpan]:
    """Return the entities by the IOB scheme. The labels of the two special tokens mean nothing.

    Args:
        labels: labels of all tokens of a sentence, with the special tokens at both ends.
    """
    return [(first + 1, after + 1, kind) for first, after, kind in iob_spans(labels[1:-1])]


def upstream_spans(labels: Sequence[str]) -> list[TokenSpan]:
    """Return the entities that RaTEScore 0.6.0 reads, for numbers equal to those in papers.

    Upstream ends an entity before a B- or O label, whatever the types of its I- labels, and the label of the last
    special token counts as the one that follows. An entity that has not ended there is kept only if no entity ended
    directly before a B- label since the last O.

    Args:
        labels: labels of all tokens of a sentence, with the special tokens at both ends.
    """
    spans: list[TokenSpan] = []
    start: int | None = None  # first token of the open entity
    kind, touched = "", False  # touched: an entity has ended before a B- label since the last O
    last = len(labels) - 1
    for at in range(1, last):
        label, following = labels[at], labels[at + 1][0]
        if label == "O":
            continue
        if label[0] == "B":
            start, kind = at, label[2:]
        if following == "I":
            continue
        if start is not None:
            spans.append((start, at + 1, kind))
        touched = following == "B"
        start, kind = (at, label[2:]) if touched else (None, "")
    if start is not None and not touched:
        spans.append((start, last, kind))
    return spans


#: how labels become entities, by the name of the option `decoding`
DECODINGS: dict[str, Callable[[Sequence[str]], list[TokenSpan]]] = {"strict": strict_spans, "upstream": upstream_spans}
