"""RaTE-Eval: sentences and paragraphs judged by radiologists, and sentences with a synonym and an opposite.

The source is the JSON files in the folders `Task1_sentence_rate`, `Task2_paragraph_rate` and `Task3_synthetic_rate` of
huggingface.co/datasets/Angelakeke/RaTE-Eval (folder names from its file tree). We could not look up the names of files
and columns: `rate_eval_columns.yaml` lists the accepted names; for any other, the error lists what was found. A file
with `train` or `test` in its name is that split. If no file of a task has one, we split it 8 to 2 as in the paper, with
no reference in both splits.

Sentence level (paper, section 3): two radiologists counted errors in six categories and potential errors. The rating is
errors divided by potential errors, so higher is worse. Paragraph level: 0 (nothing right) to 5 (perfect).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import json_rows, number, stable_order, string
from radeval_core.errors import InputError

SPLITS = ("train", "test")
#: at least this share of the pairs is in the test split
_TEST_SHARE = 0.2
#: columns that must be present in the tasks that declare them
_NEEDED = frozenset({"reference", "prediction", "rating", "original", "synonym", "opposite"})
_TEXT, _NUMBERS = pa.string(), pa.list_(pa.float64())
_PAIR = [(name, _TEXT) for name in ("id", "study", "modality", "anatomy", "reference", "prediction")]
SENTENCE = pa.schema([*_PAIR, *((name, _NUMBERS) for name in ("errors", "potential_errors", "normalised_errors"))])
PARAGRAPH = pa.schema([*_PAIR, ("rating", _NUMBERS)])
SYNTHETIC = pa.schema([(name, _TEXT) for name in ("id", "original", "synonym", "opposite")])


def read(source: Path | None) -> Tables:
    """Read all three tasks."""
    if source is None or not source.is_dir():
        folders = ", ".join(task["folder"] for task in _layout().values())
        raise InputError(f"--source {source}: expected a folder that contains {folders}")
    sentences = _split(_rows(source, "sentence_level", _sentence))
    paragraphs = _split(_rows(source, "paragraph_level", _paragraph))
    triads = [row for _, row in _rows(source, "synthetic", _triad)]
    return {"sentence_level": sentences, "paragraph_level": paragraphs, "synthetic": {"test": triads}}


def bench_sentence(row: Row) -> list[Row]:
    """Return the paper's rating: errors per potential error, one value per radiologist."""
    return [{**_pair(row), "expert": {"errors": row["normalised_errors"]}}]


def bench_paragraph(row: Row) -> list[Row]:
    """Return the ratings, one per radiologist."""
    return [{**_pair(row), "expert": {"rating": row["rating"]}}]


def _pair(row: Row) -> Row:
    return {key: row[key] for key in ("id", "study", "prediction", "reference")}


def _layout() -> dict[str, dict[str, Any]]:
    text = resources.files("radeval_core.data").joinpath("rate_eval_columns.yaml").read_text("utf-8")
    layout: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return layout


def _rows(source: Path, config: str, make: Callable[[str, Row], Row]) -> Iterator[tuple[str, Row]]:
    """Yield the split and the row for every row of a task; the split is "" if the file name does not give it."""
    task = _layout()[config]
    folder = source / task["folder"]
    files = sorted(folder.glob("*.json")) + sorted(folder.glob("*.jsonl"))
    if not files:
        raise InputError(f"{folder}: no such folder, or no JSON file in it")
    split_of = {path: next((split for split in SPLITS if split in path.stem.lower()), "") for path in files}
    if any(split_of.values()):
        # a file with all rows next to the split files would bring every row twice
        files = [path for path in files if split_of[path]]
    uses: Counter[str] = Counter()
    for path in files:
        for index, (where, given) in enumerate(json_rows(path)):
            named = _named(where, given, task["columns"])
            key = "-".join(filter(None, (config, split_of[path], str(named.get("id", index)))))
            uses[key] += 1
            # several candidates of one reference may share its id
            yield split_of[path], {"id": f"{key}-{uses[key]}" if uses[key] > 1 else key, **make(where, named)}


