"""ReXVal: 200 pairs of chest X-ray impressions with errors counted by six radiologists in six categories.

The source is two files of PhysioNet rexval-dataset 1.0.0:

- `50_samples_gt_and_candidates.csv`: one row per study, with `study_id, gt_report` and four candidates in the columns
  `radgraph, bertscore, s_emb, bleu`, named after the metric that retrieved them.
- `6_valid_raters_per_rater_error_categories.csv`: one row per count, with `study_number` (the row of the first file,
  from 0), `candidate_type`, `error_category` (1 to 6), `clinically_significant`, `rater_index`, `num_errors`.
"""

from __future__ import annotations

import hashlib
from itertools import product
from pathlib import Path

import pyarrow as pa

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import csv_rows, number, string

# in the order of the publisher's numbers 1 to 6
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError

REPORTS = "50_samples_gt_and_candidates.csv"
COUNTS = "6_valid_raters_per_rater_error_categories.csv"
CANDIDATES = ("radgraph", "bertscore", "s_emb", "bleu")
STUDIES, RATERS, TEST_STUDIES = 50, 6, 10
_GRAVITY = ("significant", "insignificant")
_SIGNIFICANT = {"true": True, "1": True, "false": False, "0": False}

#: study, candidate, category, significant, rater
_Key = tuple[int, str, str, bool, int]


def _read(source: Path | None) -> Tables:
    assert source is not None
    studies = _studies(source / REPORTS)
    counts, raters = _counts(source / COUNTS)
    rows = [
        _row(study, studies[study], candidate, counts, raters) for study in range(STUDIES) for candidate in CANDIDATES
    ]
    held_out = _held_out()
    return {
        "all": {"test": rows},
        "split": {
            "train": [row for row in rows if row["study"] not in held_out],
            "test": [row for row in rows if row["study"] in held_out],
        },
    }


def _studies(path: Path) -> list[Row]:
    rows = []
    for where, row in csv_rows(path, ("study_id", "gt_report", *CANDIDATES)):
        rows.append({column: string(where, row, column) for column in ("study_id", "gt_report", *CANDIDATES)})
    if len(rows) != STUDIES:
        raise InputError(f"{path}: expected {STUDIES} studies, got {len(rows)}")
    return rows


def _counts(path: Path) -> tuple[dict[_Key, int], list[int]]:
    """Return the counts by key, and the raters. Each combination must occur exactly once."""
    columns = (
        "study_number",
        "candidate_type",
        "error_category",
        "clinically_significant",
        "rater_index",
        "num_errors",
    )
    counts: dict[_Key, int] = {}
    for where, row in csv_rows(path, columns):
        candidate, significant = row["candidate_type"].strip(), row["clinically_significant"].strip().lower()
        if candidate not in CANDIDATES:
            raise InputError(f"{where}: 'candidate_type' must be one of {', '.join(CANDIDATES)}, got {candidate!r}")
        if significant not in _SIGNIFICANT:
            raise InputError(f"{where}: 'clinically_significant' must be True or False, got {significant!r}")
        key = (
            _whole(where, row, "study_number", 0, STUDIES - 1),
            candidate,
            CATEGORIES[_whole(where, row, "error_category", 1, len(CATEGORIES)) - 1],
            _SIGNIFICANT[significant],
            _whole(where, row, "rater_index", 0, 99),
        )
        if key in counts:
            raise InputError(f"{where}: duplicate count for study {key[0]}, {candidate}, rater {key[4]}")
        counts[key] = _whole(where, row, "num_errors", 0, 50)
    raters = sorted({key[4] for key in counts})
    if len(raters) != RATERS:
        raise InputError(f"{path}: expected {RATERS} raters, got {len(raters)}")
    for key in product(range(STUDIES), CANDIDATES, CATEGORIES, (True, False), raters):
        if key not in counts:
            study, candidate, category, grave, rater = key
            raise InputError(
                f"{path}: no row for study {study}, candidate {candidate}, category {CATEGORIES.index(category) + 1}, "
                f"clinically_significant {grave}, rater {rater}"
            )
    return counts, raters


def _whole(where: str, row: Row, column: str, lowest: int, highest: int) -> int:
    value = number(where, row, column, lowest, highest)
    if value != int(value):
        raise InputError(f"{where}: {column!r} must be a whole number, got {value:g}")
    return int(value)


def _row(study: int, texts: Row, candidate: str, counts: dict[_Key, int], raters: list[int]) -> Row:
    by_category = {
        f"{category}_{gravity}": [counts[study, candidate, category, gravity == "significant", r] for r in raters]
        for category, gravity in product(CATEGORIES, _GRAVITY)
    }
    grave = [counts for column, counts in by_category.items() if column.endswith("_significant")]
    return {
        "id": f"{study}-{candidate}",
        "study": str(study),
        "study_id": texts["study_id"],
        "candidate": candidate,
        "reference": texts["gt_report"],
        "prediction": texts[candidate],
        "errors": [sum(of_rater) for of_rater in zip(*by_category.values(), strict=True)],
        "significant_errors": [sum(of_rater) for of_rater in zip(*grave, strict=True)],
        **by_category,
    }


def _held_out() -> set[str]:
    """Return the studies of the test split. The paper's choice is not published, so a hash chooses them."""
    order = sorted(map(str, range(STUDIES)), key=lambda study: hashlib.sha256(f"rexval {study}".encode()).hexdigest())
    return set(order[:TEST_STUDIES])


def _rated(row: Row) -> list[Row]:
    categories = {c: {gravity: row[f"{c}_{gravity}"] for gravity in _GRAVITY} for c in CATEGORIES}
    expert = {"errors": row["errors"], "significant_errors": row["significant_errors"], "categories": categories}
    return [{key: row[key] for key in ("id", "study", "candidate", "prediction", "reference")} | {"expert": expert}]


_SCHEMA = pa.schema(
    {
        **dict.fromkeys(("id", "study", "study_id", "candidate", "reference", "prediction"), pa.string()),
        "errors": pa.list_(pa.int64()),
        "significant_errors": pa.list_(pa.int64()),
        **{f"{category}_{gravity}": pa.list_(pa.int64()) for category, gravity in product(CATEGORIES, _GRAVITY)},
    }
)
DATASET = Dataset(
    name="rexval",
    about="200 pairs of chest X-ray impressions with errors counted by six radiologists",
    source=f"the folder of PhysioNet rexval-dataset 1.0.0, with {REPORTS} and {COUNTS}",
    terms="PhysioNet Credentialed Health Data License 1.5.0: may not be shared",
    read=_read,
    default_bench=("all", "test"),
    configs={
        "all": DatasetPart(_SCHEMA, ("test",), bench=_rated),
        "split": DatasetPart(_SCHEMA, ("train", "test"), bench=_rated),
    },
)
