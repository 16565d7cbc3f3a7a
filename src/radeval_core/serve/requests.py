"""The bodies of requests, checked field by field. Errors name the place and quote nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from radeval_core.errors import InputError
from radeval_core.pairs import Pair, pairs_from_rows
from radeval_core.patient_context import CONTEXT_COLUMNS
from radeval_core.registry import metric_names
from radeval_core.serve.limits import Limits, TooLargeError

#: a name of a metric, config, system or label set
Name = Annotated[str, StringConstraints(max_length=200)]
Id = Annotated[str, StringConstraints(max_length=500)] | Annotated[int, Field(ge=-(2**63), lt=2**64)]
M = TypeVar("M", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ContextBody(_Strict):
    """What is known about a patient."""

    age: str | int | float | None = None
    sex: str | None = None
    indication: str | None = None
    history: str | None = None


class PairBody(ContextBody):
    """One generated report and its reference, or references where the metric takes several."""

    prediction: str
    reference: str | list[str]
    id: Id | None = Field(None, description="names the pair in the answer; its place in the list if not given")
    context: ContextBody | None = Field(None, description="instead of age, sex, indication and history")
    boxes: dict[str, Any] | None = Field(None, description="boxes of regions or phrases, for metrics that use them")


class _Choice(_Strict):
    metrics: list[Name] = Field(min_length=1, max_length=100, description="metrics, or parts as in green.error_count")
    configs: dict[Name, Name] = Field({}, description="config by metric, among those offered")
    options: dict[Name, dict[Name, bool | Name]] = Field({}, description="options by metric, among those offered")


class ScoreBody(_Choice):
    """Pairs to score."""

    pairs: list[PairBody]
    details: bool = Field(False, description="also answer with the structures behind each score; they quote reports")
    intervals: bool = Field(True, description="compute 95 % intervals, which takes a few milliseconds per metric")


class CompareBody(_Choice):
    """Pairs of two or more systems, with the same ids and references."""

    systems: dict[Name, list[PairBody]] = Field(min_length=2, max_length=50)


class ReportBody(_Strict):
    """One report."""

    text: str
    id: Id | None = None


class ParseBody(_Strict):
    """Reports whose findings to read."""

    reports: list[ReportBody]
    labels: Name | None = Field(None, description="chexpert (default) or ctrate")


#: names of fields, which errors may repeat: they are ours, not the client's
_FIELDS = {
    name for body in (ScoreBody, CompareBody, ParseBody, PairBody, ReportBody) for name in body.model_fields
} | set(CONTEXT_COLUMNS)


def read(kind: type[M], body: bytes) -> M:
    """Return the checked body of a request; raise an `InputError` that quotes nothing of it."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise InputError(_problem(error)) from None


def _problem(error: ValidationError) -> str:
    """Return where a body is wrong and how, without any value of it."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = _place(first["loc"]) or "the body"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "json_invalid":
        return "the body is no valid JSON in UTF-8"
    if first["type"] == "extra_forbidden":
        return f"{_place(first['loc'][:-1]) or 'the body'} has a field that is not known{more}; see /docs"
    if first["type"] == "missing":
        return f"{where} is missing{more}"
    return f"{where}: {first['msg']}{more}"


def _place(places: Sequence[int | str]) -> str:
    """Return a place such as `pairs[3].prediction`; a name that the client chose is not repeated."""
    text = ""
    for part in places:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part in _FIELDS or part in metric_names():
            text += f".{part}" if text else part
        elif not part.isidentifier() or part[0].isupper() or "[" in part or part in ("str", "int", "float", "bool"):
            continue  # the branch of a union, which pydantic names after its type
        else:
            text += ".…" if text else "…"
    return text


def check_size(limits: Limits, sizes: Sequence[int], texts: Sequence[str]) -> None:
    """Refuse more pairs or longer reports than a server takes.

    Args:
        limits: the limits.
        sizes: number of pairs, per system.
        texts: all reports.
    """
    if sum(sizes) > limits.pairs:
        raise TooLargeError(f"{sum(sizes)} pairs in one request, at most {limits.pairs} are taken: send fewer at once")
    longest = max(map(len, texts), default=0)
    if longest > limits.characters:
        raise TooLargeError(
            f"a text of {longest} characters, at most {limits.characters} are taken: shorten or split the report"
        )


def checked_pairs(rows: Sequence[PairBody], multi: dict[str, bool]) -> tuple[list[str | int], list[Pair]]:
    """Return the ids of pairs and the pairs, numbered by their places: no error and no log can show an id.

    Args:
        rows: the pairs of a request.
        multi: the metrics that will score them, and whether each takes several references.
    """
    if not rows:
        raise InputError("pairs is empty: give at least one pair of reports")
    ids: list[str | int] = [i if row.id is None else row.id for i, row in enumerate(rows)]
    plain = [row.model_dump(exclude={"id"}, exclude_none=True) for row in rows]
    return ids, list(pairs_from_rows(plain, multi, CONTEXT_COLUMNS))


def texts_of(rows: Sequence[PairBody]) -> list[str]:
    """Return every text of pairs, those about the patient too."""
    found = []
    for row in rows:
        about = (row, *([row.context] if row.context else []))
        found += [row.prediction, *([row.reference] if isinstance(row.reference, str) else row.reference)]
        found += [
            text for who in about for text in (who.age, who.sex, who.indication, who.history) if isinstance(text, str)
        ]
    return found
