"""Build a dataset: read the publisher's files, check every row, write the folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from radeval_core.data.cards import card_path, check_card, with_sizes
from radeval_core.data.catalogue import get_dataset
from radeval_core.data.dataset import Dataset, DatasetPart, Tables, check_room, write
from radeval_core.errors import InputError, OutputError

#: returns what is wrong with a value, or None
Check = Callable[[Any], str | None]


def build(name: str, source: str | Path | None, out: str | Path, seed: int | None = None) -> dict[str, Any]:
    """Build a dataset into a folder and return its manifest, plus `remarks` on the rows if the dataset has any.

    Args:
        name: the dataset.
        source: the publisher's files; None for a generated dataset.
        out: a new or empty folder, or one with an earlier build of the same dataset.
        seed: random seed of a generated dataset.
    """
    dataset = get_dataset(name)
    card = card_path(name).read_text(encoding="utf-8")
    check_card(dataset, card)
    try:
        check_room(dataset, Path(out))  # before the work
    except OSError as error:
        raise InputError(f"cannot write {name} to {out}: {error.strerror or error}") from error
    tables = _tables(dataset, source, seed)
    check_rows(dataset, tables)
    sizes = {
        config: {split: _size(tables[config][split], part) for split in part.splits}
        for config, part in dataset.configs.items()
    }
    try:
        manifest = write(dataset, tables, with_sizes(card, sizes), Path(out))
    except OSError as error:
        raise OutputError(f"cannot write {name} to {out}: {error.strerror or error}") from error
    return {**manifest, "remarks": dataset.remarks(tables)} if dataset.remarks else manifest


def check_rows(dataset: Dataset, tables: Tables) -> None:
    """Raise an error if a row lacks the exact declared columns and types, or if an id occurs twice in a config."""
    expected = {config: sorted(part.splits) for config, part in dataset.configs.items()}
    if {config: sorted(splits) for config, splits in tables.items()} != expected:
        raise InputError(f"{dataset.name}: expected configs and splits {expected}")
    for config, part in dataset.configs.items():
        seen: dict[Any, str] = {}
        mismatch = _checker(pa.struct(list(part.schema)), False, "row")
        for split in part.splits:
            for number, row in enumerate(tables[config][split], start=1):
                problem = mismatch(row)
                if not problem and "id" in row:
                    earlier = seen.setdefault(row["id"], f"{split} row {number}")
                    if earlier != f"{split} row {number}":
                        problem = f"duplicate id, already used in {earlier}"
                if problem:
                    named = f" (id {row['id']})" if isinstance(row, dict) and "id" in row else ""
                    raise InputError(f"{dataset.name}: {config}/{split}: row {number}{named}: {problem}")


def _tables(dataset: Dataset, source: str | Path | None, seed: int | None) -> Tables:
    if dataset.generate:
        if source is not None:
            raise InputError(f"{dataset.name} is generated; omit --source")
        return dataset.generate(seed or 0)
    if seed is not None:
        raise InputError(f"{dataset.name} is not generated; omit --seed")
    if source is None:
        raise InputError(f"{dataset.name} needs --source PATH: {dataset.source}")
    if not Path(source).exists():
        raise InputError(f"--source {source} does not exist; expected {dataset.source}")
    try:
        return dataset.read(Path(source))
    except OSError as error:
        raise InputError(f"cannot read {error.filename or source}: {error.strerror or error}") from error


def _size(rows: list[dict[str, Any]], part: DatasetPart) -> tuple[int, int]:
    table = pa.Table.from_pylist(rows, schema=part.schema)
    return table.num_rows, table.nbytes


def _checker(kind: pa.DataType, nullable: bool, where: str) -> Check:
    """Return a function that reports where a value does not have its declared type, or None.

    Arrow would silently fill, drop or convert some of these values. The checker is built once per column, not per row.
    """
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        check = _struct_check({f.name: _checker(f.type, f.nullable, repr(f.name)) for f in fields}, where)
    elif pa.types.is_list(kind):
        check = _list_check(_checker(kind.value_type, kind.value_field.nullable, f"an item of {where}"), where)
    else:
        fits = _fits(kind)

        def check(value: Any) -> str | None:
            return None if fits(value) else f"{where} must be {kind}, got {value!r}"

    return (lambda value: None if value is None else check(value)) if nullable else check


def _struct_check(checks: dict[str, Check], where: str) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, dict) or value.keys() != checks.keys():
            got = ", ".join(map(str, value)) if isinstance(value, dict) else repr(value)
            return f"{where} must have the fields {', '.join(checks)}, got {got}"
        return next((problem for name, of_field in checks.items() if (problem := of_field(value[name]))), None)

    return check


def _list_check(of_item: Check, where: str) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, list):
            return f"{where} must be a list, got {value!r}"
        return next((problem for item in value if (problem := of_item(item))), None)

    return check


def _fits(kind: pa.DataType) -> Callable[[Any], bool]:
    if pa.types.is_boolean(kind):
        return lambda value: type(value) is bool
    if pa.types.is_integer(kind):
        limit = 2 ** (kind.bit_width - 1)
        return lambda value: type(value) is int and -limit <= value < limit
    if pa.types.is_floating(kind):
        return lambda value: type(value) in (int, float) and abs(value) <= sys.float_info.max
    if pa.types.is_string(kind):
        return lambda value: isinstance(value, str)
    raise TypeError(f"no check for the type {kind}")
