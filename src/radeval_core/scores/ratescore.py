"""RaTEScore's arithmetic (Zhao et al. 2024, section 2.4): from the similarities of two sets of entities to a score."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError, unknown_name

#: in the order of the rows and columns of a weight matrix
TYPES = ("Abnormality", "Anatomy", "Disease", "Non-Abnormality", "Non-Disease")
_NUMBER = {kind: i for i, kind in enumerate(TYPES)}
#: what files call each entry of a weight matrix, `<type>_<type of the match>`
CELLS = {f"{a}_{b}".lower(): (i, j) for i, a in enumerate(TYPES) for j, b in enumerate(TYPES)}
_PRESENT = {"Abnormality", "Disease"}
_ABSENT = {"Non-Abnormality", "Non-Disease"}
#: the score of a pair of which one side has no entity
NO_ENTITIES = 0.5
#: similarities nearer than this are equal, and the first of them is the match
_EQUAL = 1e-6

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Affinity:
    """How much a match between two types counts (W and p of the paper).

    Attributes:
        weights: 5 × 5, the type of the entity in rows, of its match in columns, both in the order of TYPES.
        penalty: factor on the similarity where one is present and the other absent.
    """

    weights: Array
    penalty: float


@dataclass(frozen=True, slots=True)
class Match:
    """The best match of one entity in the other report.

    Attributes:
        index: its place among the entities of the other report.
        similarity: how alike their names are.
        weight: how much this match counts.
        penalised: whether one is present and the other absent.
        cell: row and column of the weight in the matrix: the types of the entity and of its match.
    """

    index: int
    similarity: float
    weight: float
    penalised: bool
    cell: tuple[int, int]


def best_matches(similarity: Array, types: Sequence[str], others: Sequence[str], affinity: Affinity) -> list[Match]:
    """The most similar entity of the other report for each entity.

    Args:
        similarity: entities in rows, those of the other report in columns.
        types: types of the entities.
        others: types of those of the other report.
        affinity: weights and penalty.
    """
    matches = []
    for row, kind in zip(similarity, types, strict=True):
        index = int(np.argmax(row >= row.max() - _EQUAL))
        other = others[index]
        cell = _NUMBER[kind], _NUMBER[other]
        opposed = (kind in _PRESENT and other in _ABSENT) or (kind in _ABSENT and other in _PRESENT)
        matches.append(Match(index, float(row[index]), float(affinity.weights[cell]), opposed, cell))
    return matches


def one_direction(matches: Sequence[Match], affinity: Affinity) -> float:
    """Weighted mean of the similarities of one report's entities to the other's; 0 if nothing has weight."""
    total = math.fsum(m.weight for m in matches)
    if total == 0:
        return 0.0
    return math.fsum(m.similarity * m.weight * (affinity.penalty if m.penalised else 1.0) for m in matches) / total


def rate_score(precision: float, recall: float) -> float:
    """Harmonic mean of both directions; 0 where one is not above 0, for which no such mean is defined."""
    return 2 * precision * recall / (precision + recall) if precision > 0 and recall > 0 else 0.0


@cache
def published_affinities() -> dict[str, Affinity]:
    """The two sets of weights that RaTEScore ships: `long` (its default) and `short`."""
    text = resources.files("radeval_core.scores").joinpath("ratescore_weights.json").read_text("utf-8")
    data = json.loads(text)
    return {name: read_affinity(data[name], name) for name in ("long", "short")}


def read_affinity(data: Any, where: str) -> Affinity:
    """Check and read one set of weights, as in `ratescore_weights.json` and in upstream's own files.

    Args:
        data: `<type>_<type>` to weight, 25 of them, and `neg_weight`; `provenance` may say where they come from.
        where: what messages call it.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"{where} must map 25 pairs of types and neg_weight to numbers, got {type(data).__name__}")
    for name in data:
        if name not in (*CELLS, "neg_weight", "provenance"):
            raise unknown_name(f"field of {where}", str(name), [*CELLS, "neg_weight"])
    weights = np.zeros((len(TYPES), len(TYPES)))
    for name, place in CELLS.items():
        weights[place] = _number(data, name, where)
    return Affinity(weights, _number(data, "neg_weight", where))


def _number(data: Mapping[str, Any], name: str, where: str) -> float:
    if name not in data:
        raise InputError(f"{where}: {name!r} is missing")
    value = data[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise InputError(f"{where}: {name!r} must be a number of at least 0, got {value!r}")
    return float(value)
