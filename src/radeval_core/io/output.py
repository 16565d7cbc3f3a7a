"""Write results to files. Whoever opens the output sees the old file or the whole new one."""

from __future__ import annotations

import csv
import json
import math
import os
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError

ROW_SUFFIXES = (".jsonl", ".csv", ".parquet")


def check_output(path: str | Path, suffixes: tuple[str, ...] = ROW_SUFFIXES, option: str = "--out") -> Path:
    """Return the path if results can be written there."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise InputError(f"{option} {path}: the name must end in {', '.join(suffixes)}")
    if path.is_dir():
        raise InputError(f"{option} {path}: is a folder, give a file name")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path}: folder {path.parent} does not exist")
    return path


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows of `{"id", "scores": {name: float or None}}` in the format the ending names.

    Further keys of a row, such as `system` or `coverage`, become columns before the scores.
    """
    write = {".jsonl": write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}[path.suffix.lower()]
    write_atomically(path, lambda temporary: write(temporary, rows))


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8."""

    def write(temporary: Path) -> None:
        temporary.write_text(text, "utf-8")

    write_atomically(path, write)


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file next to the target, then replace the target in one step."""
    with replacing(path) as temporary:
        write(temporary)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file next to the target; it replaces the target if the block ends without an error."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # what a plain open() would have given; mkstemp makes it private
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def jsonl_writer(path: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that writes one row; the file appears under its name when the block ends without an error.

    Numbers that JSON does not have (NaN, infinity) become null.
    """
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:

        def write_row(row: Mapping[str, Any]) -> None:
            file.write(json.dumps(_finite(row), ensure_ascii=False, allow_nan=False) + "\n")

        yield write_row


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _write_csv(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for index, row in enumerate(rows):
            labels = {key: value for key, value in row.items() if key != "scores"}
            if index == 0:
                writer.writerow([*labels, *row["scores"]])
            writer.writerow([*labels.values(), *row["scores"].values()])


def _write_parquet(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    import numpy
    import pyarrow
    import pyarrow.parquet

    labels: dict[str, list[Any]] = {}
    columns: dict[str, array[float]] = {}
    for row in rows:
        for name, value in row.items():
            if name != "scores":
                labels.setdefault(name, []).append(value)
        for name, value in row["scores"].items():
            columns.setdefault(name, array("d")).append(math.nan if value is None else value)
    ids = labels["id"]
    labels["id"] = ids if all(isinstance(i, int) for i in ids) else [str(i) for i in ids]
    scores = {name: pyarrow.array(numpy.frombuffer(c), from_pandas=True) for name, c in columns.items()}  # NaN is null
    named = {name: pyarrow.array(values) for name, values in labels.items()}
    pyarrow.parquet.write_table(pyarrow.table({**named, **scores}), path)
