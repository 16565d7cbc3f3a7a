"""Checks of single values from strangers: texts, addresses and keys, with the problem in words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

#: number of problems that are kept; a hostile file has millions
MAX_PROBLEMS = 1000
#: invisible characters that reverse or hide the text around them
_BIDI = re.compile("[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def text_problem(value: Any, most: int) -> str:
    """Return why a value is not a text of at most so many characters; empty if it is one."""
    if not isinstance(value, str):
        return f"must be text, got {kind_in_words(value)}"
    if not value.strip():
        return "is empty"
    return f"has {len(value):,} characters: at most {most:,}" if len(value) > most else ""


def odd_characters(text: str, one_line: bool = False) -> str:
    """Return a description of the first character that a report or a name must not contain; empty if all are fine."""
    for character in text:
        kind = unicodedata.category(character)
        control = kind == "Cc" and (one_line or character not in "\n\r\t")
        hidden = one_line and (kind in ("Zl", "Zp", "Co") or _BIDI.match(character))
        if control or hidden or kind == "Cs":
            return f"the control character U+{ord(character):04X}"
    return ""


def is_https(link: str) -> bool:
    """Return True for a plain https address without port, account or characters that end an attribute."""
    try:
        parts = urlsplit(link)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    plain = re.fullmatch(r"[!-~]+", link) and not re.search(r"[\"'<>\\^`{|}]", link)
    name = re.fullmatch(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?", host)
    return bool(parts.scheme == "https" and plain and name and port is None and "@" not in parts.netloc)


def unknown_keys(row: Mapping[str, Any], known: tuple[str, ...], where: str, problems: list[str]) -> None:
    """Add a problem for each key that is not known."""
    for key in row:
        if key not in known and len(problems) <= MAX_PROBLEMS:
            problems.append(f"{where}: unknown key {key[:60]!r}; known keys: {', '.join(known)}")


def kind_in_words(value: Any) -> str:
    """Return the type of a JSON value in plain words for the submitter."""
    names = {type(None): "nothing", bool: "true or false", int: "a number", float: "a number", str: "text"}
    return names.get(type(value), "a list" if isinstance(value, list) else "an object")
