"""Parse JSON from strangers: UTF-8 only, no duplicate keys, no NaN, no nesting that exhausts the stack."""

from __future__ import annotations

import json
import re
from typing import Any

from radeval_core.errors import InputError

#: allowed levels of lists and objects; a submission has three
MAX_DEPTH = 8
#: a bracket, or a whole string; a string without an end goes on to the end of the text
_BRACKET_OR_STRING = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def decode(data: bytes) -> str:
    """Decode UTF-8 bytes, without a byte order mark at the start."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"line {line}: not UTF-8 text (byte {error.start + 1}: {error.reason})") from error


def parse(text: str) -> Any:
    """Parse one JSON value; refuse duplicate keys, NaN and deep nesting, which Python's parser accepts."""
    check_depth(text)
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise InputError(f"not valid JSON ({error.msg}, {where})") from error
    except InputError:
        raise
    except ValueError as error:  # such as an integer with thousands of digits
        raise InputError(f"not valid JSON ({error})") from error


def check_depth(text: str) -> None:
    """Refuse deep nesting, which would make the parser run out of stack."""
    depth = 0
    for found in _BRACKET_OR_STRING.finditer(text):
        if found[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise InputError(f"JSON nested more than {MAX_DEPTH} levels deep: expected the layout of a submission")
        elif found[0] in "]}":
            depth -= 1


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"duplicate key {name[:60]!r} in one object")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise InputError(f"{name} is not a JSON number")
