"""Parts of a result: one Parquet file per chunk of pairs, with ids, numbers and reasons, and never a report.

A part appears under its name when it is complete. Its metadata says what it was made from, so that a later run can
tell whether it may use it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from radeval_core.io import write_atomically
from radeval_core.runner import ScoredChunk

_KEY = b"radeval"


@dataclass(frozen=True)
class MetricFacts:
    """What a worker knows about a metric after a part.

    Attributes:
        fields: the fields of its signature.
        statistics: number of columns of the statistics; 0 if no pair of the part could be scored.
        asked: the judge model that was asked, with its server.
        judged: number of pairs of the part with a usable answer of it.
        failures: number of pairs of the part without a score, by reason.
        unread: languages of the pairs that the findings parser could not read.
    """

    fields: dict[str, Any]
    statistics: int
    asked: str = ""
    judged: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PartFacts:
    """The metadata of a part.

    Attributes:
        job: digest of the job.
        pairs: digest of the pairs.
        rows: number of pairs.
        metrics: facts by metric.
    """

    job: str
    pairs: str
    rows: int
    metrics: dict[str, MetricFacts]


@dataclass(frozen=True)
class Part:
    """One part.

    Attributes:
        facts: its metadata.
        ids: ids of the pairs, in order.
        chunks: what each metric found.
        reasons: by metric and place of the pair, why a worker could not score it.
    """

    facts: PartFacts
    ids: list[str | int]
    chunks: dict[str, ScoredChunk]
    reasons: dict[str, dict[int, str]] = field(default_factory=dict)


def part_path(folder: Path, number: int) -> Path:
    """Return the file of a part."""
    return folder / f"part-{number:07d}.parquet"


def write_part(folder: Path, number: int, part: Part) -> None:
    """Write a part, whole or not at all."""
    import pyarrow
    import pyarrow.parquet

    columns: dict[str, Any] = {"id": pyarrow.array([json.dumps(own) for own in part.ids], pyarrow.string())}
    for name, chunk in part.chunks.items():
        columns |= {f"{name}.value.{key}": column for key, column in chunk.values.items()}
        columns |= {f"{name}.stat.{i}": column for i, column in enumerate(chunk.stats)}
        if chunk.coverage is not None:
            columns[f"{name}.coverage"] = chunk.coverage
        if reasons := part.reasons.get(name):
            said = [reasons.get(place) for place in range(len(part.ids))]
            columns[f"{name}.reason"] = pyarrow.array(said, pyarrow.string())
    table = pyarrow.table(columns).replace_schema_metadata({_KEY: json.dumps(asdict(part.facts)).encode()})
    write_atomically(part_path(folder, number), lambda file: pyarrow.parquet.write_table(table, file), private=True)


def read_facts(path: Path) -> PartFacts | None:
    """Return the metadata of a part; None if there is no part, or the file is damaged or not ours."""
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            plain = json.loads((file.schema_arrow.metadata or {})[_KEY])
            rows = file.metadata.num_rows
        metrics = {name: MetricFacts(**facts) for name, facts in plain.pop("metrics").items()}
        facts = PartFacts(**plain, metrics=metrics)
    except (OSError, pyarrow.ArrowException, KeyError, ValueError, TypeError, AttributeError):
        return None
    return facts if facts.rows == rows else None


def read_part(path: Path, facts: PartFacts, statistics: Mapping[str, int]) -> Part:
    """Return a part.

    Args:
        path: its file.
        facts: its metadata.
        statistics: number of columns of the statistics of each metric, for parts without a scored pair.
    """
    import pyarrow.parquet

    # the path of a part may look like `name=value`, which pyarrow would take for a partition
    table = pyarrow.parquet.read_table(path, partitioning=None)
    ids: list[str | int] = [json.loads(own) for own in table["id"].to_pylist()]
    chunks, reasons = {}, {}
    for name, own in facts.metrics.items():
        prefix = f"{name}.value."
        values = {c.removeprefix(prefix): _array(table, c) for c in table.column_names if c.startswith(prefix)}
        if own.statistics:
            stats = [_array(table, f"{name}.stat.{i}") for i in range(own.statistics)]
        else:
            stats = [np.zeros(facts.rows, np.uint8) for _ in range(statistics[name])]
        covered = f"{name}.coverage" in table.column_names
        coverage = _array(table, f"{name}.coverage") if covered else None
        chunks[name] = ScoredChunk(values, stats, coverage, Counter(own.unread))
        if f"{name}.reason" in table.column_names:
            said = table[f"{name}.reason"].to_pylist()
            reasons[name] = {place: reason for place, reason in enumerate(said) if reason is not None}
    return Part(facts, ids, chunks, reasons)


def _array(table: Any, column: str) -> Any:
    return table[column].to_numpy()


def joined_chunks(chunks: Sequence[tuple[int, int, ScoredChunk | None]], names: Sequence[str]) -> ScoredChunk:
    """Join what was found in ranges of pairs; a range without anything found is unscored.

    Args:
        chunks: first pair, the pair after the last, and what was found, in order.
        names: the values of the metric.
    """
    found = [chunk for _, _, chunk in chunks if chunk is not None]
    if len(chunks) == len(found) == 1:
        return found[0]
    width = len(found[0].stats) if found else 0
    covered = bool(found) and found[0].coverage is not None
    filled = [chunk or _nothing(b - a, names, width, covered) for a, b, chunk in chunks]
    return ScoredChunk(
        {name: np.concatenate([chunk.values[name] for chunk in filled]) for name in names},
        [np.concatenate([chunk.stats[i] for chunk in filled]) for i in range(width)],
        np.concatenate([c.coverage for c in filled if c.coverage is not None]) if covered else None,
        sum((chunk.unread for chunk in filled), Counter()),
    )


def _nothing(rows: int, names: Sequence[str], width: int, covered: bool) -> ScoredChunk:
    """Return what is known of pairs that could not be scored."""
    values = {name: np.full(rows, np.nan) for name in names}
    return ScoredChunk(values, [np.zeros(rows, np.uint8)] * width, np.zeros(rows) if covered else None)
