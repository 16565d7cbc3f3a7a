"""Read corrections from the text of an answer. An invalid answer is never guessed at: the model is asked again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from radeval_core.corrections.lines import ReportLine
from radeval_core.corrections.types import DELETE, INSERT, REWRITE, Analysis, Correction
from radeval_core.judges.fineradscore.schema import DELETE_MARK, NEW_LINE, NO_ERROR, LineAnswer, read_entry
from radeval_core.judges.json_answer import json_blocks
from radeval_core.judges.verdict import UnreadableAnswer

_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_FIELDS = {"corrections", "clinical severity"}


class _Object(list[tuple[str, Any]]):
    """A JSON object as a list of pairs, so that a repeated key is noticed."""


def read_answer(answer: str, lines: Sequence[ReportLine]) -> Analysis:
    """Return the corrections in an answer.

    Args:
        answer: the model's answer: JSON, optionally with text or fences around it.
        lines: the candidate's lines, as the model saw them.

    Raises:
        UnreadableAnswer: the answer contains no corrections, or invalid ones; the message says what is wrong.
    """
    corrections: list[Correction] = []
    seen: set[int] = set()
    try:
        for key, entry in _entries(_json_in(answer)):
            where = f"line {key}" if key != NEW_LINE else "insertion"
            number = _line_number(key, len(lines))
            if number is not None and number in seen:
                raise ValueError(f"{where} is corrected twice: give one entry a line")
            if number is not None:
                seen.add(number)
            line_answer = read_entry(where, _plain(entry, where))
            if line_answer.rating != NO_ERROR:
                corrections.append(_correction(where, None if number is None else lines[number], line_answer))
    except ValueError as error:
        raise UnreadableAnswer(str(error)) from None
    corrections.sort(key=lambda c: (c.line is None, c.line or 0))
    return Analysis(tuple(corrections))


def _json_in(answer: str) -> Any:
    """Return the only JSON value in an answer, inside a fence or not."""
    blocks = json_blocks(answer)
    found = [value for block in blocks for value in _values(block)]
    distinct = [value for i, value in enumerate(found) if value not in found[:i]]
    if not distinct:
        raise ValueError("there is no valid JSON object in the answer" + _json_problem(blocks[0]))
    if len(distinct) > 1:
        raise ValueError(f"there are {len(distinct)} different JSON objects in the answer: give one")
    return distinct[0]


def _values(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and lists of objects in a text."""
    text = _STRING_OR_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)
    decoder = json.JSONDecoder(object_pairs_hook=_Object, strict=False)
    position = 0
    while start := _OPENING.search(text, position):
        try:
            value, position = decoder.raw_decode(text, start.start())
        except RecursionError:
            return
        except ValueError:  # also raised for a number with more digits than Python accepts
            if start[0] == "{":
                return  # the object is incomplete: what follows is part of it
            position = start.end()
            continue
        if isinstance(value, _Object) or all(isinstance(item, _Object) for item in value):
            yield value


def _json_problem(text: str) -> str:
    """Return where the JSON is broken, so that the model can correct it."""
    start = text.find("{")
    if start < 0:
        return ""
    try:
        json.loads(text[start:])
    except json.JSONDecodeError as error:
        return f": {error.msg} at character {error.pos}"
    except (ValueError, RecursionError):
        pass
    return ""


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each line key with its entry, from one object or from a list of objects."""
    for item in [value] if isinstance(value, _Object) else value:
        keys = {key for key, _ in item}
        if keys & _FIELDS:  # {"line": 2, "corrections": …} instead of {"2": {"corrections": …}}
            number = next((entry for key, entry in item if key.lower() in ("line", "id", "line number")), None)
            if number is None and "line" not in keys:
                raise ValueError('a correction without a line: use the number of the line, or "None", as its key')
            yield str(number), item
            continue
        for key, entry in item:
            if key == NEW_LINE and isinstance(entry, list) and not isinstance(entry, _Object):
                yield from ((key, one) for one in entry)
            else:
                yield key, entry


def _line_number(key: str, count: int) -> int | None:
    """Return the line number that a key names, or None for an insertion."""
    name = re.sub(r"^line\s*|[\[\]\s]", "", key.strip(), flags=re.IGNORECASE)
    if name.lower() in ("none", "null", "new"):
        return None
    if not re.fullmatch(r"\d{1,6}", name):
        raise ValueError(f'the key {key[:40]!r} is neither the number of a line nor "None"')
    if int(name) >= count:
        known = f"they are numbered 0 to {count - 1}" if count else "it has none"
        raise ValueError(f"line {int(name)} does not exist in the candidate report: {known}")
    return int(name)


def _plain(entry: Any, where: str) -> dict[str, Any]:
    """Return an entry as a dict; a repeated key is an error."""
    if not isinstance(entry, _Object):
        raise ValueError(f"{where}: expected an object with corrections, clinical severity, comments, error category")
    fields: dict[str, Any] = {}
    for key, value in entry:
        name = re.sub(r"[_\s]+", " ", key.strip().lower())
        if name in fields:
            raise ValueError(f'{where}: "{name}" is there twice')
        fields[name] = value
    return fields


def _correction(where: str, line: ReportLine | None, line_answer: LineAnswer) -> Correction:
    text = " ".join(line_answer.corrections.split())
    delete = text.lower().strip("[]. ") == DELETE_MARK.strip("[]")
    if not text:
        raise ValueError(f'{where}: "corrections" is empty: write the corrected line, or {DELETE_MARK}')
    if line is None and delete:
        raise ValueError(f"{where}: there is no line to delete: use the number of the line as the key")
    if line is not None and text == " ".join(line.text.split()):
        raise ValueError(f"{where}: the correction is the line as it is: leave out lines without an error")
    return Correction(
        line=None if line is None else line.number,
        action=INSERT if line is None else DELETE if delete else REWRITE,
        before="" if line is None else line.text,
        after="" if delete else text,
        rating=line_answer.rating,
        category=line_answer.category,
        comment=line_answer.comments,
    )
