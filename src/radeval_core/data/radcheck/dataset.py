"""Declare radcheck for `radeval data` and `radeval bench`. The rows come from `generate`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.radcheck.generate import CONFIGS
from radeval_core.error_categories import CATEGORIES

_TEXT, _COUNT = pa.string(), pa.int64()
_ENTITY = pa.struct({"start": _COUNT, "end": _COUNT, "label": _TEXT, "text": _TEXT})
_ERROR = pa.struct({"category": _TEXT, "significant": pa.bool_(), "finding": _TEXT, "before": _TEXT, "after": _TEXT})
_COUNTS = [f"{category}_{grave}" for category in CATEGORIES for grave in ("significant", "insignificant")]


def tables(seed: int) -> Tables:
    """Generate all rows for one seed."""
    return {config: rows(seed) for config, rows in CONFIGS.items()}


def _rated(row: Row) -> list[Row]:
    categories = {
        category: {grave: row[f"{category}_{grave}"] for grave in ("significant", "insignificant")}
        for category in CATEGORIES
    }
    expert = {"errors": row["errors"], "significant_errors": row["significant_errors"], "categories": categories}
    return [{key: row[key] for key in ("id", "study", "prediction", "reference")} | {"expert": expert}]


def _triad(row: Row) -> list[Row]:
    return [{key: row[key] for key in ("id", "original", "synonym", "opposite")}]


def _marked(row: Row) -> list[Row]:
    return [{key: row[key] for key in ("id", "tokens", "tags")}]


def _read(source: Path | None) -> Tables:
    return tables(0)


DATASET = Dataset(
    name="radcheck",
    about="generated reports with gold entities and gold errors by category and significance",
    source="",
    terms="Apache-2.0, open to anyone",
    publishable=True,
    read=_read,
    generate=tables,
    default_bench=("eval", "test"),
    configs={
        "ner": DatasetPart(
            pa.schema(
                {
                    "id": _TEXT,
                    "report": _TEXT,
                    "modality": _TEXT,
                    "anatomy": _TEXT,
                    "text": _TEXT,
                    "tokens": pa.list_(_TEXT),
                    "tags": pa.list_(_TEXT),
                    "entities": pa.list_(_ENTITY),
                }
            ),
            ("train", "dev", "test"),
            bench=_marked,
            kind="entities",
        ),
        "eval": DatasetPart(
            pa.schema(
                {
                    "id": _TEXT,
                    "study": _TEXT,
                    "modality": _TEXT,
                    "anatomy": _TEXT,
                    "reference": _TEXT,
                    "prediction": _TEXT,
                    "rephrased": pa.list_(_TEXT),
                    "errors": _COUNT,
                    "significant_errors": _COUNT,
                    **dict.fromkeys(_COUNTS, _COUNT),
                    "error_list": pa.list_(_ERROR),
                }
            ),
            ("train", "test"),
            bench=_rated,
        ),
        "synthetic": DatasetPart(
            pa.schema(dict.fromkeys(("id", "modality", "anatomy", "original", "synonym", "opposite"), _TEXT)),
            ("test",),
            bench=_triad,
            kind="triads",
        ),
    },
)
