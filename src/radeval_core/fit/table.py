"""Read the rows for fitting from JSONL: metric and expert values. Only numbers and studies are kept, no texts."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radeval_core.bench.expert_data import MEASURES, ExpertData
from radeval_core.bench.sources import open_data
from radeval_core.errors import InputError, unknown_name
from radeval_core.io import jsonl_rows
from radeval_core.stats.agreement import Array


@dataclass(frozen=True)
class Target:
    """The target of a fit.

    Attributes:
        values: one number per row; lower is better, like error counts.
        studies: the study of each row; all rows of a study are on the same side of a split.
        name: its name, with a leading minus if a high value was good and the values are negated.
    """

    values: Array
    studies: list[Hashable]
    name: str

    def rows(self, chosen: NDArray[np.int64]) -> Target:
        """Return the chosen rows."""
        return Target(self.values[chosen], [self.studies[i] for i in chosen], self.name)

    def known(self) -> Target:
        """Return the rows that have a value."""
        return self.rows(np.flatnonzero(~np.isnan(self.values)))


def open_rated(source: str | Path, config: str | None = None, split: str | None = None) -> ExpertData:
    """Open rated pairs from a JSONL file or a built dataset.

    Args:
        source: a `.jsonl` file, the name of a dataset, or a built folder.
        config: config of a built dataset.
        split: split of a built dataset.
    """
    data = open_data(source, config, split)
    if not isinstance(data, ExpertData):
        raise InputError(f"{source}: the rows are not pairs with expert ratings, so no weights can be fitted")
    return data


def origin(data: ExpertData) -> dict[str, Any]:
    """Return the provenance of the data: a hash, or dataset and revision; no file name."""
    return {key: value for key, value in data.provenance.items() if key != "file"}


def expert_target(data: ExpertData, measure: str, where: str) -> Target:
    """Return the expert values of each pair, negated if high values are good.

    Args:
        data: pairs with expert ratings.
        measure: `errors`, `significant_errors` or `rating`.
        where: name of the data in error messages.
    """
    if measure not in MEASURES:
        raise unknown_name("expert measure", measure, MEASURES)
    if measure not in data.raters:
        raise InputError(f"{where}: no row has expert {measure!r}; found {', '.join(data.raters) or 'none'}")
    values = data.expert(measure)
    if MEASURES[measure]:
        return Target(-values, list(data.studies), f"-{measure}")
    return Target(values, list(data.studies), measure)


def read_columns(path: str | Path, parts: Sequence[str], target: str, higher_is_better: bool) -> tuple[Array, Target]:
    """Read columns of numbers. Each is looked up in a row's `scores`, then in `expert`, then in the row itself.

    Args:
        path: a JSONL file.
        parts: names of the columns to fit with.
        target: name of the column to fit to; for a list of several raters' numbers, the mean is used.
        higher_is_better: True if a high target is good.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    table: list[list[float]] = []
    studies: list[Hashable] = []
    for number, (where, row) in enumerate(jsonl_rows(path)):
        table.append([_column(row, name, where) for name in (*parts, target)])
        studies.append(str(row.get("study", row.get("id", number))))
    if not table:
        raise InputError(f"{path}: no rows to fit on")
    numbers = np.array(table, dtype=np.float64)
    sign = -1.0 if higher_is_better else 1.0
    return numbers[:, :-1], Target(sign * numbers[:, -1], studies, f"-{target}" if higher_is_better else target)


def check_rows(target: Target, studies_needed: int) -> None:
    """Raise an error if there are too few studies or the target is constant."""
    n, studies = len(target.values), len(set(target.studies))
    if studies < studies_needed:
        raise InputError(
            f"too few rows to fit: {n} rows of {studies} studies have a target, but these folds need at least "
            f"{studies_needed} studies; give more data or fewer --folds"
        )
    if np.ptp(target.values) == 0:
        raise InputError(f"target {target.name!r} is {target.values[0]:g} in every row, so no weights can be fitted")


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file, which identifies it without revealing its content."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _column(row: dict[str, Any], name: str, where: str) -> float:
    for place in (row.get("scores"), row.get("expert"), row):
        if isinstance(place, dict) and name in place:
            return _mean(place[name], f"{where}: {name!r}")
    known = [*(row.get("scores") or {}), *(row.get("expert") or {}), *row]
    raise InputError(f"{where}: no column {name!r}; found {', '.join(map(repr, known))}")


def _mean(value: Any, where: str) -> float:
    values = value if isinstance(value, list) else [value]
    numbers = [v for v in values if v is not None]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not abs(number) <= sys.float_info.max:
            raise InputError(f"{where} must be a number, or a list with one number per rater, got {value!r}")
    return math.fsum(numbers) / len(numbers) if numbers else math.nan
