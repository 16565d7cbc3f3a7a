"""A reader study of your own: the export of `radeval read`, as a dataset.

The source is the folder that `radeval read export` writes: `export.json`, and `rated.jsonl`, `corrections.jsonl` or
both. Rows with numbers become the config `rated`, corrected reports the config `corrections`, in the layout of ReFiSco.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from radeval_core.data import refisco
from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import json_rows, string
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError

_RATED, _CORRECTED, _ABOUT = "rated.jsonl", "corrections.jsonl", "export.json"
_GRAVITY = ("significant", "insignificant")
_COUNTS = ("errors", "significant_errors", "rating", "confidence")
_BY_CATEGORY = tuple(f"{category}_{gravity}" for category, gravity in product(CATEGORIES, _GRAVITY))


def _read(source: Path | None) -> Tables:
    assert source is not None
    if not (source / _ABOUT).is_file():
        raise InputError(f"{source}: no {_ABOUT} in it; give the folder that `radeval read export --out` wrote")
    readers = _readers(source / _ABOUT)
    rated = [_rated(where, row, readers) for where, row in _rows(source / _RATED)]
    corrected = [_corrected(where, row) for where, row in _rows(source / _CORRECTED)]
    if not rated and not corrected:
        raise InputError(f"{source}: neither {_RATED} nor {_CORRECTED} in it; export the study again")
    return {"rated": {"test": rated}, "corrections": {"test": corrected}}


def _rows(path: Path) -> list[tuple[str, Row]]:
    return list(json_rows(path)) if path.is_file() else []


def _readers(path: Path) -> list[str]:
    try:
        readers = json.loads(path.read_text("utf-8"))["readers"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: 'readers' is missing; export the study again") from error
    if not isinstance(readers, list) or not all(isinstance(name, str) for name in readers):
        raise InputError(f"{path}: 'readers' must be a list of names; export the study again")
    return readers


def _rated(where: str, row: Row, readers: list[str]) -> Row:
    expert = row.get("expert")
    if not isinstance(expert, dict):
        raise InputError(f"{where}: 'expert' must be an object; export the study again")
    reference = row.get("reference")
    return {
        "id": string(where, row, "id"),
        "study": string(where, row, "study"),
        "candidate": row.get("candidate"),
        "prediction": row.get("prediction"),
        "references": reference if isinstance(reference, list) else [reference],
        "readers": readers,
        **{name: _numbers(where, name, expert.get(name), readers) for name in (*_COUNTS, "preferred")},
        **_categories(where, expert.get("categories"), readers),
        "prefilled_by": row.get("prefilled_by"),
    }


def _categories(where: str, categories: Any, readers: list[str]) -> Row:
    if categories is None:
        return dict.fromkeys(_BY_CATEGORY)
    if not isinstance(categories, dict) or not all(isinstance(counts, dict) for counts in categories.values()):
        raise InputError(f"{where}: 'categories' must be an object of objects; export the study again")
    return {
        f"{c}_{g}": _numbers(where, f"{c} {g}", categories.get(c, {}).get(g), readers)
        for c, g in product(CATEGORIES, _GRAVITY)
    }


def _numbers(where: str, name: str, numbers: Any, readers: list[str]) -> Any:
    if numbers is not None and (not isinstance(numbers, list) or len(numbers) != len(readers)):
        raise InputError(f"{where}: {name!r} must have one number per reader ({len(readers)}); export the study again")
    return numbers if name != "preferred" or numbers is None else [None if n is None else float(n) for n in numbers]


def _corrected(where: str, row: Row) -> Row:
    known = {column: row.get(column) for column in refisco.SCHEMA.names}
    return {**known, "id": string(where, row, "id"), "indication": "", "prefilled_by": row.get("prefilled_by")}


def _bench(row: Row) -> list[Row]:
    """Return the row as it was exported."""
    expert = {name: row[name] for name in (*_COUNTS, "preferred") if row[name] is not None}
    if row[_BY_CATEGORY[0]] is not None:
        expert["categories"] = {c: {g: row[f"{c}_{g}"] for g in _GRAVITY} for c in CATEGORIES}
    references = row["references"]
    named = {} if row["candidate"] is None else {"candidate": row["candidate"]}
    texts = {"prediction": row["prediction"], "reference": references[0] if len(references) == 1 else references}
    return [{"id": row["id"], "study": row["study"], **named, **texts, "expert": expert}]


_TEXT, _LIST = pa.string(), pa.list_(pa.int64())
_SCHEMA = pa.schema(
    {
        **dict.fromkeys(("id", "study", "candidate", "prediction"), _TEXT),
        **dict.fromkeys(("references", "readers"), pa.list_(_TEXT)),
        **dict.fromkeys(_COUNTS, _LIST),
        "preferred": pa.list_(pa.float64()),
        **dict.fromkeys(_BY_CATEGORY, _LIST),
        "prefilled_by": _TEXT,
    }
)
_CORRECTED_SCHEMA = pa.schema([*refisco.SCHEMA, ("prefilled_by", _TEXT)])
DATASET = Dataset(
    name="reader_study",
    about="a reader study of your own, from `radeval read`",
    source="the folder that `radeval read export --out` wrote",
    terms="those of the reports: yours to decide, so radeval does not publish it",
    read=_read,
    default_bench=("rated", "test"),
    configs={
        "rated": DatasetPart(_SCHEMA, ("test",), bench=_bench),
        "corrections": DatasetPart(_CORRECTED_SCHEMA, ("test",), bench=refisco.bench_row, kind="corrections"),
    },
)
