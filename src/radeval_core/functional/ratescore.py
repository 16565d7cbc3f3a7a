"""Compute RaTEScore (Zhao et al. 2024, section 2.4) from the similarities of two sets of entities."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError, unknown_name

#: entity types, in the order of the rows and columns of a weight matrix
TYPES = ("Abnormality", "Anatomy", "Disease", "Non-Abnormality", "Non-Disease")
_NUMBER = {kind: i for i, kind in enumerate(TYPES)}
#: the key in files of each entry of a weight matrix: `<type>_<type of the match>`
CELLS = {f"{a}_{b}".lower(): (i, j) for i, a in enumerate(TYPES) for j, b in enumerate(TYPES)}
#: what is penalised: `polarity`, a present entity matched with an absent one (as the package does); `types`, any two
#: entities of different types (as the equation of the paper says)
PENALTIES = ("polarity", "types")
_PRESENT = {"Abnormality", "Disease"}
_ABSENT = {"Non-Abnormality", "Non-Disease"}
#: the score of a pair in which one side has no entity
NO_ENTITIES = 0.5
#: similarities that differ by no more are equal, and the first one is the match
EQUAL = 1e-6

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Affinity:
    """Weights of matches between entity types (W and p in the paper).

    Attributes:
        weights: 5 × 5, the entity's type in rows and its match's type in columns, both in the order of TYPES.
        penalty: factor on the similarity of a penalised match.
    """

    weights: Array
    penalty: float


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """The best match of one entity in the other report.

    Attributes:
        index: index of the match in the other report's entities.
        similarity: similarity of the two names.
        weight: weight of this match.
        penalised: True if the two types differ in a way that is penalised, see PENALTIES.
        cell: row and column of the weight in the matrix: the types of the entity and of its match.
    """

    index: int
    similarity: float
    weight: float
    penalised: bool
    cell: tuple[int, int]


def best_matches(
    similarity: Array, types: Sequence[str], others: Sequence[str], affinity: Affinity, penalty: str = "polarity"
) -> list[EntityMatch]:
    """Return, for each entity, the most similar entity of the other report.

    Args:
        similarity: similarities, with a row per entity and a column per entity of the other report.
        types: types of the entities.
        others: types of the other report's entities.
        affinity: weights and penalty.
        penalty: one of PENALTIES.
    """
    return [
        entity_match(index, value, kind, others[index], affinity, penalty)
        for (index, value), kind in zip(first_best(similarity), types, strict=True)
    ]


def first_best(similarity: Array) -> list[tuple[int, float]]:
    """Return, for each row, the first column that has the highest similarity, and that similarity."""
    columns = (int(np.argmax(row >= row.max() - EQUAL)) for row in similarity)
    return [(column, float(row[column])) for column, row in zip(columns, similarity, strict=True)]


def entity_match(
    index: int, similarity: float, kind: str, other: str, affinity: Affinity, penalty: str = "polarity"
) -> EntityMatch:
    """Return the match of an entity with the entity of type `other` at `index` in the other report."""
    cell = _NUMBER[kind], _NUMBER[other]
    penalised = kind != other if penalty == "types" else opposed(kind, other)
    return EntityMatch(index, similarity, float(affinity.weights[cell]), penalised, cell)


def opposed(one: str, other: str) -> bool:
    """Return True if one type is present and the other absent."""
    return (one in _PRESENT and other in _ABSENT) or (one in _ABSENT and other in _PRESENT)


def one_direction(matches: Sequence[EntityMatch], affinity: Affinity) -> float:
    """Return the weighted mean similarity of one report's entities to the other's; 0 if all weights are 0."""
    total = math.fsum(m.weight for m in matches)
    if total == 0:
        return 0.0
    return math.fsum(m.similarity * m.weight * (affinity.penalty if m.penalised else 1.0) for m in matches) / total


def rate_score(precision: float, recall: float) -> float:
    """Return the harmonic mean of both directions; 0 if one of them is not above 0, where the mean is undefined."""
    return 2 * precision * recall / (precision + recall) if precision > 0 and recall > 0 else 0.0


@cache
def published_affinities() -> dict[str, Affinity]:
    """Return the two sets of weights in the RaTEScore package: `long` (its default) and `short`."""
    text = resources.files("radeval_core.functional").joinpath("ratescore_weights.json").read_text("utf-8")
    data = json.loads(text)
    return {name: read_affinity(data[name], name) for name in ("long", "short")}


def read_affinity(data: Any, where: str) -> Affinity:
    """Check and read one set of weights, in the format of `ratescore_weights.json` and of the RaTEScore package.

    Args:
        data: 25 weights with keys `<type>_<type>`, and `neg_weight`; optional `provenance` (where they come from).
        where: how error messages name it.
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
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= sys.float_info.max:
        raise InputError(f"{where}: {name!r} must be a number >= 0, got {value!r}")
    return float(value)
