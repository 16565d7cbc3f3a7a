"""The JSON of a model's answer: one object per line, with the line's number or "None" as its key, as in the paper.

Spelling variants of ratings and categories are accepted; anything else is an error that says what is wrong.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from radeval_core.corrections.types import CATEGORY_TITLES, SEVERITY

#: key of insertions
NEW_LINE = "None"
DELETE_MARK = "[delete]"
#: rating of a line without an error; such an entry is no correction
NO_ERROR = "No error"
#: limits for models whose answers are forced into the schema: without them a model may never stop
_LONGEST, _LONGEST_COMMENT, _MOST_INSERTIONS = 300, 120, 12
_RATINGS = {re.sub(r"[^a-z]|error", "", name.lower()): name for name in (*SEVERITY, NO_ERROR)}
_NUMBERS = {str(i): name for i, name in enumerate(CATEGORY_TITLES, start=1)}
#: this many letters are enough to tell one category from the others
_TELLING = 15


class LineAnswer(BaseModel):
    """A model's answer about one line."""

    model_config = ConfigDict(str_strip_whitespace=True, populate_by_name=True)

    corrections: str
    rating: str = Field(alias="clinical severity")
    comments: str = ""
    category: tuple[str, ...] = Field(alias="error category", default=())

    @model_validator(mode="before")
    @classmethod
    def _not_swapped(cls, entry: Any) -> Any:
        if isinstance(entry, dict):
            text, rating = entry.get("corrections"), entry.get("clinical severity")
            if isinstance(text, str) and _rating(text) and not (isinstance(rating, str) and _rating(rating)):
                raise ValueError(f'"corrections" holds a severity, {text!r}: it is swapped with "clinical severity"')
        return entry

    @field_validator("rating")
    @classmethod
    def _known_rating(cls, value: str) -> str:
        known = _rating(value)
        if known is None:
            raise ValueError(f"unknown severity {_short(value)}: write one of {', '.join(SEVERITY)}")
        return known

    @field_validator("category", mode="before")
    @classmethod
    def _known_categories(cls, value: Any) -> tuple[str, ...]:
        given = [value] if isinstance(value, (str, int)) else value or ()
        if not isinstance(given, (list, tuple)):
            raise ValueError("must be a list of categories")
        return tuple(dict.fromkeys(_category(one) for one in given))


def answer_schema(lines: int) -> dict[str, Any]:
    """Return the JSON schema of an answer about a report with this many lines."""
    entry = {
        "type": "object",
        "properties": {
            "corrections": {"type": "string", "minLength": 1, "maxLength": _LONGEST},
            "clinical severity": {"type": "string", "enum": list(SEVERITY)},
            "comments": {"type": "string", "maxLength": _LONGEST_COMMENT},
            "error category": {
                "type": "array",
                "items": {"type": "string", "enum": list(CATEGORY_TITLES)},
                "maxItems": len(CATEGORY_TITLES),
            },
        },
        "required": ["corrections", "clinical severity", "comments", "error category"],
        "additionalProperties": False,
    }
    correction = {"$ref": "#/$defs/correction"}
    insertions = {"type": "array", "items": correction, "maxItems": _MOST_INSERTIONS}
    return {
        "type": "object",
        "properties": {**{str(number): correction for number in range(lines)}, NEW_LINE: insertions},
        "additionalProperties": False,
        "$defs": {"correction": entry},
    }


def read_entry(where: str, entry: Any) -> LineAnswer:
    """Check and return one entry of an answer.

    Raises:
        ValueError: the entry is invalid; the message says where and what is wrong.
    """
    try:
        return LineAnswer.model_validate(entry)
    except ValidationError as error:
        problems = []
        for problem in error.errors(include_url=False, include_context=False, include_input=False):
            field = ".".join(str(part) for part in problem["loc"])
            message = problem["msg"].removeprefix("Value error, ")
            problems.append(f'"{field}": {message}' if field else message)
        raise ValueError(f"{where}: {'; '.join(problems)}") from None


def _rating(text: str) -> str | None:
    return _RATINGS.get(re.sub(r"[^a-z]|error", "", text.lower()))


def _category(given: Any) -> str:
    """Return a category from its words or its number, 1 to 6."""
    text = str(given).strip()
    words = _words(text)
    if not words and text.strip(".()") in _NUMBERS:
        return _NUMBERS[text.strip(".()")]
    if len(words) >= _TELLING:
        for name in CATEGORY_TITLES:
            if _words(name).startswith(words):
                return name
    raise ValueError(f"unknown category {_short(text)}: write one or more of {'; '.join(CATEGORY_TITLES)}")


def _words(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")
