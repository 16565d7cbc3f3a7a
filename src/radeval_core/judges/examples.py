"""Worked examples that a judge model is shown before its first pair: ours, or the user's own from a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.io import jsonl_rows
from radeval_core.judges.pair_prompt import user_text
from radeval_core.judges.prompt_safety import has_chat_marker
from radeval_core.judges.verdict import UnreadableAnswer
from radeval_core.user_yaml import read_yaml

#: value of the option `examples` for none, and for ours
NO_EXAMPLES, INVENTED = "none", "invented"
_FIELDS = ("reference", "candidate", "answer")
_ENDINGS = (".jsonl", ".json", ".yaml", ".yml")
#: returns the answer of a row as text, or raises `InputError`; given its place, the candidate and the answer
AnswerCheck = Callable[[str, str, Any], str]


@dataclass(frozen=True)
class Example:
    """A pair with the answer a model should give.

    Attributes:
        reference: the reference report.
        candidate: the candidate report.
        answer: the answer, as a model would write it.
    """

    reference: str
    candidate: str
    answer: str


def check_with(read: Callable[[str], object], title: str) -> AnswerCheck:
    """Return a check of answers that are texts: the reader of a model's answers must be able to read them.

    Args:
        read: the reader; raises `UnreadableAnswer`.
        title: the metric's name for people.
    """

    def check(where: str, candidate: str, answer: Any) -> str:
        if not isinstance(answer, str):
            raise InputError(f"{where} must be a text, got {type(answer).__name__}")
        try:
            read(answer)
        except UnreadableAnswer as error:
            raise InputError(f"{where} cannot be read as an answer of {title}: {error}") from None
        return answer.strip()

    return check


def read_examples(option: str, path: str, check: AnswerCheck) -> tuple[Example, ...]:
    """Read the user's examples: JSONL, JSON or YAML rows with `reference`, `candidate` and `answer`.

    Args:
        option: name of the option, for errors.
        path: the file.
        check: checks the answers.
    """
    found = examples_from(_rows(option, path), check)
    if not found:
        raise InputError(f"{path}: contains no examples: write examples={NO_EXAMPLES} to show none")
    return found


def examples_from(rows: Iterable[tuple[str, Mapping[str, Any]]], check: AnswerCheck) -> tuple[Example, ...]:
    """Return checked examples from rows with their places in a file; errors name the place and the field."""
    found = []
    for where, row in rows:
        for field in _FIELDS:
            if field not in row:
                raise InputError(f"{where}: field {field!r} is missing; an example has {', '.join(_FIELDS)}")
        for field in _FIELDS[:2]:
            if not isinstance(row[field], str) or not row[field].strip():
                raise InputError(f"{where}: field {field!r} must be a report, got {type(row[field]).__name__}")
        answer = check(f"{where}: field 'answer'", row["candidate"], row["answer"])
        if has_chat_marker(answer):
            raise InputError(f"{where}: field 'answer' contains a marker of a chat template, such as </s>: remove it")
        found.append(Example(row["reference"], row["candidate"], answer))
    return tuple(found)


def choose_examples(
    metric: str,
    wanted: str | None,
    shots: int | None,
    invented: Callable[[], tuple[Example, ...]],
    check: AnswerCheck,
    default: str,
) -> tuple[Example, ...]:
    """Return the examples that the options `examples` and `shots` of a metric choose.

    Args:
        metric: the metric.
        wanted: `none`, `invented`, a file, or None for the default.
        shots: how many to show, from the first; all if None.
        invented: returns our examples.
        check: checks the answers of a file.
        default: what to show if the user chose nothing.
    """
    wanted = wanted or (INVENTED if shots else default)
    if wanted == NO_EXAMPLES:
        examples: tuple[Example, ...] = ()
    else:
        examples = invented() if wanted == INVENTED else read_examples(f"{metric}.examples", wanted, check)
    if shots is not None and not 0 <= shots <= len(examples):
        number = f"the number of examples, {len(examples)}"
        raise InputError(f"option {metric}.shots must be from 0 to {number}, got {shots}")
    return examples[:shots]


def shots_text(examples: tuple[Example, ...]) -> str:
    """Return the number of examples in words: `zero-shot`, `3-shot`."""
    return f"{len(examples)}-shot" if examples else "zero-shot"


def yaml_rows(name: str, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a YAML or JSON text, each with its place.

    Args:
        name: the file, for errors.
        text: its content.
    """
    try:
        rows = json.loads(text) if name.lower().endswith(".json") else read_yaml(name, text)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(f"{name}: not valid JSON" + (f" at line {line}" if line else "")) from None
    if not isinstance(rows, list):
        raise InputError(f"{name}: expected a list of examples, got {type(rows).__name__}")
    for number, row in enumerate(rows, start=1):
        where = f"{name}: row {number}"
        if not isinstance(row, dict):
            raise InputError(f"{where}: expected the fields {', '.join(_FIELDS)}, got {type(row).__name__}")
        yield where, row


def _rows(option: str, path: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        names = f"{NO_EXAMPLES}, {INVENTED} or a file that ends in {', '.join(_ENDINGS)}"
        raise InputError(f"option {option} must be {names}, got {path!r}")
    text = user_text(option, path)
    return jsonl_rows(Path(path)) if ending == ".jsonl" else yaml_rows(path, text)
