"""Read pairs of reports with expert numbers, from a JSONL file or from a built dataset.

A row: `{"id", "study", "prediction", "reference", "expert": {"errors": 2, "significant_errors": [0, 1], "rating": 4}}`.
Each expert measure is a number, or a list with one number per rater (null: this rater did not read the pair). `expert`
may also contain `categories`: `{"wrong_location": {"significant": [0, 1], "insignificant": 0}, …}`; a missing category
or kind has no errors. An optional `candidate` names the method that wrote the prediction, and
`answer` is the text of a judge's analysis.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError, unknown_name
from radeval_core.io import pair_of
from radeval_core.pairs import Pair, require_string
from radeval_core.stats.agreement import Array, rater_mean

#: the measures that experts may state; True if more is better
MEASURES = {"errors": False, "significant_errors": False, "rating": True, "matched_findings": True}
#: further values they may state: which of two candidates they prefer (1 or 0), and how sure they are
PREFERENCE = ("preferred", "confidence")
SIGNIFICANCE = ("significant", "insignificant")
_COUNTS = ("errors", "significant_errors", "matched_findings", "preferred", "confidence")
Place = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class ExpertData:
    """Pairs and expert numbers, in the same order.

    Attributes:
        pairs: the pairs, in the order of the file.
        studies: the study of each pair; several candidates may belong to the same study.
        raters: one matrix per measure in the file, with one row per pair and one column per rater; NaN if missing.
        categories: the same for each category of error, by significance; empty if the file has no categories.
        preference: the same for `preferred` and `confidence`.
        provenance: where the rows come from.
        candidates: who or what wrote each prediction, as in ReXVal's `candidate`; empty if not every row says so.
        answers: a judge's answer to each pair, to compare another judge's with; empty if not every row has one.
    """

    pairs: list[Pair]
    studies: list[str | int]
    raters: dict[str, Array]
    categories: dict[str, dict[str, Array]] = field(default_factory=dict)
    preference: dict[str, Array] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    candidates: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def expert(self, measure: str) -> Array:
        """Return the mean over the raters for each pair."""
        return rater_mean(self.raters[measure])

    def category(self, category: str, significance: str | None = None) -> Array:
        """Return the errors of a category, one row per pair and one column per rater.

        Without `significance`, count significant and insignificant errors together.
        """
        by = self.categories[category]
        return by[significance] if significance else by["significant"] + by["insignificant"]


def rated_pairs(rows: Iterable[Place], source: str, provenance: Mapping[str, Any] | None = None) -> ExpertData:
    """Check rows and return them as pairs with expert numbers.

    Args:
        rows: the rows, each with its place for error messages.
        source: name of the file or dataset, for error messages.
        provenance: where the rows come from.
    """
    pairs: list[Pair] = []
    studies: list[str | int] = []
    texts: dict[str, list[str]] = {"candidate": [], "answer": []}
    known = _Raters()
    columns: dict[str, list[list[float] | None]] = {measure: [] for measure in (*MEASURES, *PREFERENCE)}
    categories: list[dict[tuple[str, str], list[float]] | None] = []
    first_seen: dict[str | int, str] = {}
    for index, (where, row) in enumerate(rows):
        pair = pair_of(where, row, index)
        line = where.rpartition(": ")[2]
        if pair.id in first_seen:
            raise InputError(f"{where}: duplicate id {pair.id!r}, already used in {first_seen[pair.id]}")
        first_seen[pair.id] = line
        pairs.append(pair)
        studies.append(study_of(where, row, pair))
        for name, found in texts.items():
            if row.get(name) is not None:
                found.append(require_string(f"{where}: column {name!r}", row[name]))
        stated = _expert(where, row)
        for measure, column in columns.items():
            numbers = _numbers(f"{where}: expert {measure!r}", stated.get(measure), measure in _COUNTS)
            known.check(measure, numbers, where, line)
            column.append(numbers)
        categories.append(_categories(where, stated.get("categories"), known, line))
    if not pairs:
        raise InputError(f"{source}: no pairs to score")
    missing = {measure: [math.nan] * count for measure, (count, _) in known.counts.items()}
    matrices = {m: np.array([n or missing[m] for n in columns[m]], dtype=np.float64) for m in columns if m in missing}
    return ExpertData(
        pairs,
        studies,
        {m: matrix for m, matrix in matrices.items() if m in MEASURES},
        _category_matrices(categories, columns["errors"], known),
        {m: matrix for m, matrix in matrices.items() if m in PREFERENCE},
        dict(provenance or {}),
        *(found if len(found) == len(pairs) else [] for found in texts.values()),
    )


class _Raters:
    """The number of raters of each measure, and the line that first stated it."""

    def __init__(self) -> None:
        self.counts: dict[str, tuple[int, str]] = {}

    def check(self, measure: str, numbers: list[float] | None, where: str, line: str) -> None:
        if numbers is None:
            return
        count, since = self.counts.setdefault(measure, (len(numbers), line))
        if len(numbers) != count:
            raise InputError(
                f"{where}: expert {measure!r} has {len(numbers)} raters, {since} has {count}: "
                "write null if a rater did not read a pair"
            )


def study_of(where: str, row: dict[str, Any], pair: Pair) -> str | int:
    """Return the study of a row, or its id if it has none."""
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
    known = (*MEASURES, *PREFERENCE, "categories")
    for measure in stated:
        if measure not in known:
            raise InputError(f"{where}: {unknown_name('expert measure', measure, known)}")
    return stated


def _numbers(where: str, value: Any, count: bool = False) -> list[float] | None:
    """Return one number per rater, or None if the row does not state the measure."""
    if value is None:
        return None
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f"{where} is an empty list: give a number, or a list with one number per rater")
    return [math.nan if v is None else _number(where, v, count) for v in values]


def _number(where: str, value: Any, count: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= sys.float_info.max:
        raise InputError(f"{where} must be a number, or a list with one number per rater, got {json.dumps(value)}")
    if count and value < 0:
        raise InputError(f"{where} must be 0 or more, got {json.dumps(value)}")
    return float(value)


def _categories(where: str, value: Any, known: _Raters, line: str) -> dict[tuple[str, str], list[float]] | None:
    """Return the counts of a row by category and significance, or None if it has no categories."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise InputError(f"{where}: expert 'categories' must be an object with some of: {', '.join(CATEGORIES)}")
    found: dict[tuple[str, str], list[float]] = {}
    for category, counts in value.items():
        if category not in CATEGORIES:
            raise InputError(f"{where}: {unknown_name('category of errors', category, CATEGORIES)}")
        if counts is not None and not isinstance(counts, dict):
            raise InputError(f"{where}: category {category!r} must be an object with {' and '.join(SIGNIFICANCE)}")
        for kind, stated in (counts or {}).items():
            if kind not in SIGNIFICANCE:
                raise InputError(f"{where}: {unknown_name(f'kind of {category}', kind, SIGNIFICANCE)}")
            numbers = _numbers(f"{where}: {kind} {category}", stated, count=True)
            known.check("categories", numbers, where, line)
            if numbers is not None:
                found[category, kind] = numbers
    return found


def _category_matrices(
    rows: list[dict[tuple[str, str], list[float]] | None], errors: list[list[float] | None], known: _Raters
) -> dict[str, dict[str, Array]]:
    """Return one matrix per category and significance.

    A category that only some rows leave out has no errors there. One that no row states is unknown: NaN.
    """
    if "categories" not in known.counts:
        return {}
    width, _ = known.counts["categories"]
    matrices = {c: {k: np.full((len(rows), width), np.nan) for k in SIGNIFICANCE} for c in CATEGORIES}
    asked = {category for row in rows if row for category, _ in row}
    for i, (row, counted) in enumerate(zip(rows, errors, strict=True)):
        if row is None:
            continue
        stated = [*row.values(), *([counted] if counted and len(counted) == width else [])]
        read = ~np.isnan(np.array(stated, dtype=np.float64)).all(axis=0) if stated else np.ones(width, dtype=bool)
        for category in asked:
            for kind in SIGNIFICANCE:
                matrices[category][kind][i] = row.get((category, kind), np.where(read, 0.0, np.nan))
    return matrices
