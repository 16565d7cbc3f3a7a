"""From the text of an answer to corrections. What cannot be what it says is not guessed: it is asked for again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from radeval_core.judges.fineradscore.analysis import DELETE, INSERT, REWRITE, Analysis, Correction
from radeval_core.judges.fineradscore.lines import Line
from radeval_core.judges.fineradscore.schema import DELETE_MARK, NEW_LINE, NO_ERROR, LineAnswer, read_entry
from radeval_core.judges.verdict import UnreadableAnswer

_FENCE = re.compile(r"```[\w-]*\s*(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
#: characters of an answer that are read; the longest real ones have some thousands
_LONGEST = 200_000
_OPENING = re.compile(r"[{\[]")
_FIELDS = {"corrections", "clinical severity"}


class _Object(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that a key that comes twice is seen."""


def read_answer(answer: str, lines: Sequence[Line]) -> Analysis:
    """The corrections in an answer.

    Args:
        answer: what a model wrote: JSON, perhaps with text or fences around it.
        lines: the candidate's lines, as the model saw them.

    Raises:
        UnreadableAnswer: it holds no corrections, or ones that cannot be; the message says what is wrong.
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
            said = read_entry(where, _plain(entry, where))
            if said.rating != NO_ERROR:
                corrections.append(_correction(where, None if number is None else lines[number], said))
    except ValueError as error:
        raise UnreadableAnswer(str(error)) from None
    corrections.sort(key=lambda c: (c.line is None, c.line or 0))
    return Analysis(tuple(corrections))


def _json_in(answer: str) -> Any:
    """The one JSON value an answer holds, in a fence or bare."""
    text = _THOUGHT.sub(" ", answer[:_LONGEST])
    fenced = [block for block in _FENCE.findall(text) if block.lstrip()[:1] in ("{", "[")]
    found = [value for block in fenced or [text] for value in _values(block)]
    distinct = [value for i, value in enumerate(found) if value not in found[:i]]
    if not distinct:
        raise ValueError("there is no valid JSON object in the answer" + _json_problem(fenced[0] if fenced else text))
    if len(distinct) > 1:
        raise ValueError(f"there are {len(distinct)} different JSON objects in the answer: give one")
    return distinct[0]


def _values(text: str) -> Iterator[Any]:
    """The outermost JSON objects and lists of objects in a text."""
    text = _STRING_OR_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)
    decoder = json.JSONDecoder(object_pairs_hook=_Object, strict=False)
    position = 0
    while start := _OPENING.search(text, position):
        try:
            value, position = decoder.raw_decode(text, start.start())
        except RecursionError:
            return
        except ValueError:  # also a number of more digits than Python reads
            if start[0] == "{":
                return  # an object that breaks off: what follows is its inside
            position = start.end()
            continue
        if isinstance(value, _Object) or all(isinstance(item, _Object) for item in value):
            yield value


def _json_problem(text: str) -> str:
    """Where JSON breaks off, for the model to put right."""
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
    """Line keys with what is said of each; of one object, or of a list of them."""
    for item in [value] if isinstance(value, _Object) else value:
        keys = {key for key, _ in item}
        if keys & _FIELDS:  # {"line": 2, "corrections": …} rather than {"2": {"corrections": …}}
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
    """The line a key names; None for an insertion."""
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
    """An entry as a dict, its keys once each."""
    if not isinstance(entry, _Object):
        raise ValueError(f"{where}: expected an object with corrections, clinical severity, comments, error category")
    fields: dict[str, Any] = {}
    for key, value in entry:
        name = re.sub(r"[_\s]+", " ", key.strip().lower())
        if name in fields:
            raise ValueError(f'{where}: "{name}" is there twice')
        fields[name] = value
    return fields


def _correction(where: str, line: Line | None, said: LineAnswer) -> Correction:
    text = " ".join(said.corrections.split())
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
        rating=said.rating,
        category=said.category,
        comment=said.comments,
    )
