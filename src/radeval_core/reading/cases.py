"""Read the pairs of a reader study and group them into cases, which are what a reader sees at once.

A row: `{"id", "prediction", "reference"}`, optionally with `study`, `candidate` (what wrote the prediction, never shown
to a reader) and the patient context (`age`, `sex`, `indication`, `history`). If readers are asked for a preference, two
rows of one study with the same reference are one case with two candidates. Every other row is a case of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radeval_core.bench.expert_data import study_of
from radeval_core.errors import InputError, unknown_name
from radeval_core.io import jsonl_rows, pair_of
from radeval_core.pairs import Pair, require_string
from radeval_core.patient_context import CONTEXT_COLUMNS, PatientContext, context_of_row

#: what readers can be asked for, in the order of the page
ERRORS, RATING, PREFERENCE, CORRECTIONS, COMMENT = QUESTIONS = (
    "errors",
    "rating",
    "preference",
    "corrections",
    "comment",
)


@dataclass(frozen=True)
class Candidate:
    """A report to read.

    Attributes:
        id: id of its row.
        text: the report.
        name: what wrote it, if the row says so; readers never see it.
    """

    id: str | int
    text: str
    name: str | None = None


@dataclass(frozen=True)
class Case:
    """What a reader sees at once.

    Attributes:
        key: its name in the store, from its place in the file.
        study: the study of its rows.
        references: the report or reports to compare with.
        candidates: one or two, in the order of the file.
        context: what is known about the patient, if anything.
    """

    key: str
    study: str | int
    references: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    context: PatientContext | None = None

    @property
    def pairs(self) -> list[Pair]:
        """The pairs of its candidates."""
        return [Pair(c.text, self.references, c.id, context=self.context) for c in self.candidates]


@dataclass(frozen=True)
class StudyRow:
    """One checked row of the pairs.

    Attributes:
        pair: the reports, with id and context.
        study: its study; its id if the row names none.
        candidate: what wrote the prediction, or None.
    """

    pair: Pair
    study: str | int
    candidate: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return the row as it is stored."""
        references = list(self.pair.references)
        row: dict[str, Any] = {"id": self.pair.id, "study": self.study}
        row |= {} if self.candidate is None else {"candidate": self.candidate}
        row |= {"prediction": self.pair.prediction, "reference": references if len(references) > 1 else references[0]}
        return row | (self.pair.context.as_dict() if self.pair.context else {})


def read_rows(path: Path) -> list[StudyRow]:
    """Read and check a JSONL file of pairs. Errors name file and line."""
    if path.suffix.lower() != ".jsonl":
        raise InputError(f"{path}: the file name must end in .jsonl")
    if not path.is_file():
        raise InputError(f"{path}: is a folder, give a file" if path.is_dir() else f"{path}: no such file")
    rows: list[StudyRow] = []
    first_seen: dict[str, str] = {}
    for index, (where, row) in enumerate(jsonl_rows(path)):
        pair = pair_of(where, row, index)
        line = where.rpartition(": ")[2]
        if str(pair.id) in first_seen:  # 1 and "1" would be one row of an export
            raise InputError(f"{where}: duplicate id {pair.id!r}, already used in {first_seen[str(pair.id)]}")
        first_seen[str(pair.id)] = line
        columns = {name: name for name in CONTEXT_COLUMNS if name in row}
        context = context_of_row(where, row, columns)
        candidate = row.get("candidate")
        if candidate is not None:
            require_string(f"{where}: column 'candidate'", candidate)
        known = Pair(pair.prediction, pair.references, pair.id, context=context)
        rows.append(StudyRow(known, study_of(where, row, pair), candidate))
    if not rows:
        raise InputError(f"{path}: no pairs to read")
    return rows


def fingerprint(rows: Iterable[StudyRow]) -> str:
    """Return a hash of everything in the rows."""
    text = json.dumps([row.as_dict() for row in rows], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def group_cases(rows: Sequence[StudyRow], asked: Iterable[str]) -> tuple[Case, ...]:
    """Return the cases of the rows, in the order of their first rows."""
    groups = _groups(rows) if PREFERENCE in asked else [[row] for row in rows]
    width = max(4, len(str(len(groups))))
    return tuple(
        Case(
            f"c{number:0{width}d}",
            group[0].study,
            group[0].pair.references,
            tuple(Candidate(row.pair.id, row.pair.prediction, row.candidate) for row in group),
            group[0].pair.context,
        )
        for number, group in enumerate(groups, start=1)
    )


def _groups(rows: Sequence[StudyRow]) -> list[list[StudyRow]]:
    """Return rows that are read together: the two rows of a study, or one row."""
    studies: dict[str | int, list[StudyRow]] = {}
    for row in rows:
        studies.setdefault(row.study, []).append(row)
    found: list[list[StudyRow]] = []
    for row in rows:
        mine = studies[row.study]
        together = len(mine) == 2 and (mine[0].pair.references, mine[0].pair.context) == (
            mine[1].pair.references,
            mine[1].pair.context,
        )
        if not together:
            found.append([row])
        elif row is mine[0]:
            found.append(mine)
    return found


def check_questions(asked: Sequence[str]) -> tuple[str, ...]:
    """Return the questions in the order of the page; refuse unknown ones and a study that asks nothing."""
    for name in asked:
        if name not in QUESTIONS:
            raise unknown_name("question", name, QUESTIONS)
    if not set(asked) - {COMMENT}:
        raise InputError(f"ask for at least one of: {', '.join(QUESTIONS[:-1])}")
    return tuple(name for name in QUESTIONS if name in asked)
