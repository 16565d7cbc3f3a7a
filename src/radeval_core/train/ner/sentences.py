"""Sentences with marked entities of five types, and the checks of rows that people or models wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from radeval_core.bench.sources import EntityData
from radeval_core.data.rate_ner import LABELS, entities
from radeval_core.errors import InputError
from radeval_core.functional.iob import OUTSIDE, WORD, misplaced_tag
from radeval_core.io import row_id
from radeval_core.pairs import require_string

_LABELS = {label.lower(): label for label in LABELS}
_TAGS = {tag.lower(): tag for tag in (OUTSIDE, *(f"{place}-{label}" for label in LABELS for place in "BI"))}
#: first character, character after the last, type
Span = tuple[int, int, str]


@dataclass(frozen=True)
class MarkedSentence:
    """A sentence with its entities.

    Attributes:
        id: names it in messages.
        study: sentences of one study are never in two splits.
        source: where it comes from, for training on a part of the data.
        text: the sentence.
        spans: its entities, in the order of the text; they do not overlap.
        tokens: its words.
        tags: one IOB tag per word.
    """

    id: str
    study: str
    source: str
    text: str
    spans: tuple[Span, ...]
    tokens: tuple[str, ...]
    tags: tuple[str, ...]


def read_sentence(where: str, row: Mapping[str, Any], index: int) -> MarkedSentence:
    """Check a row with `tokens` and `tags`, or with `text` and `entities`, and return its sentence.

    Optional columns: `id`; `study` or `report`, for the split; `source`.

    Args:
        where: file and line, for errors.
        row: the row.
        index: its place, for a row without an id.
    """
    own = str(row_id(where, row, index))
    study = next((str(row[key]) for key in ("study", "report") if row.get(key) not in (None, "")), own)
    named = (own, study, str(row.get("source") or ""))
    if "tags" in row:
        tokens, tags = _tagged(where, row)
        if row.get("text") and "entities" in row:  # radcheck: tokens, and the text they were taken from
            text = require_string(f"{where}: column 'text'", row["text"])
            return MarkedSentence(*named, text, _spans(where, text, row["entities"]), tuple(tokens), tuple(tags))
        spans = tuple((e["start"], e["end"], e["label"]) for e in entities(tokens, tags))
        return MarkedSentence(*named, " ".join(tokens), spans, tuple(tokens), tuple(tags))
    if "text" not in row or "entities" not in row:
        found = ", ".join(map(repr, row))
        raise InputError(f"{where}: expected 'tokens' and 'tags', or 'text' and 'entities'; found {found}")
    text = require_string(f"{where}: column 'text'", row["text"])
    if not text.strip():
        raise InputError(f"{where}: column 'text' is empty")
    spans = _spans(where, text, row["entities"])
    return MarkedSentence(*named, text, spans, *_words(where, text, spans))


def entity_data(sentences: Sequence[MarkedSentence], provenance: Mapping[str, Any] | None = None) -> EntityData:
    """Return sentences as data of `radeval bench`."""
    return EntityData(
        [s.id for s in sentences],
        [list(s.tokens) for s in sentences],
        [list(s.tags) for s in sentences],
        dict(provenance or {}),
    )


def joined(sentence: MarkedSentence) -> MarkedSentence:
    """Return a sentence as `radeval bench` reads it: its words with one space between them."""
    spans = tuple((e["start"], e["end"], e["label"]) for e in entities(list(sentence.tokens), list(sentence.tags)))
    return replace(sentence, text=" ".join(sentence.tokens), spans=spans)


def check_tag(where: str, tag: Any) -> str:
    """Return a tag in our spelling; letter case does not matter."""
    known = _TAGS.get(tag.lower()) if isinstance(tag, str) else None
    if known is None:
        shown = repr(tag[:40]) if isinstance(tag, str) else type(tag).__name__
        raise InputError(f"{where}: tag {shown} is not in the scheme: O, or B- or I- with {', '.join(LABELS)}")
    return known


def check_tags(where: str, tags: Sequence[str]) -> None:
    """Raise an error if an I- tag continues no entity."""
    if problem := misplaced_tag(tags):
        raise InputError(f"{where}: {problem}")


def _tagged(where: str, row: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    tokens, given = row.get("tokens"), row["tags"]
    for column, cells in (("tokens", tokens), ("tags", given)):
        if not isinstance(cells, list) or not cells or not all(isinstance(cell, str) and cell for cell in cells):
            raise InputError(f"{where}: column {column!r} must be a list of texts, none of them empty")
    assert tokens is not None
    if len(tokens) != len(given):
        raise InputError(f"{where}: {len(tokens)} tokens but {len(given)} tags")
    tags = [check_tag(where, tag) for tag in given]
    check_tags(where, tags)
    return tokens, tags


def _spans(where: str, text: str, given: Any) -> tuple[Span, ...]:
    """Return checked spans in the order of the text."""
    if not isinstance(given, list) or not all(isinstance(entity, dict) for entity in given):
        raise InputError(f"{where}: column 'entities' must be a list of objects with start, end and label")
    spans: list[Span] = []
    for number, entity in enumerate(given, start=1):
        start, end, label = (entity.get(key) for key in ("start", "end", "label"))
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise InputError(
                f"{where}: entity {number} needs whole numbers 'start' and 'end' with 0 <= start < end <= {len(text)}, "
                "the length of its text"
            )
        known = _LABELS.get(label.lower()) if isinstance(label, str) else None
        if known is None:
            shown = repr(label[:40]) if isinstance(label, str) else type(label).__name__
            raise InputError(f"{where}: entity {number} has the label {shown}; the scheme has {', '.join(LABELS)}")
        spans.append((start, end, known))
    spans.sort()
    for (_, end, _), (start, _, _) in pairwise(spans):
        if start < end:
            raise InputError(f"{where}: two entities overlap at character {start}; the scheme has no nested entities")
    return tuple(spans)


def _words(where: str, text: str, spans: Sequence[Span]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a text and their tags; an entity must begin and end with a word."""
    words = list(WORD.finditer(text))
    starts, ends = {word.start() for word in words}, {word.end() for word in words}
    for number, (start, end, _) in enumerate(spans, start=1):
        if start not in starts or end not in ends:
            raise InputError(f"{where}: entity {number} (in the order of the text) begins or ends inside a word")
    tags = []
    for word in words:
        inside = next((span for span in spans if span[0] <= word.start() < span[1]), None)
        tags.append(f"{'B' if inside[0] == word.start() else 'I'}-{inside[2]}" if inside else OUTSIDE)
    return tuple(word.group() for word in words), tuple(tags)
