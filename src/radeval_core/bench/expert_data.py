"""Pairs of reports with what experts say of them, read from anyone's JSONL file.

A row: `{"id", "study", "prediction", "reference", "expert": {"errors": 2, "significant_errors": [0, 1], "rating": 4}}`.
Each expert measure is a number, or a list with one number a rater (null: this rater did not read the pair).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from radeval_core.errors import InputError, unknown_name
from radeval_core.io import open_pairs
from radeval_core.pairs import Pair
from radeval_core.stats.agreement import Array, rater_mean

#: what experts may state, and whether more of it is better
MEASURES = {"errors": False, "significant_errors": False, "rating": True}


@dataclass(frozen=True)
class ExpertData:
    """Pairs and expert numbers, row for row.

    Attributes:
        pairs: the pairs, in the order of the file.
        studies: the study of each pair; candidates for one study share it.
        raters: for each measure in the file, a row a pair and a column a rater; NaN where there is no number.
    """

    pairs: list[Pair]
    studies: list[str | int]
    raters: dict[str, Array]

    def expert(self, measure: str) -> Array:
        """The mean over the raters of each pair."""
        return rater_mean(self.raters[measure])


def read_expert_data(path: str | Path) -> ExpertData:
    """Read and check a whole file; errors name file and line."""
    path = Path(path)
    if path.suffix.lower() != ".jsonl":
        raise InputError(f"{path}: the name must end in .jsonl")
    pairs = list(open_pairs(path))
    if not pairs:
        raise InputError(f"{path}: no pairs to score")
    studies: list[str | int] = []
    columns: dict[str, list[list[float] | None]] = {measure: [] for measure in MEASURES}
    raters: dict[str, tuple[int, str]] = {}  # how many, and the line that said so
    first_seen: dict[str | int, str] = {}
    for pair, (where, row) in zip(pairs, _rows(path), strict=True):
        if pair.id in first_seen:
            raise InputError(f"{where}: id {pair.id!r} is already that of {first_seen[pair.id]}")
        first_seen[pair.id] = where.rpartition(": ")[2]
        studies.append(_study(where, row, pair))
        stated = _expert(where, row)
        for measure, column in columns.items():
            numbers = _numbers(f"{where}: expert {measure!r}", stated.get(measure))
            if numbers is not None:
                count, since = raters.setdefault(measure, (len(numbers), first_seen[pair.id]))
                if len(numbers) != count:
                    raise InputError(
                        f"{where}: expert {measure!r} has {len(numbers)} raters, {since} has {count}: "
                        "write null for a rater who did not read a pair"
                    )
            column.append(numbers)
    missing = {measure: [math.nan] * count for measure, (count, _) in raters.items()}
    matrices = {m: np.array([n or missing[m] for n in columns[m]], dtype=np.float64) for m in MEASURES if m in raters}
    return ExpertData(pairs, studies, matrices)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows again, known by now to be good JSON objects."""
    with open(path, encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"{path}: line {number}", json.loads(line)


def _study(where: str, row: dict[str, Any], pair: Pair) -> str | int:
    study = row.get("study")
    if study is None:
        return pair.id
    if isinstance(study, bool) or not isinstance(study, (str, int)):
        raise InputError(f"{where}: column 'study' must be a string or a whole number, got {type(study).__name__}")
    return study


def _expert(where: str, row: dict[str, Any]) -> dict[str, Any]:
    stated = row.get("expert")
    if not isinstance(stated, dict) or not stated:
        raise InputError(f"{where}: column 'expert' must be an object with some of: {', '.join(MEASURES)}")
    for measure in stated:
        if measure not in MEASURES:
            error = unknown_name("expert measure", measure, MEASURES)
            raise InputError(f"{where}: {error}")
    return stated


def _numbers(where: str, value: Any) -> list[float] | None:
    """One number a rater, or None if the row does not state the measure."""
    if value is None:
        return None
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f"{where} is an empty list: give a number, or one a rater")
    return [math.nan if v is None else _number(where, v) for v in values]


def _number(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"{where} must be a number, or a list with one a rater, got {json.dumps(value)}")
    return float(value)
