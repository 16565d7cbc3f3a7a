"""Reads what a trainer passes to a reward: completions, references and what is known about the patient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.pairs import Pair, check_references, require_string
from radeval_core.patient_context import CONTEXT_COLUMNS, context_of_row
from radeval_core.registry import metric_names, scorer_class

#: what trainers pass besides the columns of the dataset
NOT_COLUMNS = frozenset(
    {"prompts", "completions", "completion_ids", "trainer_state", "log_extra", "log_metric", "environments"}
)
_FORMS = "a text, or a list of messages such as [{'role': 'assistant', 'content': '...'}]"


def read_completions(completions: Any) -> list[str]:
    """Return the text of each completion: itself, or the last message of the assistant.

    Raises:
        InputError: a completion is neither a text nor a list of messages; the message names it.
    """
    if isinstance(completions, (str, bytes, Mapping)) or not hasattr(completions, "__iter__"):
        raise InputError(f"completions must be a list with one entry per prompt, got {type(completions).__name__}")
    return [read_completion(f"completions[{i}]", completion) for i, completion in enumerate(completions)]


def read_completion(where: str, completion: Any) -> str:
    """Return the text of one completion."""
    if isinstance(completion, str):
        return require_string(where, completion)
    if not isinstance(completion, Sequence) or not all(isinstance(message, Mapping) for message in completion):
        kind = "a single message" if isinstance(completion, Mapping) else type(completion).__name__
        raise InputError(f"{where} must be {_FORMS}, got {kind}")
    said = [message for message in completion if message.get("role") == "assistant"]
    if not said:
        raise InputError(f"{where} has no message with the role 'assistant': give {_FORMS}")
    if "content" not in said[-1]:
        raise InputError(f"{where}: the last message of the assistant has no 'content'")
    return _content(where, said[-1]["content"])


def _content(where: str, content: Any) -> str:
    """Return the text of a message. A message that only calls a tool has no content: an empty text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return require_string(f"{where}: content", content)
    if not isinstance(content, Sequence):
        raise InputError(f"{where}: content must be a text or a list of text parts, got {type(content).__name__}")
    parts = []
    for part in content:
        if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
            kind = part.get("type", "a part without a type") if isinstance(part, Mapping) else type(part).__name__
            raise InputError(f"{where}: the content of a report must be text, got {kind}")
        parts.append(require_string(f"{where}: content", part["text"]))
    return "".join(parts)


def read_context_columns(given: Any, read: Sequence[str]) -> dict[str, str]:
    """Return the column of each field of the patient's context: its own name unless the user gives another.

    Args:
        given: mapping from `age`, `sex`, `indication`, `history` or `context` to columns; None for the same names.
        read: the fields that the metrics of the reward read.
    """
    if given is None:
        return {field: field for field in read}
    if not isinstance(given, Mapping):
        raise InputError(
            f"context_columns must be a mapping from fields to columns such as {{'age': 'patient_age'}}, "
            f"got {type(given).__name__}"
        )
    for field, column in given.items():
        if field not in CONTEXT_COLUMNS:
            raise unknown_name("field of the patient's context", str(field), CONTEXT_COLUMNS)
        if not isinstance(column, str):
            raise InputError(f"the column of {field} must be a text, got {type(column).__name__}")
    if given and not read:
        using = ", ".join(name for name in metric_names() if scorer_class(name).uses_context)
        raise InputError(
            f"context_columns are given, but no metric of this reward uses the patient's context; these do: {using}"
        )
    return dict(given)


class ColumnReader:
    """Reads pairs from the columns that a trainer passes.

    Args:
        reference_column: the column of the references.
        context_columns: the column of each field of the patient's context that is read.
        required: True if the user named the context columns: one that is missing is an error.
        films: further columns that a metric reads: `image`, `boxes`.
        multi_reference: True if every metric takes several references.
        single: a metric that takes one reference, for errors.
    """

    def __init__(
        self,
        reference_column: str,
        context_columns: Mapping[str, str],
        required: bool,
        films: Sequence[str],
        multi_reference: bool,
        single: str,
    ) -> None:
        self.reference_column = reference_column
        self.context_columns = context_columns
        self.required = required
        self.films = films
        self.multi_reference = multi_reference
        self.single = single

    def pairs(self, texts: Sequence[str], columns: Mapping[str, Any]) -> list[Pair | None]:
        """Return the pair of each completion; None where the reference is None: a row of another task."""
        references = self._column(self.reference_column, columns, len(texts), "reference_column")
        context = self._context(columns, len(texts))
        films = {name: self._column(name, columns, len(texts), name) for name in self.films if name in columns}
        pairs: list[Pair | None] = []
        for i, (text, reference) in enumerate(zip(texts, references, strict=True)):
            if reference is None:
                pairs.append(None)
                continue
            where = f"{self.reference_column}[{i}]"
            if isinstance(reference, (list, tuple)) and len(reference) == 1:
                reference = reference[0]
            known = check_references(where, reference, self.single, self.multi_reference)
            row = {column: values[i] for column, values in context.items()}
            about = context_of_row(f"row {i}", row, self._present(columns)) if row else None
            image, boxes = (films[name][i] if name in films else None for name in ("image", "boxes"))
            pairs.append(Pair(text, known, i, image, boxes, about))
        return pairs

    def _present(self, columns: Mapping[str, Any]) -> dict[str, str]:
        return {field: column for field, column in self.context_columns.items() if column in columns}

    def _context(self, columns: Mapping[str, Any], count: int) -> dict[str, Any]:
        chosen = self.context_columns if self.required else self._present(columns)
        return {
            column: self._column(column, columns, count, f"context_columns[{field!r}]")
            for field, column in chosen.items()
        }

    def _column(self, name: str, columns: Mapping[str, Any], count: int, argument: str) -> Sequence[Any]:
        """Return a column with one value per completion."""
        if name not in columns:
            there = sorted(set(columns) - NOT_COLUMNS) or ["(none)"]
            raise InputError(f"{unknown_name('column', name, there)}. Name the right one with {argument}=")
        values = columns[name]
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Sequence):
            raise InputError(
                f"column {name!r} must be a list with one value per completion, got {type(values).__name__}"
            )
        if len(values) != count:
            raise InputError(
                f"column {name!r} must have one value per completion: got {len(values)} values for {count} completions"
            )
        return values
