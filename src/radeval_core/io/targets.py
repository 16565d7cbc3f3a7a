"""Check where results shall be written, before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from radeval_core.errors import InputError, OutputError
from radeval_core.io.atomic import probe

ROW_SUFFIXES = (".jsonl", ".csv", ".parquet")


def check_output(
    path: str | Path,
    suffixes: tuple[str, ...] = ROW_SUFFIXES,
    option: str = "--out",
    inputs: Iterable[str | Path | None] = (),
) -> Path:
    """Return the path if results can be written there.

    Args:
        path: the output.
        suffixes: the endings it may have.
        option: the option that names it, for errors.
        inputs: files that are read; none of them may be overwritten, whatever name leads to it.
    """
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise InputError(f"{option} {path}: the name must end in {', '.join(suffixes)}")
    if path.is_dir():
        raise InputError(f"{option} {path}: is a folder, give a file name")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path}: folder {path.parent} does not exist")
    if path.exists() and not path.is_file():
        raise InputError(f"{option} {path}: is not a regular file, give another name")
    for read in inputs:
        if read and same_file(path, Path(read)):
            raise InputError(f"{option} {path}: is the input {read}, which would be lost: give another name")
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"{option} {path}: is read-only")
    try:
        probe(path)
    except OSError as error:
        raise InputError(f"{option} {path}: cannot be written: {error.strerror or error}") from error
    return path


def check_distinct(outputs: Mapping[str, Path | None]) -> None:
    """Refuse two outputs that are the same file; `outputs` by option."""
    given = [(option, path) for option, path in outputs.items() if path]
    for at, (option, path) in enumerate(given):
        for other, before in given[:at]:
            if same_file(path, before):
                raise InputError(f"{other} and {option} are the same file: {path}")


def same_file(one: Path, other: Path) -> bool:
    """Return True if two names lead to one file, also through symbolic or hard links."""
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them does not exist
        return os.path.realpath(one) == os.path.realpath(other)


@contextmanager
def kept_going(failures: list[OutputError]) -> Iterator[None]:
    """Keep an `OutputError` of the block for later, so that the results are still printed."""
    try:
        yield
    except OutputError as error:
        failures.append(error)


def raise_failures(failures: list[OutputError]) -> None:
    """Raise one error for all outputs that could not be written, if there are any."""
    if failures:
        raise OutputError("; ".join(map(str, failures)))
