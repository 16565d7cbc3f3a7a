"""The files of a store: private, and written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.io import write_text


def utc_now() -> str:
    """Return the time as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can open."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--store {folder}: cannot be made: {error.strerror}") from error


def write_object(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object that only its owner can read, whole or not at all."""
    write_text(path, json.dumps(value, indent=1) + "\n", private=True)


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object; an error names the file and says what to do."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not valid JSON"
        raise InputError(f"{path}: cannot be read ({reason}); put a backup in its place") from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected a JSON object; put a backup in its place")
    return value


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a file with one JSON object per line."""
    try:
        return [json.loads(line) for line in path.read_bytes().splitlines()]
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read; put a backup in its place") from error
