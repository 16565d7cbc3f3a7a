"""List the fields in the `details` of a metric with their types, for docs/details.md and its test."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_NAMES = {bool: "boolean", int: "integer", float: "number", str: "text", type(None): "null", dict: "object"}


def fields_of(details: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return the types of every field, such as `corrections[].line`, in the order they appear.

    A list of objects is a field, and so are the keys of its items. An object that only groups fields is none.
    """
    fields: dict[str, set[str]] = {}
    for detail in details:
        for path, kind in _walk(json.loads(json.dumps(detail)), ""):
            fields.setdefault(path, set()).add(kind)
    return fields


def section(name: str, details: Iterable[Mapping[str, Any]]) -> str:
    """Return the section of a metric in docs/details.md, with a dash for what each field means."""
    rows = "".join(f"| `{path}` | {_type(kinds)} | - |\n" for path, kinds in fields_of(details).items())
    return f"## {name}\n\n| field | type | meaning |\n|---|---|---|\n{rows}"


def _walk(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, f"{path}.{key}" if path else key)
        return
    yield path, _kind(value)
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from _walk(item, f"{path}[]")


def _kind(value: Any) -> str:
    if not isinstance(value, list):
        return _NAMES[type(value)]
    kinds = {"list" if isinstance(item, list) else _kind(item) for item in value}
    return f"list of {_type(kinds)}" if kinds else "list"


def _type(kinds: set[str]) -> str:
    """Return one name for several types: an integer is a number, an empty list is a list of anything."""
    for part, whole in (("integer", "number"), ("list of integer", "list of number")):
        if {part, whole} <= kinds:
            kinds = kinds - {part}
    full = sorted(kinds - {"list"}) if any(kind.startswith("list of") for kind in kinds) else sorted(kinds)
    return " or ".join(sorted(full, key=lambda kind: kind == "null"))
