"""Read built datasets as rows for `radeval bench`.

There are four kinds of rows:

- `rated`: `{"id", "study", "prediction", "reference", "expert": {…}}`. `expert` has some of `errors`,
  `significant_errors`, `rating`, `preferred` and `confidence`. Each is a number, or a list with one number per rater
  (None if that rater did not read the pair). It may also have `categories`, with values of the same form:
  `{"<category>": {"significant": …, "insignificant": …}}`. An optional `candidate` names what wrote the prediction.
- `triads`: `{"id", "original", "synonym", "opposite"}`.
- `corrections`: a report, its corrected form and the corrections; see `refisco`.
- `entities`: `{"id", "tokens", "tags"}`, one IOB tag per token; see `rate_ner`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from radeval_core.data.build import build
from radeval_core.data.catalogue import dataset_names, get_dataset
from radeval_core.data.dataset import Dataset, Row, file_hash, read_manifest
from radeval_core.errors import InputError, unknown_name

#: environment variable that holds the folder of built datasets
DATA_VARIABLE = "RADEVAL_DATA"


@dataclass(frozen=True)
class BenchRows:
    """The rows of one split and their provenance.

    Attributes:
        kind: `rated`, `triads`, `corrections` or `entities`.
        rows: the rows, in the order of the split.
        provenance: `dataset`, `revision`, `config` and `split`.
    """

    kind: str
    rows: list[Row]
    provenance: dict[str, str]


def read_built(folder: Path, config: str | None = None, split: str | None = None) -> BenchRows:
    """Read the rows of a built folder. Config and split default to the ones the dataset declares for benchmarks."""
    manifest = read_manifest(folder)
    dataset = get_dataset(manifest["dataset"])
    config, split = _choose(dataset, config, split)
    part = dataset.configs[config]
    assert part.bench is not None  # _choose checked it
    rows = [row for entry in read_rows(folder, config, split) for row in part.bench(entry)]
    provenance = {"dataset": dataset.name, "revision": str(manifest["revision"]), "config": config, "split": split}
    return BenchRows(part.kind, rows, provenance)


def read_rows(folder: Path, config: str, split: str) -> list[Row]:
    """Return the rows of one split of a built folder, with all columns."""
    name, path = f"{config}/{split}.parquet", folder / config / f"{split}.parquet"
    try:
        if file_hash(path) != read_manifest(folder)["files"].get(name):
            raise InputError(f"{path}: changed since it was built; build the dataset again")
        rows: list[Row] = pq.read_table(path, partitioning=None).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read: {error}; build the dataset again") from error
    return rows


def find_data(name_or_dir: str | Path) -> Path:
    """Return the built folder of a dataset.

    Args:
        name_or_dir: the name of a dataset, or a built folder. A name is looked up as `$RADEVAL_DATA/<name>`, then as
            `./<name>`. If `radcheck` is in neither place, it is generated.
    """
    name = str(name_or_dir)
    if name not in dataset_names():
        if not Path(name).is_dir():
            kind, names = "dataset or folder", dataset_names()
            raise unknown_name(kind, name, names) if os.sep not in name else InputError(f"no folder {name}")
        return Path(name)
    roots = [Path(root) for root in (os.environ.get(DATA_VARIABLE), ".") if root]
    for root in roots:
        if (root / name).is_dir():
            return root / name
    dataset = get_dataset(name)
    if dataset.generate:
        return Path(_generated(name).name)
    target = Path(os.environ.get(DATA_VARIABLE) or ".") / name
    raise InputError(
        f"{name} is not built yet: looked in {' and '.join(str(root / name) for root in roots)}; "
        f"type: radeval data build {name} --source PATH --out {target} (PATH: {dataset.source})"
    )


@cache
def _generated(name: str) -> TemporaryDirectory[str]:
    """Generate a dataset in a temporary folder that exists until this process ends."""
    folder = TemporaryDirectory(prefix=f"radeval_{name}_")
    build(name, None, folder.name)
    return folder


def _choose(dataset: Dataset, config: str | None, split: str | None) -> tuple[str, str]:
    """Check the requested config and split; use the dataset's default for what is not given."""
    rated: dict[str, Any] = {name: part for name, part in dataset.configs.items() if part.bench}
    if not rated:
        raise InputError(f"{dataset.name} has no expert ratings, so `radeval bench` cannot use it")
    default = dataset.default_bench or (next(iter(rated)), "test")
    config = config or default[0]
    if config not in rated:
        raise unknown_name(f"benchmark config of {dataset.name}", config, rated)
    splits = rated[config].splits
    if split is None:
        split = default[1] if config == default[0] else splits[-1]
    if split not in splits:
        raise unknown_name(f"split of {dataset.name} {config}", split, splits)
    return config, split
