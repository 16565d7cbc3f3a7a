"""The training file of a judge: JSONL with one row per pair, the answer the judge should give, and the counts in it.

    {"id": "permutation:12:side", "study": "12", "split": "train", "metric": "green",
     "reference": "Small right effusion.", "prediction": "Small left effusion.", "answer": "[Explanation]: …",
     "counts": {"significant": {"wrong_location": 1}, "insignificant": {}, "matched": 0},
     "teacher": "injected", "heuristic": "side", "context": {"age": "75"}}

`context` may be left out, `heuristic` may be empty. `FILE.md` and `FILE.json` beside the file are its datasheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from radeval_core.errors import InputError
from radeval_core.io import jsonl_rows, write_jsonl
from radeval_core.judges.verdict import UnreadableAnswer
from radeval_core.patient_context import PatientContext, read_context
from radeval_core.train.answer_forms import FORMS, ErrorCounts

SPLITS = ("train", "validation", "test")
#: teacher of rows whose errors were put into the candidate on purpose
INJECTED = "injected"

Filled = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]


class TrainingRow(BaseModel):
    """One pair and the answer about it.

    Attributes:
        id: unique in the file.
        study: the study of the reference; all pairs of a study are in one split.
        split: train, validation or test.
        metric: green, crimson or fineradscore.
        reference: the reference report.
        prediction: the candidate report.
        answer: what the judge should answer, in the metric's own form.
        counts: the errors in the answer, as the metric reads them.
        teacher: signature of the judge that gave the answer, or `injected`.
        heuristic: how the candidate was made; empty if not known.
        context: what is known about the patient: age, sex, indication, history.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: Filled
    study: Filled
    split: str
    metric: str
    reference: Filled
    prediction: Filled
    answer: Filled
    counts: ErrorCounts
    teacher: Filled
    heuristic: str = ""
    context: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _in_scheme(self) -> TrainingRow:
        if self.split not in SPLITS:
            raise ValueError(f"split must be one of {', '.join(SPLITS)}, got {self.split!r}")
        if self.metric not in FORMS:
            raise ValueError(f"metric must be one of {', '.join(FORMS)}, got {self.metric!r}")
        known = FORMS[self.metric].categories
        for category in (*self.counts.significant, *self.counts.insignificant):
            if category not in known:
                raise ValueError(f"{self.metric} has no category {category!r}: it has {', '.join(known)}")
        read_context("context", self.context)
        return self

    @property
    def patient(self) -> PatientContext | None:
        """Return what is known about the patient."""
        return read_context("context", self.context)

    def as_dict(self) -> dict[str, Any]:
        """Return the row as it is written."""
        return self.model_dump(exclude=None if self.context else {"context"})


def write_training_rows(path: Path, rows: Iterable[TrainingRow]) -> None:
    """Write a training file, whole or not at all; a new file is readable only for its owner."""
    write_jsonl(path, (row.as_dict() for row in rows))


def read_training_rows(path: str | Path) -> list[TrainingRow]:
    """Read a training file.

    Raises:
        InputError: a row lacks a field or has an unknown label, the metric reads other counts in its answer, an id
            occurs twice, a study is in two splits, the rows are for different metrics, or the file is empty. The
            message names the line, never the text.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file: make one with `radeval train annotate` or `radeval train inject`")
    rows: list[TrainingRow] = []
    ids: set[str] = set()
    split_of: dict[str, str] = {}
    for where, given in jsonl_rows(path):
        row = _checked(where, given)
        if row.id in ids:
            raise InputError(f"{where}: the id {row.id!r} occurs twice")
        if split_of.setdefault(row.study, row.split) != row.split:
            raise InputError(f"{where}: study {row.study!r} is in the splits {split_of[row.study]} and {row.split}")
        if rows and row.metric != rows[0].metric:
            raise InputError(f"{where}: the metric is {row.metric}, that of the first row {rows[0].metric}")
        ids.add(row.id)
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: the file has no rows")
    return rows


def rows_of(rows: Iterable[TrainingRow], split: str) -> list[TrainingRow]:
    """Return the rows of a split.

    Raises:
        InputError: there are none.
    """
    found = [row for row in rows if row.split == split]
    if not found:
        raise InputError(f"the split {split!r} is empty: add studies, or choose other proportions with --splits")
    return found


def _checked(where: str, given: Mapping[str, Any]) -> TrainingRow:
    try:
        row = TrainingRow.model_validate(given)
        read = FORMS[row.metric].counts_in(row.reference, row.prediction, row.answer)
    except ValidationError as error:
        raise InputError(f"{where}: {'; '.join(_problems(error))}") from None
    except UnreadableAnswer as error:
        raise InputError(f"{where}: {given['metric']} cannot read 'answer': {error}") from None
    if read != row.counts:
        raise InputError(f"{where}: 'counts' are not what {row.metric} reads in 'answer'")
    return row


def _problems(error: ValidationError) -> Iterator[str]:
    """Yield what is wrong, without the values: they may quote a report."""
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        name = ".".join(map(str, problem["loc"]))
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "missing":
            yield f"{name!r} is missing"
        else:
            yield f"{name!r}: {message}" if name else message
