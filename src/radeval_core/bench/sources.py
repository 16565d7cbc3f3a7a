"""Open the data of `radeval bench --data`: a JSONL file, a dataset by name, or a built folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radeval_core.bench.correction_rows import CorrectionData, correction_rows
from radeval_core.bench.expert_data import ExpertData, Place, rated_pairs
from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.views.rate import TYPES
from radeval_core.functional.iob import OUTSIDE, misplaced_tag
from radeval_core.io import jsonl_rows, row_id
from radeval_core.pairs import require_string

_TAGS = (OUTSIDE, *(f"{place}-{kind}" for kind in TYPES for place in "BI"))
_TRIAD = ("original", "synonym", "opposite")


@dataclass(frozen=True)
class TriadData:
    """Sentences with their synonyms and opposites, one of each per row."""

    ids: list[str | int]
    originals: list[str]
    synonyms: list[str]
    opposites: list[str]
    provenance: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EntityData:
    """Sentences with marked entities: their tokens, joined by spaces to a text, and one IOB tag per token."""

    ids: list[str | int]
    tokens: list[list[str]]
    tags: list[list[str]]
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        return [" ".join(tokens) for tokens in self.tokens]


BenchData = ExpertData | TriadData | CorrectionData | EntityData


def open_data(source: str | Path, config: str | None = None, split: str | None = None) -> BenchData:
    """Read and check all rows. Errors give file and line, or dataset and row.

    Args:
        source: a `.jsonl` file, the name of a dataset, or a built folder.
        config: config of a built dataset.
        split: split of a built dataset.
    """
    path = Path(source)
    if path.suffix.lower() != ".jsonl" and not path.is_file():
        return _built(source, config, split)
    if config or split:
        raise InputError(f"{path}: a file has no configs and splits; omit --data-config and --split")
    if path.suffix.lower() != ".jsonl":
        raise InputError(f"{path}: the file name must end in .jsonl")
    if not path.is_file():
        raise InputError(f"{path} is a folder; give a file" if path.is_dir() else f"{path}: no such file")
    rows = list(jsonl_rows(path))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return _checked(_kind(rows), rows, str(path), {"file": path.name, "sha256": digest})


def triads(rows: Sequence[Place], source: str, provenance: Mapping[str, Any] | None = None) -> TriadData:
    """Check rows of `{"id", "original", "synonym", "opposite"}`."""
    data = TriadData([], [], [], [], dict(provenance or {}))
    for index, (where, row) in enumerate(rows):
        data.ids.append(row_id(where, row, index))
        for column, texts in zip(_TRIAD, (data.originals, data.synonyms, data.opposites), strict=True):
            if column not in row:
                raise InputError(f"{where}: column {column!r} is missing; found {', '.join(map(repr, row))}")
            texts.append(require_string(f"{where}: column {column!r}", row[column]))
    if not data.ids:
        raise InputError(f"{source}: no rows")
    return data


def marked_entities(rows: Sequence[Place], source: str, provenance: Mapping[str, Any] | None = None) -> EntityData:
    """Check rows of `{"id", "tokens", "tags"}`; a tag is O, or B- or I- with one of the five types."""
    data = EntityData([], [], [], dict(provenance or {}))
    for index, (where, row) in enumerate(rows):
        data.ids.append(row_id(where, row, index))
        for column, lists in (("tokens", data.tokens), ("tags", data.tags)):
            texts = row.get(column)
            if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t for t in texts):
                raise InputError(f"{where}: column {column!r} must be a list of texts, none of them empty")
            lists.append(texts)
        tokens, tags = data.tokens[-1], data.tags[-1]
        if len(tokens) != len(tags):
            raise InputError(f"{where}: {len(tokens)} tokens but {len(tags)} tags")
        for tag in tags:
            if tag not in _TAGS:
                raise InputError(f"{where}: {unknown_name('tag', tag, _TAGS)}")
        if problem := misplaced_tag(tags):
            raise InputError(f"{where}: {problem}")
    if not data.ids:
        raise InputError(f"{source}: no rows")
    return data


def _built(source: str | Path, config: str | None, split: str | None) -> BenchData:
    from radeval_core.data.bench_rows import find_data, read_built  # pyarrow: slow to import

    folder = find_data(source)
    built = read_built(folder, config, split)
    name = "/".join(str(built.provenance[key]) for key in ("dataset", "config", "split"))
    rows = [(f"{name}: row {number}", row) for number, row in enumerate(built.rows, start=1)]
    return _checked(built.kind, rows, name, built.provenance)


def _kind(rows: Sequence[Place]) -> str:
    """Return the kind of the rows of a file, from the columns of its first row."""
    columns = rows[0][1] if rows else {}
    if "lines" in columns:
        return "corrections"
    if "tags" in columns:
        return "entities"
    return "triads" if "opposite" in columns or "synonym" in columns else "rated"


def _checked(kind: str, rows: Sequence[Place], source: str, provenance: Mapping[str, Any]) -> BenchData:
    provenance = {**provenance, "kind": kind, "rows": len(rows)}
    if kind == "triads":
        return triads(rows, source, provenance)
    if kind == "entities":
        return marked_entities(rows, source, provenance)
    return (correction_rows if kind == "corrections" else rated_pairs)(rows, source, provenance)
