"""Declare a dataset and write its rows as Parquet files that `datasets.load_dataset(DIR, config)` opens.

A built folder contains the card (`README.md`, whose YAML lists configs, splits and features), one file per split
(`<config>/<split>.parquet`), and `radeval.json`, which records what was built and by which version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from radeval_core import __version__
from radeval_core.errors import InputError
from radeval_core.io.folders import check_folder, replacing_folder

Row = dict[str, Any]
#: rows of each split of each config
Tables = Mapping[str, Mapping[str, list[Row]]]
MANIFEST, CARD = "radeval.json", "README.md"


@dataclass(frozen=True)
class DatasetPart:
    """One config of a dataset.

    Attributes:
        schema: columns and their types; every row has all of them.
        splits: names of its splits, in order.
        bench: turns a row into rows of `radeval bench` (see `bench_rows`); None if there are no expert ratings.
        kind: kind of those rows: `rated`, `triads`, `corrections` or `entities`.
    """

    schema: pa.Schema
    splits: tuple[str, ...]
    bench: Callable[[Row], list[Row]] | None = None
    kind: str = "rated"


@dataclass(frozen=True)
class Dataset:
    """A dataset that `radeval data build` can build.

    Attributes:
        name: its name on the command line and on the Hub.
        about: one-line description.
        source: one-line description of `--source`; empty if the dataset is generated and needs none.
        terms: its licence, and whether it may be published.
        configs: its configs, the default first.
        read: reads and checks the publisher's files at a path, or generates the rows (path None); raises `InputError`
            with the file and row.
        publishable: True if `radeval data push` may upload it; credentialed data may not leave the machine.
        default_bench: config and split that `radeval bench --data` uses by default.
        generate: returns the rows for a seed, if the dataset is generated.
        remarks: returns notes for the user about the rows, one per line, such as a count that differs from the
            publisher's.
    """

    name: str
    about: str
    source: str
    terms: str
    configs: Mapping[str, DatasetPart]
    read: Callable[[Path | None], Tables]
    publishable: bool = False
    default_bench: tuple[str, str] | None = None
    generate: Callable[[int], Tables] | None = None
    remarks: Callable[[Tables], list[str]] | None = None

    def files(self) -> list[str]:
        """Return the paths of the Parquet files, relative to the built folder."""
        return [f"{config}/{split}.parquet" for config, part in self.configs.items() for split in part.splits]


def write(dataset: Dataset, tables: Tables, card: str, out: Path) -> dict[str, Any]:
    """Write a dataset to a new or empty folder, or in place of an earlier build. The same rows give the same bytes.

    The files are written next to the folder, which is replaced in one step: an earlier build stays until then.

    Returns:
        The manifest: name, revision (a hash of all rows), core version, row count per split, and hash of each file.
    """
    target = check_room(dataset, out)
    with replacing_folder(target, last=MANIFEST, private=not dataset.publishable) as folder:
        return _write_files(dataset, tables, card, folder)


def _write_files(dataset: Dataset, tables: Tables, card: str, folder: Path) -> dict[str, Any]:
    digest, rows, files = hashlib.sha256(), dict[str, dict[str, int]](), dict[str, str]()
    for config, part in dataset.configs.items():
        (folder / config).mkdir()
        for split in part.splits:
            table = pa.Table.from_pylist(tables[config][split], schema=part.schema)
            # hash rows, not file bytes: a new version of the Parquet writer must not change the revision
            digest.update(json.dumps([config, split, table.to_pylist()], ensure_ascii=False).encode())
            path = folder / config / f"{split}.parquet"
            pq.write_table(table, path)
            files[f"{config}/{split}.parquet"] = file_hash(path)
            rows.setdefault(config, {})[split] = table.num_rows
    manifest = {
        "dataset": dataset.name,
        "revision": digest.hexdigest()[:12],
        "core": __version__,
        "rows": rows,
        "files": files,
    }
    (folder / CARD).write_text(card, encoding="utf-8", newline="\n")
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8", newline="\n")
    return manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a built folder."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{folder} is not a built dataset: no {MANIFEST} in it; see `radeval data build`") from error
    except ValueError as error:
        raise InputError(f"{path}: cannot be read: {error}; build the dataset again") from error
    kinds = {"dataset": str, "revision": str, "rows": dict, "files": dict}
    for field, kind in kinds.items():
        if not isinstance(manifest, dict) or not isinstance(manifest.get(field), kind):
            raise InputError(f"{path}: field {field!r} is missing or wrong; build the dataset again")
    return dict(manifest)


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_room(dataset: Dataset, out: Path) -> Path:
    """Return the folder if it is new, empty or an earlier build of this dataset. Refuse one that has anything else."""
    target = check_folder(out, MANIFEST)
    if not target.exists() or not any(target.iterdir()):
        return target
    if not (target / MANIFEST).is_file():
        raise InputError(f"{out} is not empty and not a built dataset; give another folder")
    earlier = read_manifest(target)
    if earlier["dataset"] != dataset.name:
        raise InputError(f"{out} contains the dataset {earlier['dataset']!r}; give another folder for {dataset.name!r}")
    known = {MANIFEST, CARD, *earlier["files"], *dataset.files()}
    found = (
        path.relative_to(target).as_posix() for path in target.rglob("*") if not path.is_dir() or path.is_symlink()
    )
    for name in sorted(found):
        if name not in known:
            raise InputError(f"{out} contains {name}, which is not of the dataset: move it, or give another folder")
    return target
