"""Read the rows of a `.json` file: a list of objects, which is streamed, or an object of columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from radeval_core.errors import InputError
from radeval_core.io.columns import shown
from radeval_core.io.notes import Notes
from radeval_core.io.text_stream import open_text

_SPACE = " \t\r\n"
_BLOCK = 1 << 16
_LAYOUTS = "a list of objects, or an object of columns (lists of the same length)"


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; refuse one that has a key twice."""
    row = dict(pairs)
    if len(row) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"key {shown(twice)} occurs twice: rename or remove one")
    return row


#: reads JSON and refuses keys that occur twice; one decoder for all rows, because making one takes longer than a row
DECODER = json.JSONDecoder(object_pairs_hook=unique_keys)


#: what the decoder raises besides `JSONDecodeError`
UNREADABLE = (ValueError, RecursionError)


def why_unreadable(error: Exception) -> str:
    """Return what is wrong with a value that is JSON, but cannot be read."""
    if isinstance(error, InputError):
        return str(error)
    return "nested too deeply" if isinstance(error, RecursionError) else "a whole number has too many digits"


def json_values(path: Path, notes: Notes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a JSON file, each with its place: `FILE: row N`."""
    with open_text(path, notes) as file:
        window = _Window(path, file)
        start = window.peek()
        if start == "[":
            rows: Iterator[Any] = _list_items(window)
        elif start == "{":
            rows = _column_rows(path, window.value(0))
            window.expect_end()
        else:
            raise InputError(f"{path}: {'empty' if not start else 'not a table'}: expected {_LAYOUTS}")
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, dict):
                raise InputError(f"{path}: row {number}: expected a JSON object, got {type(row).__name__}")
            yield f"{path}: row {number}", row


class _Window:
    """The part of a JSON text that is in memory: from what is read next to the end of the last block."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path, self._file = path, file
        self._text, self._at, self._line = "", 0, 1

    def peek(self) -> str:
        """Return the next character that is not space, or nothing at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more(_BLOCK):
                return ""

    def skip(self) -> None:
        """Pass over the character that was peeked at."""
        self._at += 1

    def value(self, row: int) -> Any:
        """Return the next value; it may be cut at the end of a block, so more is read before it is refused."""
        size = _BLOCK
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._more(size):
                    size *= 2
                    continue
                raise self.error(error.msg, error.pos) from None
            except UNREADABLE as error:
                where = f"{self._path}: row {row}" if row else f"{self._path}"
                raise InputError(f"{where}: {why_unreadable(error)}") from None
            self._at = end
            return value

    def expect_end(self) -> None:
        """Refuse anything after the end of the table."""
        if self.peek():
            raise self.error("more text after the end; a file with one object per line is named .jsonl", self._at)

    def error(self, what: str, at: int | None = None) -> InputError:
        """Return an error that names the line."""
        at = self._at if at is None else at
        line = self._line + self._text.count("\n", 0, at)
        return InputError(f"{self._path}: line {line}: not valid JSON ({what})")

    def _more(self, size: int) -> bool:
        block = self._file.read(size)
        self._line += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :] + block, 0
        return bool(block)


def _list_items(window: _Window) -> Iterator[Any]:
    window.skip()
    number = 0
    if window.peek() != "]":
        while True:
            number += 1
            if window.peek() != "{":
                raise window.error(f"row {number} is not an object; expected {_LAYOUTS}")
            yield window.value(number)
            if (mark := window.peek()) == "]":
                break
            if mark != ",":
                raise window.error(f"expected ',' or ']' after row {number}")
            window.skip()
    window.skip()
    window.expect_end()


def _column_rows(path: Path, table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the rows of an object of columns. pandas writes each column as an object of rows; that is taken too."""
    columns = {name: list(column.values()) if isinstance(column, dict) else column for name, column in table.items()}
    keys = {tuple(column) for column in table.values() if isinstance(column, dict)}
    lengths = {len(column) if isinstance(column, list) else -1 for column in columns.values()}
    if len(lengths) != 1 or -1 in lengths or len(keys) > 1:
        raise InputError(f"{path}: expected {_LAYOUTS}")
    return (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
