"""Read JSON with the slips that language models make, where it is certain what is meant.

Accepted: quotes inside a text without a backslash, a backslash before a character that needs none, line breaks in a
text, a comma before a closing bracket, a key without its opening quote, a text in an object that has no value, and an
empty key before a list. Everything else is an error: nothing is closed, completed or left out.
"""

from __future__ import annotations

import re
from typing import Any

#: nested brackets in an answer; the requested form has four
_DEEPEST = 20
_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?")
_WORDS = {"true": True, "false": False, "null": None}
_BARE_KEY = re.compile(r'([A-Za-z_][\w ]{0,40})"\s*:')
#: what follows the closing quote of a key, of a text in an object, and of a text in a list
_AFTER_KEY = re.compile(r"\s*:")
_AFTER_MEMBER = re.compile(r'\s*(?:\}|,\s*(?:\}|"[^"]{0,40}"\s*[:,}]|[A-Za-z_]\w{0,40}"\s*:))')
_AFTER_ITEM = re.compile(r'\s*(?:\]|,\s*(?:\]|"|\{|\[))')
#: an empty key before a list, in a list: `["": ["R1"]`
_EMPTY_KEY = re.compile(r'""\s*:\s*\[')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_UNICODE = re.compile(r"u([0-9a-fA-F]{4})")


def read_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """Return the object that begins at an offset, and the offset of its end. Of equal keys the first counts.

    Raises:
        ValueError: there is none; the message says where reading stopped, and quotes nothing.
    """
    reader = _Reader(text, start)
    found = reader.object(0)
    return found, reader.place


class _Reader:
    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place

    def object(self, depth: int) -> dict[str, Any]:
        self._take("{")
        found: dict[str, Any] = {}
        while not self._taken("}"):
            key = self._key()
            if self._taken(":"):
                value = self._value(depth + 1, _AFTER_MEMBER)
                found.setdefault(key, value)
            if not self._taken(",") and self._next() != "}":
                raise self._problem("a comma or a closing brace")
        return found

    def _list(self, depth: int) -> list[Any]:
        self._take("[")
        self._skip()
        if empty := _EMPTY_KEY.match(self.text, self.place):
            self.place = empty.end()
        found: list[Any] = []
        while not self._taken("]"):
            found.append(self._value(depth + 1, _AFTER_ITEM))
            if not self._taken(",") and self._next() != "]":
                raise self._problem("a comma or a closing bracket")
        return found

    def _value(self, depth: int, after_text: re.Pattern[str]) -> Any:
        first = self._next()
        if depth > _DEEPEST:
            raise self._problem("fewer nested brackets")
        if first == "{":
            return self.object(depth)
        if first == "[":
            return self._list(depth)
        if first == '"':
            return self._text(after_text)
        if number := _NUMBER.match(self.text, self.place):
            self.place = number.end()
            return float(number[0]) if set(number[0]) & set(".eE") else int(number[0])
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.place):
                self.place += len(word)
                return value
        raise self._problem("a value")

    def _key(self) -> str:
        if self._next() == '"':
            # a text without a value is left out: it ends like a member
            end = re.compile(f"{_AFTER_KEY.pattern}|{_AFTER_MEMBER.pattern}")
            return self._text(end)
        if bare := _BARE_KEY.match(self.text, self.place):
            self.place = bare.end() - 1
            return bare[1]
        raise self._problem("a key")

    def _text(self, after: re.Pattern[str]) -> str:
        """Return a text: it ends at the first quote that is followed by what must follow a text here."""
        self._take('"')
        parts: list[str] = []
        while self.place < len(self.text):
            character = self.text[self.place]
            self.place += 1
            if character == "\\":
                parts.append(self._escaped())
            elif character == '"' and after.match(self.text, self.place):
                return "".join(parts)
            else:
                parts.append(character)
        raise self._problem("a closing quote")

    def _escaped(self) -> str:
        character = self.text[self.place : self.place + 1]
        if code := _UNICODE.match(self.text, self.place):
            self.place = code.end()
            return chr(int(code[1], 16))
        if character not in _ESCAPES:
            return "\\"
        self.place += 1
        return _ESCAPES[character]

    def _skip(self) -> None:
        found = _SPACE.match(self.text, self.place)
        assert found
        self.place = found.end()

    def _next(self) -> str:
        self._skip()
        return self.text[self.place : self.place + 1]

    def _taken(self, character: str) -> bool:
        if self._next() != character:
            return False
        self.place += 1
        return True

    def _take(self, character: str) -> None:
        if not self._taken(character):
            raise self._problem(repr(character))

    def _problem(self, expected: str) -> ValueError:
        return ValueError(f"expected {expected} at character {self.place}")
