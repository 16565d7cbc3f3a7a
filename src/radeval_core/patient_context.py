"""What is known about the patient of a pair besides the reports: age, sex, indication and history.

It changes how much a finding matters: the same air under the diaphragm is expected after a laparotomy and urgent in an
acute abdomen. It is given per pair, as columns of a file or as `contexts=[…]`; metrics that do not use it ignore it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from radeval_core.errors import InputError, unknown_name

#: days in a unit of age, by its first letter
_DAYS = {"d": 1.0, "w": 7.0, "m": 30.44, "y": 365.25}
_AGE = re.compile(
    r"[>≥]?\s*(\d{1,3}(?:\.\d{1,4})?)\s*\+?\s*-?\s*"
    r"(days?|d|weeks?|wks?|w|months?|mos?|m|years?|yrs?|yr|y)?(?:[\s./-]*(?:old|o))?[.\s]*",
    re.IGNORECASE,
)
_OLDEST = 130.0


@dataclass(frozen=True)
class PatientContext:
    """What is known about a patient; an empty text if it is not.

    Attributes:
        age: the age as given: `75`, `75 years`, `075Y`, `3 months`.
        sex: the sex as given.
        indication: why the examination was made.
        history: earlier diseases, operations and examinations.
    """

    age: str = ""
    sex: str = ""
    indication: str = ""
    history: str = ""

    @cached_property
    def years(self) -> float | None:
        """Return the age in years; None if it is not known."""
        return age_in_years(self.age) if self.age else None

    def as_dict(self) -> dict[str, str]:
        """Return the fields that are known, in their order."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}


#: the fields of a context, as columns of a file are named
CONTEXT_FIELDS = tuple(field.name for field in fields(PatientContext))
#: the columns of a file that give a context: its fields, or one column with all of them
CONTEXT_COLUMNS = ("context", *CONTEXT_FIELDS)


def age_in_years(text: str) -> float | None:
    """Return an age in years, or None if the text is no age: `75`, `75 years`, `75-year-old`, `075Y`, `3 months`."""
    found = _AGE.fullmatch(text.strip())
    if not found:
        return None
    years = float(found[1]) * _DAYS[(found[2] or "y")[0].lower()] / _DAYS["y"]
    return years if years <= _OLDEST else None


def read_context(where: str, value: Any) -> PatientContext | None:
    """Return the context in a mapping, or in JSON text of one; None if it says nothing.

    Args:
        where: the place of the value, for errors.
        value: a mapping with some of the fields, a context, or None.
    """
    if value is None or value != value or value == "":
        return None
    if isinstance(value, PatientContext):
        value = value.as_dict()
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = ""
    if not isinstance(value, Mapping):
        kind = "text that is no JSON object" if value == "" else type(value).__name__
        raise InputError(f"{where} must be a mapping with {', '.join(CONTEXT_FIELDS)}, got {kind}")
    for key in value:
        if key not in CONTEXT_FIELDS:
            raise unknown_name(f"field of {where}", str(key), list(CONTEXT_FIELDS))
    known = {name: _text(f"{where}[{name!r}]", name, given) for name, given in value.items()}
    context = PatientContext(**known)
    return context if context.as_dict() else None


def context_of_row(where: str, row: Mapping[str, Any], columns: Mapping[str, str]) -> PatientContext | None:
    """Return the context of a row of a table; None if it has none.

    Args:
        where: file and line, for errors.
        row: the cells by column.
        columns: the column of each of CONTEXT_COLUMNS that the table has.
    """
    whole = read_context(f"{where}: column {columns.get('context')!r}", row.get(columns.get("context", "")))
    known = dict(whole.as_dict()) if whole else {}
    for name in CONTEXT_FIELDS:
        column = columns.get(name)
        text = _text(f"{where}: column {column!r}", name, row.get(column)) if column else ""
        if text and name in known:
            raise InputError(f"{where}: {name} is in column {column!r} and in {columns['context']!r}: give it once")
        known[name] = text or known.get(name, "")
    context = PatientContext(**known)
    return context if context.as_dict() else None


def read_contexts(values: Any, pairs: int | None = None) -> list[PatientContext | None]:
    """Return the contexts of pairs, given as a list with a mapping or None per pair.

    Args:
        values: the list.
        pairs: number of pairs, if it is known.
    """
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Sequence):
        kind = type(values).__name__
        raise InputError(f"contexts must be a list with a mapping or None per pair, got {kind}")
    if pairs is not None and len(values) != pairs:
        raise InputError(f"contexts must have one entry per pair: got {len(values)} for {pairs} pairs")
    return [read_context(f"contexts[{i}]", value) for i, value in enumerate(values)]


def _text(where: str, name: str, value: Any) -> str:
    """Return the text of a field; empty if there is none."""
    if value is None or value != value:
        return ""
    if name == "age" and isinstance(value, (int, float)) and not isinstance(value, bool):
        value = f"{value:g}"
    if not isinstance(value, str):
        raise InputError(f"{where} must be a text, got {type(value).__name__}")
    value = value.strip()
    if name == "age" and value and age_in_years(value) is None:
        forms = "a number of years, '75 years', '075Y' or '3 months'"
        raise InputError(f"{where} is no age: give {forms}, or leave it empty")
    return value
