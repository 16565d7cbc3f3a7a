"""The type of a pair of reports, and the checks on reports before scoring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from radeval_core.errors import InputError
from radeval_core.patient_context import CONTEXT_COLUMNS, PatientContext, context_of_row, read_context, read_contexts


@dataclass(frozen=True, slots=True)
class Pair:
    """One generated report and the report or reports it is compared with.

    Attributes:
        prediction: the generated report.
        references: what it is compared with.
        id: names the pair in results.
        image: optional film of the study, a path or a PIL image; for metrics that look at it.
        boxes: optional boxes on the film: of regions, see `findings.atlas.pair_boxes`, or of phrases, see
            `findings.phrase_boxes`.
        context: what is known about the patient, if anything; for metrics that use it.
    """

    prediction: str
    references: tuple[str, ...]
    id: str | int = ""
    image: Any = None
    boxes: Any = None
    context: PatientContext | None = None

    @property
    def reference(self) -> str:
        """Return the first (for most metrics the only) reference."""
        return self.references[0]


def is_blank(text: str) -> bool:
    """Return True if a report is empty or only white space."""
    return not text.strip()


def pairs_from_lists(
    predictions: Any,
    references: Any,
    metric: str,
    multi_reference: bool,
    allow_empty: bool = False,
    contexts: Any = None,
) -> list[Pair]:
    """Check parallel lists and return their pairs, in the same order and without dropping any."""
    predictions = _as_list("predictions", predictions)
    references = _as_list("references", references)
    if len(predictions) != len(references):
        raise InputError(
            f"predictions and references must have the same length: got {len(predictions)} and {len(references)}"
        )
    if not predictions and not allow_empty:
        raise no_pairs()
    for i, prediction in enumerate(predictions):
        _refuse_messages(f"predictions[{i}]", prediction)
        require_string(f"predictions[{i}]", prediction)
    pairs = [
        Pair(prediction, check_references(f"references[{i}]", reference, metric, multi_reference), i)
        for i, (prediction, reference) in enumerate(zip(predictions, references, strict=True))
    ]
    return with_contexts(pairs, contexts)


def with_contexts(pairs: list[Pair], contexts: Any) -> list[Pair]:
    """Return the pairs with their contexts: a list with a mapping or None per pair, or None for no contexts."""
    if contexts is None:
        return pairs
    read = read_contexts(contexts, len(pairs))
    return [replace(pair, context=context) for pair, context in zip(pairs, read, strict=True)]


def no_pairs() -> InputError:
    """Return the error for empty lists."""
    return InputError("predictions and references are empty: give at least one pair of reports")


def pairs_from_rows(
    rows: Iterable[Any], metrics: dict[str, bool], columns: Iterable[str] = (), contexts: Any = None
) -> Iterator[Pair]:
    """Turn rows (Pair, mapping, or (prediction, reference)) into checked pairs, one at a time.

    Args:
        rows: the rows, in order.
        metrics: the metrics that will score them, and whether each takes several references.
        columns: what the metrics read of a mapping besides reports and films: the fields of a context, or nothing.
        contexts: a list with a mapping or None per row, instead of contexts in the rows.
    """
    single = next((name for name, multi in metrics.items() if not multi), None)
    own = {name: name for name in CONTEXT_COLUMNS if name in columns}
    given = None if contexts is None else read_contexts(contexts)
    i = -1
    for i, row in enumerate(rows):
        reference: Any
        image = boxes = context = None
        if isinstance(row, Pair):
            prediction, reference, row_id = row.prediction, row.references, row.id
            image, boxes, context = row.image, row.boxes, read_context(f"pairs[{i}].context", row.context)
        elif isinstance(row, Mapping):
            for key in ("prediction", "reference"):
                if key not in row:
                    raise InputError(f"pairs[{i}] has no {key!r}: give 'prediction' and 'reference'")
            prediction, reference, row_id = row["prediction"], row["reference"], row.get("id", i)
            image, boxes = row.get("image"), row.get("boxes")
            context = context_of_row(f"pairs[{i}]", row, own)
        elif isinstance(row, (tuple, list)) and len(row) == 2:
            (prediction, reference), row_id = row, i
        else:
            raise InputError(f"pairs[{i}] must be a Pair, a dict or (prediction, reference), got {type(row).__name__}")
        require_string(f"pairs[{i}].prediction", prediction)
        if isinstance(reference, tuple) and len(reference) == 1:
            reference = reference[0]
        references = check_references(f"pairs[{i}].reference", reference, single or "", single is None)
        if given is not None:
            context = _given_context(given, i, context)
        yield Pair(prediction, references, row_id, image, boxes, context)
    if given is not None and len(given) != i + 1:
        raise InputError(f"contexts must have one entry per pair: got {len(given)} for {i + 1} pairs")


def _given_context(given: list[PatientContext | None], i: int, own: PatientContext | None) -> PatientContext | None:
    """Return the context that a list gives a row; refuse a row that has its own."""
    if own is not None:
        raise InputError(f"pairs[{i}] has its own context: leave it out, or leave out contexts=")
    if i >= len(given):
        raise InputError(f"contexts must have one entry per pair: got {len(given)} for more pairs")
    return given[i]


def check_references(where: str, reference: Any, metric: str, multi_reference: bool) -> tuple[str, ...]:
    """Return the references of one row as a tuple, or raise an error that names the row and the problem."""
    if not isinstance(reference, (list, tuple)):
        return (require_string(where, reference),)
    if not multi_reference:
        raise InputError(f"{where} is a list: {metric} takes one reference per report; give a string")
    if not reference:
        raise InputError(f"{where} is an empty list: give at least one reference report")
    for j, text in enumerate(reference):
        require_string(f"{where}[{j}]", text)
    return tuple(reference)


def require_string(where: str, value: Any) -> str:
    """Return the value if it is a string, else raise an error that names its place."""
    if not isinstance(value, str):
        raise InputError(f"{where} must be a string, got {'None' if value is None else type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:  # half of a surrogate pair, which tokenisers and file formats reject
        raise InputError(f"{where} is not valid Unicode text: character {error.start} is a lone surrogate") from None
    return value


def _refuse_messages(where: str, prediction: Any) -> None:
    """Refuse a chat, as trainers pass completions: a metric compares reports."""
    if isinstance(prediction, Sequence) and prediction and all(isinstance(message, Mapping) for message in prediction):
        raise InputError(
            f"{where} is a list of messages: give the text of the report, or use radeval_core.rewards.make_reward, "
            "which reads messages"
        )


def _as_list(what: str, values: Any) -> list[Any]:
    if isinstance(values, (str, bytes)):
        raise InputError(f"{what} must be a list of reports, got a single string: write {what}=[report]")
    if values is None or not hasattr(values, "__iter__") or isinstance(values, dict):
        raise InputError(f"{what} must be a list of reports, got {type(values).__name__}")
    return list(values)