def _named(where: str, row: Row, columns: Mapping[str, list[str]]) -> Row:
    """Rename the columns of a row to our names."""
    named: Row = {}
    for ours, theirs in columns.items():
        found = [name for name in theirs if name in row]
        if len(found) > 1:
            raise InputError(f"{where}: {' and '.join(map(repr, found))} name the same column {ours!r}; keep one")
        if found:
            named[ours] = row[found[0]]
    for ours in sorted(_NEEDED.intersection(columns) - named.keys()):
        names = ", ".join(map(repr, columns[ours]))
        raise InputError(f"{where}: {ours!r} is missing; accepted names: {names}; found {', '.join(map(repr, row))}")
    return named


def _about(where: str, row: Row) -> Row:
    reference, prediction = string(where, row, "reference"), string(where, row, "prediction")
    about = {name: str(row.get(name) or "") for name in ("modality", "anatomy")}
    study = stable_order(reference)[:16]
    return {"study": study, **about, "reference": reference, "prediction": prediction}


def _sentence(where: str, row: Row) -> Row:
    about = _about(where, row)
    if "errors" not in row and "normalised_errors" in row:
        rates = _numbers(where, row, "normalised_errors")
        return {**about, "errors": [], "potential_errors": [], "normalised_errors": rates}
    errors, potential = (_numbers(where, row, name) for name in ("errors", "potential_errors"))
    if len(errors) != len(potential):
        raise InputError(f"{where}: 'errors' has {len(errors)} raters, 'potential_errors' has {len(potential)}")
    if any(made and not possible for made, possible in zip(errors, potential, strict=True)):
        raise InputError(f"{where}: a rater has errors but no potential errors")
    rates = [made / possible if possible else 0.0 for made, possible in zip(errors, potential, strict=True)]
    return {**about, "errors": errors, "potential_errors": potential, "normalised_errors": rates}


def _paragraph(where: str, row: Row) -> Row:
    return {**_about(where, row), "rating": _numbers(where, row, "rating", highest=5)}


def _triad(where: str, row: Row) -> Row:
    return {name: string(where, row, name) for name in ("original", "synonym", "opposite")}


def _numbers(where: str, row: Row, column: str, highest: float = 1000) -> list[float]:
    """Return one number per radiologist. A single number is one radiologist's, or the mean."""
    if column not in row:
        names = ", ".join(map(repr, _layout()["sentence_level"]["columns"][column]))
        raise InputError(f"{where}: {column!r} is missing; accepted names: {names}")
    values = row[column] if isinstance(row[column], list) else [row[column]]
    if not values:
        raise InputError(f"{where}: {column!r} is an empty list")
    return [number(where, {column: value}, column, 0, highest) for value in values]


def _split(rows: Iterator[tuple[str, Row]]) -> dict[str, list[Row]]:
    labelled = list(rows)
    if any(split for split, _ in labelled):
        return {split: [row for of, row in labelled if of == split] for split in SPLITS}
    sizes = Counter(row["study"] for _, row in labelled)
    held_out: set[str] = set()
    tested = 0
    for study in sorted(sizes):  # the study id is a hash of its reference, so the split does not depend on row order
        if tested >= _TEST_SHARE * len(labelled):
            break
        held_out.add(study)
        tested += sizes[study]
    return {
        "train": [row for _, row in labelled if row["study"] not in held_out],
        "test": [row for _, row in labelled if row["study"] in held_out],
    }


DATASET = Dataset(
    name="rate_eval",
    about="sentences and paragraphs of MIMIC-IV reports judged by radiologists; synonyms and opposites",
    source="the folder of huggingface.co/datasets/Angelakeke/RaTE-Eval (Task1_sentence_rate, …)",
    terms="CC BY 4.0, and the PhysioNet terms of MIMIC-IV: may not be published",
    configs={
        "sentence_level": DatasetPart(SENTENCE, SPLITS, bench_sentence),
        "paragraph_level": DatasetPart(PARAGRAPH, SPLITS, bench_paragraph),
        "synthetic": DatasetPart(SYNTHETIC, ("test",), lambda row: [row], "triads"),
    },
    read=read,
    default_bench=("sentence_level", "test"),
)
